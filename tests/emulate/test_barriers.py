"""Split and named barriers of gfx1201."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.instructions.machine import M0, Machine, State
from scripts.instructions.tables import instructions
from tests.cli.test_build import built
from tests.emulate.conftest import emulated

pytestmark = pytest.mark.toolchain

# Two wavefronts each join a barrier, and read what the other one has written.
PAIRS = """\
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void pairs(int *to) {
  __shared__ int numbers[4];
#ifdef __HIP_DEVICE_COMPILE__
  const int wave = __builtin_amdgcn_readfirstlane(int(threadIdx.x) / 32);
  if (wave == 0) asm volatile("s_mov_b32 m0, 0x20000\\n s_barrier_init 1\\n s_barrier_init 2");
  __syncthreads();
  if (wave < 2)
    asm volatile("s_barrier_join 1");
  else
    asm volatile("s_barrier_join 2");
  numbers[wave] = wave + 1;
  asm volatile("s_wait_dscnt 0x0" ::: "memory");
  if (wave < 2)
    asm volatile("s_barrier_signal 1\\n s_barrier_wait 1" ::: "memory");
  else
    asm volatile("s_barrier_signal 2\\n s_barrier_wait 1" ::: "memory");
  to[threadIdx.x] = numbers[wave ^ 1];
#endif
}
int main() {
  int to[128], *p = nullptr;
  if (hipMalloc(reinterpret_cast<void **>(&p), sizeof to)) return 2;
  pairs<<<1, 128>>>(p);
  if (hipMemcpy(to, p, sizeof to, hipMemcpyDeviceToHost)) return 2;
  std::printf("%d %d %d %d\\n", to[0], to[32], to[64], to[96]);
}
"""


def code(*names: tuple[str, dict[str, int]]) -> bytes:
    by_name = {one.name: one for one in instructions("gfx1201")}
    return b"".join(by_name[name].encoded(fields) for name, fields in names)


def test_a_wavefront_joins_a_barrier(machine: Machine) -> None:
    one = {"ssrc0": 128 + 1}
    state = State(32)
    state.scalars[M0] = 1 << 16  # one member
    start = (("s_barrier_init", one), ("s_barrier_join", one))
    ask = ("s_get_barrier_state", {"sdst": 20, **one})
    rest = (("s_barrier_signal_isfirst", one), ("s_barrier_wait", {"simm16": 1}))
    machine.execute("gfx1201", code(*start, ask, *rest), state)
    assert state.scalars[20] == 1 << 4 | 1
    assert state.scc == 1
    machine.execute("gfx1201", code(*start, *rest, ("s_barrier_leave", {}), ask), state)
    assert (state.scalars[20], state.scc) == (0, 1)


def test_the_first_arrival_is_told(machine: Machine) -> None:
    usual = {"ssrc0": 193}  # -1
    state = State(32)
    machine.execute("gfx1201", code(("s_barrier_signal_isfirst", usual)), state)
    assert state.scc == 1
    machine.execute("gfx1201", code(("s_barrier_signal", usual), ("s_barrier_signal_isfirst", usual)), state)
    assert state.scc == 0


@pytest.mark.slow
def test_wavefronts_wait_for_the_members_of_their_barrier(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.hip").write_text(PAIRS)
    built("--offload-arch", "gfx1201", "-o", "pairs", "pairs.hip", cwd=tmp_path)
    done = emulated("--emulate", "gfx1201", str(tmp_path / "pairs"), cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout) == (0, "2 1 4 3\n"), done.stderr
