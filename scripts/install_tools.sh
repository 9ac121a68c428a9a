#!/usr/bin/env bash
# Installs the compilers and libraries that hipport builds and tests with, where they are missing, from the system's own
# packages: Debian 12 and newer, Ubuntu 24.04 and newer, Fedora. A ROCm installation in /opt/rocm* is used as it is.
# Usage: install_tools.sh demo|test. Without root or sudo it names the packages and stops.
set -euo pipefail
mode=${1:-demo}

# hipcc brings the clang, the lld and the device libraries that fit it, whatever their release is.
hip_packages=(hipcc libamdhip64-dev)

# The first release of LLVM that knows gfx942, gfx12 and the generic targets.
newer=19

# What tests build with, on the CPU too, what they compare with, and libraries to link converted programs with.
test_packages=(git patch g++ gdb binutils libopenblas0 libdnnl-dev libfftw3-single3 libfftw3-double3
    ccache cmake make libboost-context-dev
    libhiprand-dev libhipsparse-dev librocrand-dev
    openmpi-bin libopenmpi-dev mpich libmpich-dev                    # fixtures/mpi
    g++-riscv64-linux-gnu g++-aarch64-linux-gnu qemu-user            # other hosts, and their programs run: half a GB
    chromium                                                         # the chat page
    slurmctld slurmd slurm-client)                                   # builds on several machines
# Debian 12 does not have these.
test_packages_if_any=(libhipblas-dev libhipcub-dev librocthrust-dev libhipfft-dev libhipsolver-dev
    libmiopen-dev)                                                   # only sid has this one

installed() { [[ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" == *"ok installed" ]]; }
available() { [[ "$(LC_ALL=C apt-cache policy "$1" 2>/dev/null)" == *"Candidate: "[!\(]* ]]; }

# missing PACKAGE...: those that are not installed
missing() { local package; for package in "$@"; do installed "$package" || echo "$package"; done; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

# apt ARGUMENT...: one at a time, as make_environment.sh may install something, too
apt() { as_root flock "$0" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"; }

# update: read the package lists, once
updated=
update() {
    [ -n "$updated" ] || apt update
    updated=yes
}

# install PACKAGE...: install what is missing of them
install() {
    local packages
    mapfile -t packages < <(missing "$@")
    [ ${#packages[@]} -gt 0 ] || return 0
    if ! as_root true 2>/dev/null; then
        echo "Missing: ${packages[*]}. Install them with: sudo apt-get install ${packages[*]}" >&2
        exit 1
    fi
    update
    local package lacking=()
    for package in "${packages[@]}"; do available "$package" || lacking+=("$package"); done
    if [ ${#lacking[@]} -gt 0 ]; then
        echo "This system has no package ${lacking[*]}. Install ROCm from AMD's repository, then run this again:" >&2
        echo "https://rocm.docs.amd.com/projects/install-on-linux/en/latest/" >&2
        exit 1
    fi
    echo "Installing ${packages[*]}"
    apt install -y --no-install-recommends "${packages[@]}" >/dev/null
}

# clang_of PACKAGE: the release of the clang that a package depends on
clang_of() { dpkg-query -W -f='${Depends}' "$1" 2>/dev/null | tr ',' '\n' | sed -n 's/^ *clang-\([0-9][0-9]*\).*/\1/p'; }

# newer_clang: the release of a clang of at least $newer that is installed, else of the oldest that can be
newer_clang() {
    local release
    for release in $(seq "$newer" 30); do installed "clang-$release" && { echo "$release"; return; }; done
    update
    for release in $(seq "$newer" 30); do available "clang-$release" && { echo "$release"; return; }; done
}

# clang_packages RELEASE: what of an LLVM is needed
clang_packages() {
    echo "clang-$1" "llvm-$1" "lld-$1"
    [ "$mode" = demo ] || echo "clang-tools-$1" "libclang-common-$1-dev"
}

# Headers of libraries that Debian 12 has too old or not at all, from Debian 13: packages for every machine, not installed
# but unpacked below build/, where tests find them.
newer_suite=trixie
newer_headers=(librocprim-dev libhipcub-dev librocthrust-dev)

# unpack_newer_headers: where this is Debian 12 and its mirror has Debian 13, too; otherwise say why not
unpack_newer_headers() {
    local folder state uri options package
    folder=$(dirname "$0")/../build/hip-libraries
    [ "$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" = bookworm ] || return 0
    [ ! -d "$folder/usr/include/thrust" ] || return 0
    uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
    state=$(mktemp -d)
    mkdir -p "$state/lists/partial" "$state/packages" "$folder"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $newer_suite main" >"$state/sources.list"
    options=(-o "Dir::Etc::SourceList=$state/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Acquire::Languages=none
        -o "Dir::State::Lists=$state/lists" -o "Dir::Cache=$state" -o APT::Sandbox::User=root)
    if apt-get -qq "${options[@]}" update && (cd "$state/packages" && apt-get -qq "${options[@]}" download "${newer_headers[@]}")
    then
        for package in "$state"/packages/*.deb; do dpkg-deb -x "$package" "$folder"; done
    else
        echo "Thrust and CUB will not be tested: the mirror $uri has no ${newer_headers[*]} of $newer_suite" >&2
    fi
    rm -rf "$state"
}

with_apt() {
    local own='' release wanted=()
    if ! compgen -G '/opt/rocm*/bin/hipcc' >/dev/null; then
        install "${hip_packages[@]}"
        own=$(clang_of hipcc)
        if [ "${own:-0}" -lt "$newer" ]; then release=$(newer_clang); fi
    fi
    for release in $own ${release:-}; do
        # shellcheck disable=SC2207
        wanted+=($(clang_packages "$release"))
    done
    if [ "$mode" = test ]; then
        wanted+=("${test_packages[@]}")
        local package
        for package in $(missing "${test_packages_if_any[@]}"); do
            if available "$package"; then wanted+=("$package"); fi
        done
    fi
    install "${wanted[@]}"
    [ "$mode" != test ] || unpack_newer_headers
}

with_dnf() {
    local packages=(hipcc rocm-hip-devel rocm-device-libs rocminfo clang lld llvm clang-tools-extra)
    [ "$mode" = demo ] || packages+=(git patch gcc-c++ gdb binutils ccache cmake make openblas onednn-devel fftw-libs-single
        fftw-libs-double openmpi-devel
        mpich-devel hiprand-devel hipsparse-devel rocrand-devel hipblas-devel hipcub-devel rocthrust-devel hipfft-devel
        hipsolver-devel gcc-c++-riscv64-linux-gnu gcc-c++-aarch64-linux-gnu qemu-user chromium slurm-slurmctld
        slurm-slurmd slurm)
    rpm -q "${packages[@]}" >/dev/null 2>&1 || as_root dnf install -q -y --skip-unavailable "${packages[@]}"
}

if command -v apt-get >/dev/null; then
    with_apt
elif command -v dnf >/dev/null; then
    with_dnf
elif ! compgen -G '/opt/rocm*/bin/hipcc' >/dev/null && ! command -v hipcc >/dev/null; then
    echo "hipport needs ROCm's compiler and HIP's headers and runtime: the counterparts of ${hip_packages[*]}" >&2
fi
