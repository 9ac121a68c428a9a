"""Exchanges within a warp through shared memory: every kind, on every kind of array, is found, and computes once fixed.

The members of the class are generated. Without barriers each is reported; with a barrier in its place none is; and with
the quick fix each computes on the CPU target what a warp in lockstep computes.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context, Options
from hipport.translate.convert import check_source

Warp = list[int]


def _reduced(warp: Warp) -> Warp:
    """Return the sums of a warp in the places that count: lane 0's, for all lanes."""
    return [sum(warp)] * 32


def _scanned(warp: Warp) -> Warp:
    return list(itertools.accumulate(warp))


KINDS: dict[str, tuple[str, Callable[[Warp], Warp]]] = {
    "next": ("S[I] = v; BARRIER r = S[I + 1];", lambda w: [*w[1:], 0]),
    "other": ("S[I] = v; BARRIER r = I % 2 ? S[I - 1] : S[I + 1];", lambda w: [w[i ^ 1] for i in range(32)]),
    "crossed": ("S[I] = v; BARRIER r = S[I ^ 4];", lambda w: [w[i ^ 4] for i in range(32)]),
    "rotated": ("S[I] = v; BARRIER r = S[(I + 3) % 32];", lambda w: [w[(i + 3) % 32] for i in range(32)]),
    "broadcast": ("S[I] = v; BARRIER r = S[7];", lambda w: [w[7]] * 32),
    "all": ("S[I] = v; BARRIER for (int k = 0; k < 32; ++k) r += S[k];", _reduced),
    "steps": (
        "S[I] = v; S[I + 32] = 0; BARRIER "
        "S[I] += S[I + 16]; BARRIER S[I] += S[I + 8]; BARRIER S[I] += S[I + 4]; BARRIER "
        "S[I] += S[I + 2]; BARRIER S[I] += S[I + 1]; BARRIER r = S[0];",
        _reduced,
    ),
    "loop": (
        "S[I] = v; S[I + 32] = 0; BARRIER for (int d = 16; d > 0; d /= 2) { S[I] += S[I + d]; BARRIER } r = S[0];",
        _reduced,
    ),
    "guarded": (
        "S[I] = v; BARRIER for (int d = 1; d < 32; d *= 2) { int o = 0; if (I >= d) o = S[I - d]; BARRIER "
        "S[I] += o; BARRIER } r = S[I];",
        _scanned,
    ),
}
"""Statements with the array S and the lane I, and what a warp in lockstep computes of its values."""
ARRAYS = {
    "shared": "__shared__ int S_[64]; ",
    "volatile": "volatile __shared__ int S_[64]; ",
    "dynamic": "extern __shared__ int S_[]; ",
    "pointer": "__shared__ int all[64]; int* S_ = all; ",
    "view": "__shared__ int all[64]; volatile int* S_ = all; ",
}
INDICES = {"tid": "const int I_ = threadIdx.x; ", "lane": "const int I_ = threadIdx.x & 31; ", "plain": ""}
KNOWN_MISSES = {("crossed", "helper"), ("rotated", "helper"), ("broadcast", "helper"), ("all", "helper")}
"""A helper's parameter is a lane only where a step from it shows it."""


@dataclass(frozen=True)
class Member:
    """A kernel of one block of a warp; its name tells its kind."""

    name: str
    text: str
    expected: Callable[[Warp], Warp]


def members(barrier: str = "") -> Iterator[Member]:
    """Yield the members of the class, with a barrier in its places if one is given."""
    for (kind, (text, expected)), (array, declared), (index, named) in itertools.product(
        KINDS.items(), ARRAYS.items(), INDICES.items()
    ):
        name = f"{kind}_{array}_{index}"
        body = f"{declared}{named}int v = in[threadIdx.x], r = 0; {text} out[threadIdx.x] = r;"
        lane = "I_" if named else "threadIdx.x"
        kernel = f"__global__ void {name}(const int* in, int* out) {{ {body} }}\n"
        yield Member(name, _filled(kernel, lane, barrier), expected)
    for kind, (text, expected) in KINDS.items():
        for array in ("int*", "volatile int*"):
            name = f"{kind}_{'volatile' if 'volatile' in array else 'plain'}_helper"
            helper = f"__device__ int of_{name}({array} S_, int I_, int v) {{ int r = 0; {text} return r; }}\n"
            call = f"__shared__ int s[64]; out[threadIdx.x] = of_{name}(s, threadIdx.x, in[threadIdx.x]);"
            kernel = f"__global__ void {name}(const int* in, int* out) {{ {call} }}\n"
            yield Member(name, _filled(helper, "I_", barrier) + kernel, expected)


def _filled(text: str, lane: str, barrier: str) -> str:
    text = re.sub(r"\bI\b", lane, re.sub(r"\bS\b", "S_", text))
    return text.replace("BARRIER", barrier)


def context(*, fix: bool = False) -> Context:
    return Context(load_choice(NameChoice(rocm="5.2")), Options(fix=fix))


