"""Programs whose results an NVIDIA GPU has recorded: what they print, and what they print for AMD GPUs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MAIN = """\
template <typename Word, typename Kernel, typename... Arguments>
static Word* results(cudaError_t& error, Kernel kernel, dim3 block, int words, dim3 grid, Arguments... arguments) {
  Word* out;
  cudaMallocManaged(&out, words * sizeof(Word));
  for (int i = 0; i < words; ++i) out[i] = 0;
  kernel<<<grid, block>>>(out, arguments...);
  error = cudaDeviceSynchronize();
  return out;
}
template <typename Word = unsigned, typename Kernel, typename... Arguments>
static void show(const char* name, Kernel kernel, dim3 block, int words = 128, dim3 grid = 1, Arguments... arguments) {
  cudaError_t error;
  Word* out = results<Word>(error, kernel, block, words, grid, arguments...);
  unsigned long long sum = 14695981039346656037ull;
  for (int i = 0; i < words; ++i) sum = (sum ^ out[i]) * 1099511628211ull;
  printf("%s %016llx %d\\n", name, sum, (int)error);
  if (getenv("SHOW_ALL"))
    for (int i = 0; i < words; ++i) printf("  %d: %0*llx\\n", i, (int)(2 * sizeof(Word)), (unsigned long long)out[i]);
  cudaFree(out);
}
template <typename Word = unsigned, typename Kernel, typename... Arguments>
static void list(const char* name, Kernel kernel, dim3 block, int words, dim3 grid = 1, Arguments... arguments) {
  cudaError_t error;
  Word* out = results<Word>(error, kernel, block, words, grid, arguments...);
  printf("%s", name);
  for (int i = 0; i < words; ++i) printf(" %llx", (unsigned long long)out[i]);
  printf(" %d\\n", (int)error);
  cudaFree(out);
}
"""
"""`show` runs a kernel and prints its name, a hash of what it wrote, and CUDA's status; `list` prints all of it."""

Results = dict[int, dict[int, str]]
"""Hashes and statuses by seed and number of the kernel."""


def recorded(printed: str) -> Results:
    """Return the hashes and statuses that programs have printed, by seed and number of the kernel."""
    found: Results = {}
    for line in printed.splitlines():
        name, _, result = line.partition(" ")
        seed, number = map(int, name.split("."))
        found.setdefault(seed, {})[number] = result
    return found


class NotBuiltError(AssertionError):
    """A program does not translate or build; the text is what `hipport build` says."""


def built(source: Path, *options: str) -> Path:
    """Build a program; return it."""
    program = source.with_suffix("")
    command = [sys.executable, "-m", "hipport", "build", str(source), "-o", str(program), "-std", "c++17", *options]
    made = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if made.returncode:
        raise NotBuiltError(made.stderr)
    return program


def emulated(program: Path, target: str, **environment: str) -> Results:
    """Return what a program prints on an emulated GPU."""
    command = [sys.executable, "-m", "hipport", "run", "--emulate", target, str(program)]
    variables = {**os.environ, **environment}
    return recorded(subprocess.run(command, capture_output=True, text=True, timeout=600, env=variables).stdout)
