"""Leading dimensions, sizes and distances that hipBLAS refuses: one call for each argument of each function."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.cpu_blas import ROUTINES, Function, definitions
from tests.cpu.conftest import Builder

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

_HEAD = """#include <hipblas/hipblas.h>
#include <cstdio>
static hipblasHandle_t h;
static int wrong;
static void expect(hipblasStatus_t got, bool is_valid, const char* call) {
  if ((got == HIPBLAS_STATUS_SUCCESS) == is_valid && (is_valid || got == HIPBLAS_STATUS_INVALID_VALUE)) return;
  ++wrong;
  std::printf("%d from %s\\n", int(got), call);
}
#define EXPECT(is_valid, ...) expect(__VA_ARGS__, is_valid, #__VA_ARGS__)
alignas(16) static char data[4096];
static void* list[4] = {data, data, data, data};
template <typename T> static T as(void* pointer) { return reinterpret_cast<T>(pointer); }
int main() {
  hipblasCreate(&h);
"""
_ENUMS = {
    "side": "HIPBLAS_SIDE_LEFT",
    "uplo": "HIPBLAS_FILL_MODE_LOWER",
    "trans": "HIPBLAS_OP_N",
    "diag": "HIPBLAS_DIAG_NON_UNIT",
}
_BY_HAND = {
    "hipblasSgemm": ("HIPBLAS_OP_N, HIPBLAS_OP_T, 3, 4, 2, F, F, {}, F, {}, F, F, {}", (3, 4, 3)),
    "hipblasDgemm": ("HIPBLAS_OP_T, HIPBLAS_OP_N, 3, 4, 2, D, D, {}, D, {}, D, D, {}", (2, 2, 3)),
    "hipblasSgemv": ("HIPBLAS_OP_T, 3, 2, F, F, {}, F, 1, F, F, 1", (3,)),
    "hipblasSgeam": ("HIPBLAS_OP_T, HIPBLAS_OP_N, 3, 2, F, F, {}, F, F, {}, F, {}", (2, 3, 3)),
    "hipblasSger": ("3, 2, F, F, 1, F, 1, F, {}", (3,)),
    "hipblasStrsm": (
        "HIPBLAS_SIDE_RIGHT, HIPBLAS_FILL_MODE_LOWER, HIPBLAS_OP_N, HIPBLAS_DIAG_UNIT, 2, 3, F, F, {}, F, {}",
        (3, 2),
    ),
    "hipblasSsyrk": ("HIPBLAS_FILL_MODE_LOWER, HIPBLAS_OP_T, 3, 2, F, F, {}, F, F, {}", (2, 3)),
    "hipblasSsymm": ("HIPBLAS_SIDE_RIGHT, HIPBLAS_FILL_MODE_LOWER, 2, 3, F, F, {}, F, {}, F, F, {}", (3, 2, 2)),
    "hipblasStrmv": ("HIPBLAS_FILL_MODE_LOWER, HIPBLAS_OP_N, HIPBLAS_DIAG_UNIT, 3, F, {}, F, 1", (3,)),
}
"""Calls with places for leading dimensions, and the least of each."""


def _generated(function: Function) -> Iterator[str]:
    """Yield a valid call of an empty problem, and one with each leading dimension 0 and each size negative."""
    words = [word.rstrip("!") for word in ROUTINES[function.routine][1].split()]
    values: dict[str, str] = {}
    for word in words:
        if word in _ENUMS:
            values[word] = _ENUMS[word]
        elif word in ("m", "n", "k", "kl", "ku"):
            values[word] = "0"
        else:
            values |= _operand(function, word)
    if function.form:
        values["batch"] = "1"
    name = f"hipblas{function.letter}{function.routine}{function.form}"
    call = f"EXPECT({{}}, {name}(h, {{}}));"
    yield call.format("true", ", ".join(values.values()))
    for changed in [word for word in values if word.startswith("ld")]:
        yield call.format("false", ", ".join({**values, changed: "0"}.values()))
    for changed in [word for word in values if word in ("m", "n", "k", "kl", "ku")]:
        yield call.format("false", ", ".join({**values, changed: "-1"}.values()))


def _operand(function: Function, word: str) -> dict[str, str]:
    if word.endswith(("alpha", "beta")):
        return {word: f"as<{_type(function, word)}*>(data)"}
    element = _type(function, word)
    pointer = f"as<{element}* const*>(list)" if function.form == "Batched" else f"as<{element}*>(data)"
    values = {word: pointer}
    if word != "AP":
        values[f"ld{word}" if word.isupper() else f"inc{word}"] = "1"
    if function.form == "StridedBatched":
        values[f"stride{word}"] = "16"
    return values


def _type(function: Function, word: str) -> str:
    real = {"S": "float", "D": "double", "C": "float", "Z": "double"}
    complex_types = {"S": "float", "D": "double", "C": "hipFloatComplex", "Z": "hipDoubleComplex"}
    return (real if word.startswith("real-") else complex_types)[function.letter]


def _by_hand() -> Iterator[str]:
    for name, (arguments, least) in _BY_HAND.items():
        for changed in range(-1, len(least)):
            leads = [str(lead - (place == changed)) for place, lead in enumerate(least)]
            yield f"EXPECT({'true' if changed < 0 else 'false'}, {name}(h, {arguments.format(*leads)}));"


def test_every_function_refuses_what_hipblas_refuses(built: Builder, tmp_path: Path) -> None:
    chosen = [one for one in definitions() if one.letter in "SZ"]
    assert len(chosen) > 100
    calls = [*(call for one in chosen for call in _generated(one)), *_by_hand()]
    body = "\n".join(f"  {call}" for call in calls)
    operands = "#define F as<float*>(data)\n#define D as<double*>(data)\n"
    source = tmp_path / "arguments.hip"
    source.write_text(f'{operands}{_HEAD}{body}\n  std::printf("%d wrong\\n", wrong);\n}}\n')
    done = built([source], "-O", "0").run()
    assert (done.returncode, done.stdout) == (0, "0 wrong\n")
