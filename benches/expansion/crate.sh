# A crate outside the workspace, made anew, that is built and timed. To be sourced.

repeats=${REPEATS:-5}
# ROOT=FOLDER measures the library of another tree.
root=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
crate=$(mktemp -d)
trap 'rm -rf "$crate"' EXIT
# Not the caller's: other builds there would be timed, too.
unset CARGO_TARGET_DIR
# Or all runs but the first would only see that nothing has changed.
export CARGO_INCREMENTAL=0

mkdir "$crate/src"
cat > "$crate/Cargo.toml" <<TOML
[package]
name = "calls"
version = "0.0.0"
edition = "2024"
[dependencies]
redist = { path = "$root" }
[features]
mpi = ["redist/mpi"]
[profile.release]
strip = true
[workspace]
TOML
touch "$crate/src/lib.rs"
(cd "$crate" && cargo check --quiet && cargo build --release --quiet)

median() { sort -n | awk '{ line[NR] = $1 } END { print line[int((NR + 1) / 2)] }'; }

# Seconds of processors that `cargo ARGUMENTS` takes for this crate alone; with USER_ONLY=1 without the system's.
seconds() {
    local TIMEFORMAT='%U %S'
    for ((run = 0; run < repeats; run++)); do
        touch "$crate/src/lib.rs"
        (cd "$crate" && time cargo "$@" --quiet) 2>&1 | tail -1 | awk -v user="${USER_ONLY:-0}" '{ printf "%.3f\n", $1 + (user ? 0 : $2) }'
    done | median
}

# Also measures the empty crate, which all growth is counted from.
heading() {
    echo "pub fn nothing() {}" > "$crate/src/lib.rs"
    empty_check=$(seconds check)
    empty_build=$(seconds build --release)
    printf '\n%s\n%10s %14s %24s %26s\n' "$1" "$2" 'cargo check' 'cargo build --release' 'ms more per call, each'
}

# A line of a table: its name, and the number of calls that the crate now has.
row() {
    local check build growth
    check=$(seconds check)
    build=$(seconds build --release)
    growth=$(echo "$check $empty_check $build $empty_build $2" |
        awk '{ if ($5 == 0) print "-"; else printf "%.1f, %.1f", ($1 - $2) * 1000 / $5, ($3 - $4) * 1000 / $5 }')
    printf '%10s %13ss %23ss %26s\n' "$1" "$check" "$build" "$growth"
}

# Bytes of the stripped program, built with these options.
bytes() {
    (cd "$crate" && cargo build --release --quiet --bin calls "$@")
    stat --format=%s "$crate/target/release/calls"
}

# A line of the table of sizes: the program, from standard input, and how it is built.
program() {
    local name=$1 size
    cat > "$crate/src/main.rs"
    size=$(bytes "${@:2}")
    printf '%40s %10s %10s\n' "$name" "$size" "$((size - without))"
}
