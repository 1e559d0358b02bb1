#!/usr/bin/env bash
# Times `redist convert` beside `cp` of the same bytes on the same file system.
#
#   cargo build --release --features cli && bash benches/convert.sh [folder] [mebibytes]
#
# Rows on 4 ranks become tiles on 6, and then columns. The files are in the page cache; what was written
# before is on the disk when a run begins. Minimum and median of RUNS runs (5), `cp` and `convert` in turn; the
# same with files on the disk when the time ends (`cp` with `sync`).
set -euo pipefail
root=${1:-$(mktemp -d)}
side=$(echo "sqrt(${2:-512} * 131072)" | bc)
side=$((side / 64 * 64))
redist=${REDIST:-${CARGO_TARGET_DIR:-target}/release/redist}
work=$(mktemp -d "$root/redist-convert.XXXXXX")
trap 'rm -rf "$work"' EXIT
for rank in 0 1 2 3; do head -c $((side * side * 2)) /dev/urandom > "$work/in.$rank"; done

declare -A seconds
# time NAME COMMAND...: one run, into an empty folder.
timed() {
    local name=$1; shift
    rm -rf "$work/out"; mkdir "$work/out"; sync -f "$work"
    local start=$EPOCHREALTIME
    "$@" > /dev/null
    seconds[$name]+="$(echo "$EPOCHREALTIME - $start" | bc) "
}
copied() { cp "$work"/in.? "$work/out/"; }
copied_and_synced() { copied; sync "$work"/out/*; }
converted() {
    local to=$1; shift
    "$redist" convert "[f64; $side, $side] { from: (block, *) onto 4, to: $to }" \
        --in "$work/in.{rank}" --out "$work/out/out.{rank}.npy" "$@"
}
tiles='(cyclic(64), cyclic(64)) onto (2, 3)'
columns='(*, block) onto 6 storage fortran'
for _ in $(seq "${RUNS:-5}"); do
    timed 'cp' copied
    timed 'tiles' converted "$tiles" --no-sync
    timed 'tiles, 8 MiB of memory' converted "$tiles" --no-sync --memory 8MiB
    timed 'tiles, one thread' converted "$tiles" --no-sync --threads 1
    timed 'columns' converted "$columns" --no-sync
    timed 'cp, synced' copied_and_synced
    timed 'tiles, synced' converted "$tiles"
done
for name in 'cp' 'tiles' 'tiles, 8 MiB of memory' 'tiles, one thread' 'columns' 'cp, synced' 'tiles, synced'; do
    echo "${seconds[$name]}" | tr ' ' '\n' | grep . | sort -n | awk -v name="$name" '
        { value[NR] = $1 } END { printf "%-24s minimum %.3f s, median %.3f s\n", name, value[1], value[int((NR + 1) / 2)] }'
done
