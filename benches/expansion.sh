#!/usr/bin/env bash
# What calls of `redistribute!` cost a crate that has 0, 1, 10 and 100 of them: seconds of `cargo check` and of
# `cargo build --release` for that crate alone, its dependencies built before; the median of REPEATS runs.
# Usage: benches/expansion.sh [REPEATS]
set -euo pipefail

repeats=${1:-5}
root=$(cd "$(dirname "$0")/.." && pwd)
crate=$(mktemp -d)
trap 'rm -rf "$crate"' EXIT

mkdir "$crate/src"
cat > "$crate/Cargo.toml" <<EOF
[package]
name = "calls"
version = "0.0.0"
edition = "2024"
[dependencies]
redist = { path = "$root" }
[workspace]
EOF

# Kinds take turns: kr→r and r→kr unrolled, a general table, two dimensions, a section.
item() {
    local name=$1 block=$((2 * ($1 % 7 + 1)))
    case $((name % 5)) in
        0) echo "pub struct P$name: [f64; 100_000] { from: cyclic($((5 * block))) onto 4, to: cyclic($block) onto 4 }" ;;
        1) echo "pub struct P$name: [f32; 100_000] { from: cyclic($block) onto 16, to: cyclic($((5 * block))) onto 4 }" ;;
        2) echo "pub struct P$name: [f64; 100_000] { from: cyclic(63) onto 4, to: cyclic($((64 + block))) onto 8 }" ;;
        3) echo "pub struct P$name: [f64; 1000, 900] { from: (cyclic(16), cyclic($block)) onto (2, 2), to: (block, *) onto 4 }" ;;
        4) echo "pub struct P$name: [f64; 50, 20] { from: (cyclic(16), cyclic(16)) onto (2, 2) of [128, 64] at [37, 5], to: (*, block) onto 4 }" ;;
    esac
}

source_with() {
    local count=$1
    for ((number = 0; number < count; number++)); do
        echo "redist::redistribute! { $(item "$number") }"
    done > "$crate/src/lib.rs"
}

median() { sort -n | awk '{ line[NR] = $1 } END { print line[int((NR + 1) / 2)] }'; }

seconds() {
    local start end
    for ((run = 0; run < repeats; run++)); do
        touch "$crate/src/lib.rs"
        start=$(date +%s.%N)
        (cd "$crate" && cargo "$@" --quiet)
        end=$(date +%s.%N)
        echo "$start $end" | awk '{ printf "%.3f\n", $2 - $1 }'
    done | median
}

source_with 0
(cd "$crate" && cargo check --quiet && cargo build --release --quiet)
printf '%8s %14s %24s\n' calls 'cargo check' 'cargo build --release'
for count in 0 1 10 100; do
    source_with "$count"
    printf '%8s %13ss %23ss\n' "$count" "$(seconds check)" "$(seconds build --release)"
done
