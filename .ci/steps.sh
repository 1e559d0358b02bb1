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
