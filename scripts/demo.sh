#!/usr/bin/env bash
# Converts a transformer block from CUDA to HIP, builds it for several gfx targets and looks into what came out; then has
# a small language model generate tokens on the CPU, with the engine's CUDA kernels, converted and built on the way.
# Usage: demo.sh FOLDER TARGETS
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
targets=$2
source=fixtures/programs/transformer_block

show() {
    printf '\n\033[1m$ %s\033[0m\n' "$*"
    "$@"
}

rm -rf "$folder"
mkdir -p "$folder"
show hipport convert "$source" -o "$folder/hip"

mapfile -t sources < <(cd "$folder/hip" && find . -name '*.hip' -o -name '*.cpp' | sort | sed "s|^\./|$folder/hip/|")
show hipport build "${sources[@]}" -I "$folder/hip" -o "$folder/transformer_block" --offload-arch "$targets"
show hipport inspect --demangle "$folder/transformer_block"

printf '\n\033[1m$ %s\033[0m\n' "$folder/transformer_block"
"$folder/transformer_block" || status=$?
[ "${status:-0}" -eq 0 ] || echo "(exit status $status: without an AMD GPU, the HIP runtime says so)"

show hipport llm generate --random-weights tiny --target cpu --max-tokens 32
