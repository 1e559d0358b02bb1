#!/usr/bin/env bash
# Checks that targets find bugs. Plants the bug of each `planted/*.patch` in a copy of the tree, and runs the
# target of that name until it is found, for at most so many seconds: `fuzz/planted.sh 180`, or `fuzz/planted.sh 180 plan`.
set -euo pipefail
cd "$(dirname "$0")/.."
source fuzz/targets.sh

limit=${1:-180}
targets=("${@:2}")
if [ ${#targets[@]} -eq 0 ]; then targets=("${FUZZ_TARGETS[@]}"); fi
folder=$(realpath -m "${CARGO_TARGET_DIR:-target}")/fuzz
tree=$folder/planted/tree
failed=()
for target in "${targets[@]}"; do
    rm -rf "$tree" "$folder/planted/$target"*
    mkdir -p "$tree"
    git ls-files --cached --others --exclude-standard -z | tar --create --null --files-from=- | tar --extract --touch --directory "$tree"
    patch --quiet --strip=1 --directory "$tree" < "fuzz/planted/$target.patch"
    fuzz_build "$tree" "$folder" "$target"
    began=$(date +%s.%N)
    if fuzz_run "$target" "$limit" "$folder/planted/$target" "$tree/fuzz/seeds/$target"; then
        echo "$target: NOT found in $limit s and $(fuzz_executions "$folder/planted/$target.log") executions"
        failed+=("$target")
    elif ! grep -q 'panicked at' "$folder/planted/$target.log"; then
        echo "$target: could not run: $(tail -1 "$folder/planted/$target.log")"
        failed+=("$target")
    else
        printf '%s: found after %.1f s and %s executions: %s\n' "$target" "$(awk "BEGIN { print $(date +%s.%N) - $began }")" \
            "$(fuzz_executions "$folder/planted/$target.log")" "$(sed -n '/panicked at/{n;p;q}' "$folder/planted/$target.log")"
    fi
done
rm -rf "$tree"
if [ ${#failed[@]} -gt 0 ]; then
    echo "planted bugs that were not found: ${failed[*]}" >&2
    exit 1
fi
