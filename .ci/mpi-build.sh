# To be sourced after steps.sh, in the root of the project: the builds that all scripts share, so that nothing is built
# twice, and draws.

top=$PWD

# Nobody steps through what is built here, and without line tables it is built sooner.
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_BUILD_OVERRIDE_DEBUG=0

# Containers run as root, with fewer cores than ranks, which then must not spin.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Open MPI 4.1's launchers make one folder for all sessions of a user on a node, and remove it while it is empty. Two launchers that do so at
# a time fail now and then ("File exists"). A folder in it keeps it.
node=$(uname -n)
for node in "${node%%.*}" rnode1 rnode2 rnode3 rnode4; do mkdir -p "${TMPDIR:-/tmp}/ompi.$node.$(id -u)/kept"; done

# Installs the packages that this build and the scripts of the doors need, all at once.
install_mpi() {
    install_missing "install both MPI libraries, ScaLAPACK for Open MPI, compilers and libclang; see docs/mpi.md" \
        binutils gcc g++ gfortran libc6-dev libclang-dev make cmake pkg-config valgrind \
        openmpi-bin libopenmpi-dev libscalapack-openmpi-dev libscalapack-mpich-dev scalapack-mpi-test mpich libmpich-dev \
        iproute2 util-linux
}

# The outputs of the build. The crate `mpi` and Debian's ScaLAPACK are for Open MPI, so that one is named.
mpi_target() { echo "$top/target/mpi-$1"; }

# Prints the packages to build, all of the workspace, and their features. Packages without the crate `mpi` and ScaLAPACK find their MPI
# library when they run, and are played over each.
mpi_packages() {
    local features=redist-mpi-tests/mpi,redist-mpi-tests/rsmpi,redist-examples/mpi,redist-examples/fft,redist/cli
    features+=,redist-moves/mpi,redist-peers/peers,redist-study/links,redist-scalapack/library
    echo --workspace "--features=$features,redist/mpi,redist/bytemuck,redist/half,redist/ndarray,redist/num-complex,redist/serde"
}

# mpi_cargo MPI COMMAND ARGUMENT…: arguments choose targets (`--lib`, `--test NAME`), never packages. Cargo unifies the
# features of all packages that it is given; with another list it compiles redist-runtime again.
mpi_cargo() {
    local mpi=$1 command=$2
    shift 2
    MPICC=mpicc.$mpi CARGO_TARGET_DIR=$(mpi_target "$mpi") cargo "$command" $(mpi_packages) "$@"
}

# mpi_build MPI ARGUMENT…: builds with an example, because features of dev-dependencies count only where one is built.
mpi_build() {
    local mpi=$1
    shift
    mpi_cargo "$mpi" build --example tiles_to_columns "$@"
}

# The examples that `.ci/mpi` launches.
mpi_programs=()
for example in tiles_to_columns producer consumer strips fft; do mpi_programs+=(--example "$example"); done

# ranks MPI COUNT PROGRAM ARGUMENT…
ranks() {
    local mpi=$1 count=$2 more=()
    shift 2
    if [ "$mpi" = openmpi ]; then more=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1); fi
    timeout 300 "mpiexec.$mpi" "${more[@]}" -n "$count" "$@"
}

# play_quick_or_all ARGUMENT: sets `how`. `quick` plays a fixed part, and of the rest what REDIST_TEST_SEED draws; `all` plays
# everything.
play_quick_or_all() {
    how=$1
    case $how in
        quick) draw_by_commit ;;
        all) draw_by_commit && export REDIST_TEST_ALL=1 ;;
        *) echo "usage: $0 [quick | all]" >&2 && return 2 ;;
    esac
}

# draw COUNT ITEM…: prints that many of the items, or all of them where all are played.
draw() {
    local count=$1 item
    shift
    if [ "$how" = all ]; then
        printf '%s\n' "$@"
        return
    fi
    for item in "$@"; do printf '%s %s\n' "$(sha256sum <<< "$REDIST_TEST_SEED $item")" "$item"; done |
        LC_ALL=C sort | sed -n "1,${count}s/^[0-9a-f]*  - //p"
}