def found(text: str) -> int:
    checked = check_source(text.encode(), "exchange.cu", context())
    assert not [each for each in checked.diagnostics if each.code == "HP905"]
    return sum(each.code == "HP208" for each in checked.diagnostics)


def named(every: list[Member]) -> set[str]:
    """Return the members in which something is found; all are in one file, one in a line."""
    text = "".join(member.text.replace("\n", " ") + "\n" for member in every)
    checked = check_source(text.encode(), "exchanges.cu", context())
    return {every[each.line - 1].name for each in checked.diagnostics if each.code == "HP208"}


def known_miss(member: Member) -> bool:
    return any(member.name.startswith(kind) and member.name.endswith(where) for kind, where in KNOWN_MISSES)


def test_every_member_is_found() -> None:
    every = list(members())
    assert len(every) > 120
    seen = named(every)
    assert [member.name for member in every if member.name not in seen and not known_miss(member)] == []


@pytest.mark.parametrize(
    "barrier", ["__syncwarp();", "__syncthreads();", "cg::sync(tile);", "SYNC;", "wait_for_all();"]
)
def test_none_with_barriers(barrier: str) -> None:
    assert named(list(members(barrier))) == set()


MAIN = """#include <cstdio>
int main() {
  int *in, *out;
  cudaMallocManaged(&in, 32 * sizeof(int));
  cudaMallocManaged(&out, 32 * sizeof(int));
  for (int i = 0; i < 32; ++i) in[i] = i * i + 3;
CALLS}
"""
CALL = """  NAME<<<1, 32, 256>>>(in, out);
  cudaDeviceSynchronize();
  printf("NAME");
  for (int i = 0; i < 32; ++i) printf(" %d", out[i]);
  printf("\\n");
"""


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [32, 64])
def test_what_is_fixed_computes(lanes: int, tmp_path: Path) -> None:
    every = [replace(member, text=member.text.replace("\n", " ") + "\n") for member in members()]
    lines = check_source("".join(e.text for e in every).encode(), "e.cu", context(fix=True)).data.decode().splitlines()
    kept = [(member, line) for member, line in zip(every, lines, strict=True) if "__syncwarp" in line]
    fixed = {member.name: member for member, _ in kept}
    assert len(fixed) > 90
    text = "".join(f"{line}\n" for _, line in kept)
    text += MAIN.replace("CALLS", "".join(CALL.replace("NAME", name) for name in fixed))
    source = tmp_path / "program.cu"
    source.write_text(text)
    command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", "--wave-size", str(lanes), "-O", "0"]
    done = subprocess.run([*command, str(source), "-o", str(tmp_path / "p")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([tmp_path / "p"], capture_output=True, text=True, timeout=60)
    warp = [i * i + 3 for i in range(32)]
    wrong = []
    for line in ran.stdout.splitlines():
        name, *numbers = line.split()
        wanted = fixed[name].expected(warp)
        last = 31 if name.startswith("next") else 32  # the last lane's neighbor is nobody's
        if [int(number) for number in numbers][:last] != wanted[:last]:
            wrong.append(name)
    assert len(ran.stdout.splitlines()) == len(fixed)
    assert wrong == []


@pytest.mark.parametrize(
    "body",
    [
        "s[t] = 1; s[t] += s[t];",
        "s[t] = 1; int u = t; r = s[u];",
        "for (int i = 0; i < 4; ++i) s[t * 4 + i] = i; for (int j = 0; j < 4; ++j) r += s[4 * t + j];",
        "for (int i = 0; i < 4; ++i) s[t + i * 64] = i; for (int j = 0; j < 4; ++j) r += s[t + j * 64];",
        "for (int i = t; i < 256; i += blockDim.x) s[i] = i; for (int j = t; j < 256; j += blockDim.x) r += s[j];",
        "s[t] = 1; s[t + blockDim.x] = 2; r = s[t + blockDim.x] + s[t];",
        "s[t] = 1; if (t == 0) r = s[0];",
        "s[t] = 1; if (!t) for (int i = 0; i < 4; ++i) r += s[0];",
        "r = s[t + 1]; s[t] = r;",
        "if (t < 16) s[t] = 1; else r = s[t - 16];",
        "int s2[64]; s2[t] = 1; r = s2[t + 1];",
        "out[t] = 1; r = out[t + 1];",
        "s[t] = 1; r = __shfl_sync(~0u, s[t], 3);",
        "s[t] = 1; unknown(); r = s[t + 1];",
        "s[t] = 1; MEET(); r = s[t + 1];",
        's[t] = 1; asm volatile("bar.sync 0;"); r = s[t + 1];',
    ],
)
def test_others_are_not(body: str) -> None:
    declared = "__shared__ int s[256]; const int t = threadIdx.x; int r = 0;"
    kernel = f"__global__ void k(int* out) {{ {declared} {body} out[t] = r; }}"
    assert found(kernel) == 0
