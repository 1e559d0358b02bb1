# To be sourced: builds fuzz targets with plain cargo, and runs them. No tool is needed but Rust and a C++ compiler.

FUZZ_TARGETS=(notation plan kernels wire cli)

# The flags of cargo-fuzz without a sanitizer; a stable compiler has them, too.
fuzz_flags() {
    printf '%s ' --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
        -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1
}

# fuzz_build TREE FOLDER [TARGET...]: builds targets of a tree, or all, into a folder.
fuzz_build() {
    local tree=$1 folder=$2 host
    shift 2
    [ $# -gt 0 ] || set -- "${FUZZ_TARGETS[@]}"
    host=$(rustc -vV | sed -n 's/^host: //p')
    # With a target named, flags are not those of macros and build scripts.
    RUSTFLAGS=$(fuzz_flags) CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$folder cargo build --quiet --release --locked \
        --manifest-path "$tree/fuzz/Cargo.toml" --target "$host" --features targets "${@/#/--bin=}"
    FUZZ_BINARIES=$folder/$host/release
}

# fuzz_run TARGET SECONDS CORPUS... : runs a target that was built, and prints its last lines where it finds something. The first corpus'
# folder holds its findings. FUZZ_SEED, where it is set, has it go the same way each time.
fuzz_run() {
    local target=$1 seconds=$2 corpus=$3 log
    shift 2
    log=$corpus.log
    mkdir -p "$corpus"
    if ! "$FUZZ_BINARIES/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=512 -len_control=20 \
        ${FUZZ_SEED:+-seed="$FUZZ_SEED"} -print_final_stats=1 -artifact_prefix="$corpus/../$target-" "$@" > "$log" 2>&1; then
        return 1
    fi
}

# How many executions a log tells of.
fuzz_executions() { sed -n 's/^stat::number_of_executed_units: *//p' "$1"; }
