"""HP133: functions of HIP's headers, with their parameters, are those that a program cannot define again."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.toolchain.process import amd_environment
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source
from hipport.translate.hazards.taken_names import FUNCTIONS

NEWER = {"__named_sync", "wall_clock64"}
"""Functions that this machine's release has not, or with other parameters."""


def definition(name: str, types: str) -> str:
    parameters = ", ".join(f"{kind} a{number}" for number, kind in enumerate(types.split()))
    return f"__device__ short {name}({parameters}) {{ return 0; }}"


def reported(text: str) -> bool:
    found = convert_source(text.encode(), "a.cu", Context(load_choice(NameChoice(rocm="5.2")), Options()))
    return any(each.code == "HP133" for each in found.diagnostics)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_is_reported(name: str) -> None:
    assert reported(definition(name, FUNCTIONS[name]))
    assert not reported(definition(name, FUNCTIONS[name] + " double"))
    assert not reported(f"namespace own {{ {definition(name, FUNCTIONS[name])} }}")


@pytest.mark.parametrize("head", ["unsigned int a, const unsigned b, uint n", "uint32_t, std::uint32_t, unsigned int"])
def test_other_spellings(head: str) -> None:
    assert reported(f"static __device__ __forceinline__ unsigned __bitextract_u32({head}) {{ return 0; }}")


@pytest.mark.parametrize("head", ["unsigned long long a, unsigned b, unsigned n", "unsigned a, unsigned b, int n"])
def test_other_types(head: str) -> None:
    assert not reported(f"__device__ unsigned __bitextract_u32({head}) {{ return 0; }}")
    assert not reported(f"template <int N> __device__ unsigned __bitextract_u32({head}) {{ return 0; }}")


@pytest.mark.slow
@pytest.mark.toolchain
def test_a_compiler_refuses_each(tmp_path: Path) -> None:
    source = tmp_path / "a.hip"
    lines = ["#include <hip/hip_runtime.h>", *(definition(*each) for each in FUNCTIONS.items())]
    source.write_text("\n".join(lines))
    command = ["hipcc", "-w", "--offload-arch=gfx90a", "-fsyntax-only", "-ferror-limit=0", str(source)]
    said = subprocess.run(command, env=amd_environment(), capture_output=True, text=True).stderr
    assert {int(line) for line in re.findall(r"a\.hip:(\d+):\d+: error", said)} == {
        number for number, name in enumerate(FUNCTIONS, 2) if name not in NEWER
    }
