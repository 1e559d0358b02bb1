# Sourced by the scripts beside it: `fill PAGE NAME FILE` replaces what stands between <!-- begin NAME --> and
# <!-- end NAME --> in PAGE by the contents of FILE.
fill() {
    awk -v name="$2" -v file="$3" '
        $0 == "<!-- end " name " -->" { inside = 0 }
        !inside { print }
        $0 == "<!-- begin " name " -->" { inside = found = 1; while ((getline line < file) > 0) print line }
        END { if (!found) exit 1 }
    ' "$1" >"$1.new" || { rm "$1.new"; echo "$1: no markers for $2" >&2; exit 1; }
    mv "$1.new" "$1"
}
