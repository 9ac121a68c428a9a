#!/usr/bin/env bash
# Puts the headers of ROCm libraries that Debian does not package into a folder, to compile with, not to link:
#   library_headers.sh FOLDER [RELEASE]
# For releases other than Debian's 5.2.3, HIP's own headers too: compile with clang++ -x hip -nogpulib -I FOLDER.
# Headers of the library's own build (versions, export macros) are written as its build would write them.
# $ROCM_GIT is where the repositories are, %s standing for the name: https://github.com/ROCm/%s if not given.
set -euo pipefail

folder=$1
release=${2:-5.2.3}
IFS=. read -r major minor patch <<< "$release"
where=${ROCM_GIT:-https://github.com/ROCm/%s}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"

# cloned REPOSITORY: the repository at the release, without files
cloned() {
    # shellcheck disable=SC2059
    git -c advice.detachedHead=false clone -q --depth 1 --no-checkout --branch "rocm-$release" "$(printf "$where" "$1")" "$work/$1"
}

# take REPOSITORY FROM TO: the folder FROM of the repository becomes TO
take() {
    cloned "$1"
    git -C "$work/$1" checkout -q HEAD -- "$2"
    mkdir -p "$folder/$3"
    if [ -d "$work/$1/$2/$3" ]; then  # with the folder of the installed headers, as newer releases have it
        cp -r "$work/$1/$2/$3/." "$folder/$3"
    else
        cp -r "$work/$1/$2/." "$folder/$3"
    fi
}

# generated TO LIBRARY: what cmake makes of `*version.h*.in` (with the release's number), and an empty export macro
generated() {
    for template in "$folder/$1"/*version.h*.in; do
        [ -e "$template" ] || continue
        sed -e '/^@[A-Za-z_]*@$/d' -e "s/@[A-Za-z_]*VERSION_MAJOR@/$major/; s/@[A-Za-z_]*VERSION_MINOR@/$minor/; s/@[A-Za-z_]*@/${patch:-0}/g" \
            "$template" > "${template%.in}"
    done
    printf '#pragma once\n#define %s_EXPORT\n' "$(tr '[:lower:]' '[:upper:]' <<< "$2")" > "$folder/$1/$2-export.h"
}

# rccl: its header is one of its sources, with the number of the NCCL that it follows
rccl() {
    cloned rccl
    git -C "$work/rccl" checkout -q HEAD -- makefiles/version.mk src/nccl.h.in
    mkdir -p "$folder/rccl"
    sed -n 's/^\(NCCL_[A-Z]*\) *:= *\([0-9]*\).*/s|${\1}|\2|/p; $a s|${NCCL_VERSION}|NCCL_VERSION(NCCL_MAJOR, NCCL_MINOR, NCCL_PATCH)|' \
        "$work/rccl/makefiles/version.mk" > "$work/rccl.sed"
    sed -f "$work/rccl.sed" "$work/rccl/src/nccl.h.in" > "$folder/rccl/rccl.h"
}

rccl
take hipBLAS library/include hipblas
generated hipblas hipblas
take hipFFT library/include hipfft
generated hipfft hipfft
take hipSOLVER library/include hipsolver
generated hipsolver hipsolver
if [ -d "$folder/hipsolver/internal" ]; then generated hipsolver/internal hipsolver; fi
take hipCUB hipcub/include/hipcub hipcub
generated hipcub hipcub
take rocThrust thrust thrust
take roctracer inc roctracer
[ "$release" = 5.2.3 ] && exit 0

take HIP include .
take clr hipamd/include .
cat > "$folder/hip/hip_version.h" <<END
#pragma once
#define HIP_VERSION_MAJOR $major
#define HIP_VERSION_MINOR $minor
#define HIP_VERSION_PATCH 0
#define HIP_VERSION ($major * 10000000 + $minor * 100000)
END
take hipSPARSE library/include hipsparse
generated hipsparse hipsparse
take hipBLASLt library/include hipblaslt
generated hipblaslt hipblaslt
take rocPRIM rocprim/include/rocprim rocprim
generated rocprim rocprim
take rocRAND library/include rocrand
generated rocrand rocrand
take hipRAND library/include hiprand
generated hiprand hiprand
