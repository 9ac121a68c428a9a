"""The device's Bessel functions of whole orders agree with the C library's."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hipport.support import include_dir

PROGRAM = r"""
#include <cmath>
#include <cstdio>
#define HIPPORT_COMPAT inline
#include "hipport/compat/bessel.h"
static int wrong;
static void close_to(const char* name, int n, double x, double got, double wanted) {
  if (got == wanted || std::fabs(got - wanted) <= 1e-11 * std::fabs(wanted) + 1e-13) return;
  ++wrong;
  std::printf("%s(%d, %g) is %g, not %g\n", name, n, x, got, wanted);
}
int main() {
  const double numbers[] = {0, 1e-3, 0.1, 0.5, 1, 2.5, 5, 9.9, 10, 17.3, 30, 100, INFINITY};
  for (int n = 0; n < 40; ++n) {
    for (double x : numbers) {
      close_to("jn", n, x, hipport::compat::jn(n, x), ::jn(n, x));
      close_to("jn", n, -x, hipport::compat::jn(n, -x), ::jn(n, -x));
      close_to("yn", n, x, hipport::compat::yn(n, x), ::yn(n, x));
    }
  }
  const bool special = std::isnan(hipport::compat::jn(-1, 2.0)) && std::isnan(hipport::compat::yn(2, -1.0));
  return wrong != 0 || !special;
}
"""


def test_orders_and_limits(tmp_path: Path) -> None:
    source, program = tmp_path / "bessel.cpp", tmp_path / "bessel"
    source.write_text(PROGRAM)
    command = [
        "g++",
        "-std=c++17",
        "-w",
        "-D__HIP_DEVICE_COMPILE__",
        f"-I{include_dir()}",
        str(source),
        "-o",
        str(program),
    ]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
