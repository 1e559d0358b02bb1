#!/usr/bin/env bash
# Times `redist convert` on 1, 2 and 4 ranks of one machine, each with one thread, and in one process with one thread.
#
#   cargo build --release --features cli && bash benches/ranks.sh [openmpi|mpich] [mebibytes]
#
# Rows of 4 ranks become tiles on 6, in one array, and in 64. Files are in the page cache. Median seconds of the work, as rank 0 tells
# them without the launch, of RUNS runs (9) in shuffled order, nothing of which waits for the disk.
set -euo pipefail
mpi=${1:-openmpi}
side=$(echo "sqrt(${2:-512} * 131072)" | bc)
side=$((side / 64 * 64))
redist=$(realpath "${REDIST:-${CARGO_TARGET_DIR:-target}/release/redist}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
for rank in 0 1 2 3; do head -c $((side * side * 2)) /dev/urandom > "in.$rank"; done
defaults='[defaults]\nelement = "f64"\nfrom = "(block, *) onto 4"\nto = "(cyclic(64), cyclic(64)) onto (2, 3)"\n'
printf "$defaults"'[[array]]\nname = "a"\nextents = [%d, %d]\nin = "in.{rank}"\nout = "out/{rank}"\n' "$side" "$side" > one.toml
{
    printf "$defaults"
    for number in $(seq 64); do
        printf '[[array]]\nname = "a%d"\nextents = [%d, %d]\nin = "many.{rank}"\nout = "out/{name}.{rank}"\n' "$number" $((side / 8)) $((side / 8))
    done
} > many.toml
for rank in 0 1 2 3; do head -c $((side * side / 32)) /dev/urandom > "many.$rank"; done

declare -A seconds
for _ in $(seq "${RUNS:-9}"); do
    for case in $(printf '%s\n' {one,many}' '{0,1,2,4} | tr ' ' '-' | shuf); do
        manifest=${case%-*} ranks=${case#*-} launcher=()
        if [ "$ranks" -gt 0 ]; then launcher=("mpiexec.$mpi" -n "$ranks"); fi
        rm -rf out && mkdir out && sync -f .
        told=$("${launcher[@]}" "$redist" convert "$manifest.toml" --threads 1 --no-sync --json)
        seconds[$case]+="$(sed -nE 's/.*"seconds":([0-9.]+).*/\1/p' <<< "$told") "
    done
done
for case in {one,many}-{0,1,2,4}; do
    tr ' ' '\n' <<< "${seconds[$case]}" | grep . | sort -n | awk -v of="${case%-*}" -v ranks="${case#*-}" '
        { value[NR] = $1 }
        END { printf "%-5s %s %.3f s\n", of, ranks ? ranks " ranks:" : "a process:", value[int((NR + 1) / 2)] }'
done
