#!/usr/bin/env bash
# Ports a transformer block from CUDA to AMD GPUs before the reader's eyes: translates, builds and inspects it, runs its
# machine code, and has a small language model generate tokens on the CPU with the engine's CUDA kernels.
# Usage: demo.sh FOLDER TARGETS
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
targets=$2
source=fixtures/programs/transformer_block
program=$folder/transformer_block

step() { # TITLE COMMAND...
    printf '\n\033[1m%s\033[0m\n' "$1"
    shift
    printf '$ %s\n' "$*"
    "$@"
}

rm -rf "$folder"
mkdir -p "$folder"
step "1. Translate a transformer block (CUDA, 30 sources) to HIP" hipport convert "$source" -o "$folder/hip"

mapfile -t sources < <(cd "$folder/hip" && find . -name '*.hip' -o -name '*.cpp' | sort | sed "s|^\./|$folder/hip/|")
printf '\n\033[1m2. Build it for %s, in one file\033[0m\n' "${targets//,/, }"
echo "\$ hipport build -q $folder/hip/**/*.{hip,cpp} -I $folder/hip -o $program --offload-arch $targets"
hipport build -q "${sources[@]}" -I "$folder/hip" -o "$program" --offload-arch "$targets"

printf '\n\033[1m3. Look into the file: registers, local memory and occupancy of a kernel for each GPU\033[0m\n'
echo "\$ hipport inspect --demangle $program | grep -e VGPR -e attention_v2 -e 'host code'"
hipport inspect --demangle "$program" | grep -e VGPR -e attention_v2 -e 'host code'

printf '\n\033[1m4. Run its machine code for an MI200 on this processor; it compares all kernels with references\033[0m\n'
echo "\$ hipport run --emulate gfx90a $program | tail -7"
hipport run --emulate gfx90a "$program" | tail -7

step "5. Generate text (here: numbers of made-up words) with the engine for language models, on the CPU" \
    hipport llm generate --random-weights tiny --target cpu --max-tokens 32

cat <<END

What you saw: CUDA sources became HIP ($folder/hip), one file with code for ${targets//,/, } ($program),
whose kernels computed the right results as AMD machine code, without an AMD GPU.

Next, with sources of your own:
  hipport check TREE              what HIP lacks, and what behaves differently on AMD GPUs
  hipport convert TREE -o OUT     the translation; OUT builds with CMake, make or setup.py
  hipport verify PROGRAM.cu       original and port print the same
  hipport doctor                  what this machine lacks for all that
END
