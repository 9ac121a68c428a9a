"""HIP functions that the CPU target does not support can be called, and report that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.support import include_dir
from scripts import cpu_unsupported
from tests.cpu.conftest import PROGRAMS, Builder, build

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]


@pytest.mark.parametrize("group", cpu_unsupported.GROUPS, ids=lambda group: group.name)
def test_the_headers_are_those_of_the_tables(group: cpu_unsupported.Group) -> None:
    path = cpu_unsupported.FOLDER / f"{group.name}.h"
    assert path.read_text(encoding="utf-8") == cpu_unsupported.text(group), "run python -m scripts.cpu_unsupported"


@pytest.mark.parametrize("group", cpu_unsupported.GROUPS, ids=lambda group: group.name)
def test_every_function_of_the_tables_is_there(group: cpu_unsupported.Group) -> None:
    functions = [name for name, kind in cpu_unsupported.known(group).items() if kind is cpu_unsupported.Kind.FUNCTION]
    path = cpu_unsupported.FOLDER / f"{group.name}.h"
    there = cpu_unsupported.declared(group.header) | set(cpu_unsupported.words(path.read_text(encoding="utf-8")))
    assert len(functions) > 10
    assert not set(functions) - there - cpu_unsupported.NO_STATUS


def test_calls_are_refused_with_a_line_each(built: Builder) -> None:
    done = built([PROGRAMS / "unsupported.hip"], "-O", "0").run()
    assert (done.returncode, done.stdout) == (0, "0 wrong\n")
    assert done.stderr.splitlines() == [
        "hipport: hipGraphicsGLRegisterBuffer is not supported by the CPU target",
        "hipport: hipMemMapArrayAsync is not supported by the CPU target",
        "hipport: hipMemMapArrayAsync is not supported by the CPU target",
        "hipport: hiprtcLinkCreate is not supported by the CPU target",
    ]


def test_uses_of_arbitrary_values_are_warnings(tmp_path: Path) -> None:
    source = tmp_path / "a.hip"
    source.write_text("#include <hip/hip_runtime.h>\nint main() { return HIP_R_4I == 0 || HIP_R_32F != 0; }\n")
    said = build(tmp_path, [source]).stderr
    assert "'HIP_R_4I'" in said and "arbitrary" in said and "'HIP_R_32F'" not in said


def test_mathematical_constants_have_their_values() -> None:
    compat = (include_dir() / "hipport/compat/math_constants.h").read_text(encoding="utf-8")
    here = (include_dir() / "cpu/hip/hip_math_constants.h").read_text(encoding="utf-8")
    constants = re.findall(r"#define CUDART_(\w+) ", compat)
    assert len(constants) > 90
    assert re.findall(r"#define HIP_(\w+) CUDART_\1\n", here) == constants
    arbitrary = cpu_unsupported.words((cpu_unsupported.FOLDER / "runtime.h").read_text(encoding="utf-8"))
    assert not {f"HIP_{name}" for name in constants} & arbitrary


def test_types_of_groups_and_constants(built: Builder) -> None:
    done = built([PROGRAMS / "types_and_constants.hip"]).run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")
