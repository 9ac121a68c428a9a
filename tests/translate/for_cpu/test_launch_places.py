"""Launches where the CPU target's macro does not fit: operands, default arguments, brackets from several macros."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
#include <cstdio>
#include <type_traits>
#include <utility>
__global__ void add(int* p, int v) { *p += v; }
template <class T> __global__ void sum(T* p, T v) { *p += v; }
static int* P;
int* memory() {
  if (!P) cudaMallocManaged(&P, sizeof(int)), *P = 0;
  return P;
}
#define OPEN <<<
#define CLOSE >>>
#define GO <<<dim3(1), dim3(1)
#define WITH(stream) , 0, stream>>>
#define BEGIN_LAUNCH(name) name<<<
#define END_LAUNCH(...) >>>(__VA_ARGS__)
#define FRONT(kernel) kernel<<<1
#define BACK , 1>>>
int in_default(int x = (add<<<1, 1>>>(memory(), 1), 5)) { return x; }
struct Two {
  int first;
  Two(int a = (sum<int><<<1, 1>>>(memory(), 10), 3)) : first(a) {}
  int second = (add<<<1, 1>>>(memory(), 100), 4);
  void launch() noexcept(noexcept(add<<<1, 1>>>(memory(), 1))) { add<<<1, 1>>>(memory(), 1000); }
};
typedef decltype(add<<<1, 1>>>(P, 1)) Nothing;
template <class T = decltype(sum<int><<<1, 1>>>(P, 1))> constexpr bool is_void = std::is_void<T>::value;

int main() {
  Two two;
  const int five = in_default();
  two.launch();
  add OPEN 1, 1 CLOSE (P, 10000);
  sum<int> GO WITH(nullptr) (P, 100000);
  BEGIN_LAUNCH((sum<int>)) 1, 1 END_LAUNCH(P, 1000000);
  FRONT(sum<int>) BACK (P, 10000000);
  cudaDeviceSynchronize();
  static_assert(noexcept(add<<<1, 1>>>(P, 1)) || true, "");
  const bool right = five == 5 && two.first == 3 && two.second == 4;
  printf("%d %d %d\\n", *P, right, is_void<> && is_void<Nothing>);
}
"""


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("target", ["cpu", "gfx90a"])
def test_launches(target: str, tmp_path: Path) -> None:
    source, program = tmp_path / "launches.cu", tmp_path / "launches"
    source.write_text(PROGRAM)
    where = ("--target", "cpu", "-O", "0") if target == "cpu" else ("--offload-arch", target)
    hipport = (sys.executable, "-m", "hipport")
    subprocess.run([*hipport, "build", *where, str(source), "-o", str(program)], check=True, capture_output=True)
    run = (str(program),) if target == "cpu" else (*hipport, "run", "--emulate", target, str(program))
    assert subprocess.run(run, check=True, capture_output=True, text=True).stdout == "11111111 1 1\n"
