#!/usr/bin/env bash
# Measures the builds of a user's own crate: the README's example in a crate of its own, built for release.
# Usage: benches/rebuild.sh [guard]
#
#   (nothing)  Prints seconds of the first build, with all sources there, and CPU seconds of a rebuild after `touch src/main.rs`.
#              The latter are the median of REPEATS (5). The output of `guard` follows.
#   guard      Prints functions and lines of LLVM IR that rustc makes for that crate alone, before it optimises.
#              Fails above the limits below, because the engine belongs in the library, not in users' crates.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
max_lines=50000
max_functions=1150

crate=$(mktemp -d)
trap 'rm -rf "$crate"' EXIT
unset CARGO_TARGET_DIR
mkdir "$crate/src"
cat > "$crate/Cargo.toml" <<TOML
[package]
name = "user"
version = "0.0.0"
edition = "2024"
[dependencies]
redist = { path = "$root" }
[workspace]
TOML
# The first block of Rust in the README that has a `main`.
awk '/^```rust/ { inside = 1; text = ""; next } /^```/ && inside { inside = 0; if (text ~ /fn main/) { printf "%s", text; exit } }
     inside { text = text $0 "\n" }' "$root/README.md" > "$crate/src/main.rs"
grep -q 'fn main' "$crate/src/main.rs" || { echo "the README has no example with a main function" >&2; exit 1; }
cp "$root/Cargo.lock" "$crate/"
cd "$crate"

guard() {
    cargo rustc --quiet --release --target-dir "${1:-target}" -- --emit=llvm-ir -C no-prepopulate-passes -C codegen-units=1
    local ir lines functions
    ir=$(find "${1:-target}/release/deps" -name 'user-*.ll')
    # Lines of function bodies, which is what there is to compile.
    read -r functions lines <<< "$(awk '/^define / { functions++; inside = 1 } inside { lines++ } /^}/ { inside = 0 }
                                        END { print functions, lines }' "$ir")"
    echo "LLVM IR of the crate alone: $lines lines in $functions functions (at most $max_lines and $max_functions)"
    [ "$lines" -le "$max_lines" ] && [ "$functions" -le "$max_functions" ]
}

if [ "${1:-}" = guard ]; then
    guard
    exit
fi
cargo fetch --quiet
TIMEFORMAT='first build, %R s elapsed, %U s + %S s of CPU'
time cargo build --release --quiet
TIMEFORMAT='%U %S'
for ((run = 0; run < ${REPEATS:-5}; run++)); do
    touch src/main.rs
    { time cargo build --release --quiet; } 2>&1 | awk '{ print $1 + $2 }'
done | sort -n | awk '{ cpu[NR] = $1 } END { print "rebuild, " cpu[int((NR + 1) / 2)] " s of CPU" }'
guard ir
