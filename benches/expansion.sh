#!/usr/bin/env bash
# Measures the cost of calls of `redistribute!`: seconds of processors for `cargo check` and `cargo build --release` of that crate
# alone, its dependencies built before; the median of REPEATS runs.
# Usage: benches/expansion.sh [calls|ranks|tiers|code|items|size]... (all of them by default); REPEATS=5 benches/expansion.sh
# ROOT=FOLDER measures the library of another tree, and USER_ONLY=1 leaves the system's time out.
set -euo pipefail
source "$(dirname "$0")/expansion/crate.sh"
source "$(dirname "$0")/expansion/items.sh"

# By the number of calls, of all tiers.
calls() {
    heading 'calls, mixed tiers' calls
    for count in 0 1 10 100; do
        calls_of mixed "$count" "2, 2" > "$crate/src/lib.rs"
        row "$count" "$count"
    done
}

# By the tier of 100 calls. Nothing is called, so that only what the macro emits is compiled.
tiers() {
    heading '100 calls of one tier' tier
    for tier in literal constant generic parameter value; do
        calls_of "$tier" 100 "2, 2" > "$crate/src/lib.rs"
        row "$tier" 100
    done
}

# Calls whose code for the blocks is compiled, for packing, unpacking and copies between arrays, with all instructions: of runs
# of 8 bytes and more, and of short ones, too. And the same without that code.
code() {
    heading 'calls with the code for their blocks' calls
    code_of 20 "" f64 > "$crate/src/lib.rs"
    row f64 20
    code_of 20 "" f32 f64 u8 u16 > "$crate/src/lib.rs"
    row mixed 20
    code_of 20 "unroll: 0," f32 f64 u8 u16 > "$crate/src/lib.rs"
    row "unroll: 0" 20
}

# Calls of 89 items, each by itself: the cheapest, the median, and the dearest to check, and to build.
items() {
    local item
    heading '4 calls of each of 89 items: cargo check, cargo build --release' item > /dev/null
    while read -r item; do
        copies_of "$item" 4 > "$crate/src/lib.rs"
        echo "$(seconds check) $(seconds build --release) $item"
    done < <(of_all_classes) | awk -v check="$empty_check" -v build="$empty_build" \
        '{ $1 = sprintf("%.1f", ($1 - check) * 250); $2 = sprintf("%.1f", ($2 - build) * 250); print }' > "$crate/items"
    printf '\n89 items, ms a call: least, median, most\n'
    for column in 1 2; do
        awk -v column=$column '{ print $column }' "$crate/items" | sort -n | awk -v name="$([ $column = 1 ] && echo check || echo build)" \
            '{ line[NR] = $1 } END { printf "%10s %s, %s, %s of %d\n", name, line[1], line[int((NR + 1) / 2)], line[NR], NR }'
    done
    sort -k2 -n "$crate/items"
}

# By the number of ranks in each grid of 100 calls: nothing should grow.
ranks() {
    heading '100 calls, mixed tiers, by grid' ranks
    for grid in "2, 2" "8, 8" "64, 64" "1000, 1000"; do
        calls_of mixed 100 "$grid" > "$crate/src/lib.rs"
        row "$((${grid/,/*}))" 100
    done
}

# Bytes of stripped programs with one item, more than of a program without the library.
size() {
    printf '\none item, cargo build --release, stripped: bytes, and more than without the library\n'
    echo "pub fn nothing() {}" > "$crate/src/lib.rs"
    echo "fn main() {}" > "$crate/src/main.rs"
    without=$(bytes)
    for grid in 4 1000000; do
        program "packs, $grid ranks" < <(packs literal "$grid")
        program "packs, $grid ranks, by a constant" < <(packs constant "$grid")
    done
    program "moves between threads" < <(moves threads)
    program "README's example" < <(sed -n '/^```rust/,/^```/p' "$root/README.md" | sed '/^```/d')
    program "moves between MPI ranks" --features mpi < <(moves mpi)
    rm "$crate/src/main.rs"
}

for table in "${@:-calls tiers code ranks size}"; do
    # Without quotes, so that the default is five words.
    for name in $table; do "$name"; done
done
