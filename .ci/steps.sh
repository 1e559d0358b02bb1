# To be sourced: what the scripts beside this share.

# Names the step that begins, and tells how long the one before took.
step() {
    end_step
    step_began=$SECONDS
    printf '\n== %s\n' "$*"
}

end_step() {
    if [ -n "${step_began:-}" ]; then printf '== took %d s\n' $((SECONDS - step_began)); fi
    step_began=
}
trap end_step EXIT

# Sets the seed of all that is drawn: from the commit's hash, so that each commit plays other cases, and the same ones again.
draw_by_commit() {
    local commit
    commit=$(git rev-parse --short=8 HEAD 2> /dev/null || echo 1)
    export REDIST_TEST_SEED=${REDIST_TEST_SEED:-$((16#$commit))}
    export REDIST_MPI_SEED=${REDIST_MPI_SEED:-$REDIST_TEST_SEED}
    echo "drawn by seed $REDIST_TEST_SEED; REDIST_TEST_SEED=$REDIST_TEST_SEED plays the same again"
}

is_installed() { dpkg-query --show --showformat '${Status}' "$1" 2> /dev/null | grep -q 'ok installed'; }

# Installs those of Debian's or Ubuntu's packages that are missing; `otherwise` says what to do where that is not possible.
install_missing() {
    local otherwise=$1 missing=() package sudo
    shift
    if ! command -v apt-get > /dev/null; then
        echo "no apt-get: $otherwise" >&2
        return 1
    fi
    for package in "$@"; do is_installed "$package" || missing+=("$package"); done
    if [ ${#missing[@]} -gt 0 ]; then
        sudo=$([ "$(id -u)" -eq 0 ] || echo sudo)
        $sudo apt-get update -qq
        DEBIAN_FRONTEND=noninteractive $sudo apt-get install -qq --yes "${missing[@]}"
    fi
}

# needs_no_mpi FILE…: fails where the loader would load an MPI library for one of these, and shows what it does load.
needs_no_mpi() {
    local file needed
    for file in "$@"; do
        needed=$(readelf --dynamic --wide "$file" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | tr '\n' ' ')
        echo "$(basename "$file") needs $needed"
        if [[ -z $needed || $needed == *mpi* ]]; then
            echo "$file names an MPI library, or is no library" >&2
            return 1
        fi
    done
}
