#!/usr/bin/env bash
# Installs the compilers that building for AMD GPUs needs, from Debian's or Ubuntu's packages, where they are missing.
# Usage: install_tools.sh demo|test. Without root or sudo it names the packages and goes on.
set -euo pipefail

# clang-19 knows gfx942 and gfx12xx, which hipcc with clang-15 does not.
packages=(hipcc libamdhip64-dev rocm-device-libs clang-15 llvm-15 lld-15 clang-19 llvm-19 lld-19)
packages+=(libboost-context-dev)  # the CPU target
if [ "${1:-demo}" = test ]; then
    # What tests build with, on the CPU too, what they compare with, and headers to check the tables against.
    packages+=(git patch g++ gdb binutils clang-tools-15 clang-tools-19 libhiprand-dev libhipsparse-dev
        librocrand-dev libopenblas0)
    packages+=(ccache cmake make libclang-common-15-dev)
    packages+=(openmpi-bin libopenmpi-dev mpich libmpich-dev)  # fixtures/mpi
    # Other hosts, and their programs run: half a GB installed.
    packages+=(g++-riscv64-linux-gnu g++-aarch64-linux-gnu qemu-user)
    packages+=(chromium)  # the chat page
    packages+=(slurmctld slurmd slurm-client)  # builds on several machines
fi

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "hipport needs ROCm's compilers here; install the counterparts of: ${missing[*]}" >&2
    exit 0
fi
root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "Missing: ${missing[*]}. Install them with: sudo apt-get install ${missing[*]}" >&2
        exit 1
    fi
    root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
echo "Installing ${missing[*]}"
"${root[@]}" apt-get update -qq
"${root[@]}" apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
