"""Programs whose results an NVIDIA GPU has recorded: what they print, and what they print for AMD GPUs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MAIN = """\
template <typename Kernel>
static void show(const char* name, Kernel kernel, dim3 block) {
  unsigned* out;
  cudaMallocManaged(&out, 128 * sizeof(unsigned));
  for (int i = 0; i < 128; ++i) out[i] = 0;
  kernel<<<1, block>>>(out);
  const cudaError_t error = cudaDeviceSynchronize();
  unsigned long long sum = 14695981039346656037ull;
  for (int i = 0; i < 128; ++i) sum = (sum ^ out[i]) * 1099511628211ull;
  printf("%s %016llx %d\\n", name, sum, (int)error);
  if (getenv("SHOW_ALL"))
    for (int i = 0; i < 128; ++i) printf("  %d: %08x\\n", i, out[i]);
  cudaFree(out);
}
"""
"""`show` runs a kernel and prints its name, a hash of what it wrote, and CUDA's status."""

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


def built(source: Path, *options: str) -> Path:
    """Build a program; return it."""
    program = source.with_suffix("")
    command = [sys.executable, "-m", "hipport", "build", str(source), "-o", str(program), "-std", "c++17", *options]
    made = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert made.returncode == 0, made.stderr
    return program


def emulated(program: Path, target: str) -> Results:
    """Return what a program prints on an emulated GPU."""
    command = [sys.executable, "-m", "hipport", "run", "--emulate", target, str(program)]
    return recorded(subprocess.run(command, capture_output=True, text=True, timeout=600).stdout)
