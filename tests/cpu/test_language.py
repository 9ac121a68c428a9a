"""Cooperative groups and grids, textures, number types, and the set of device functions."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hipport.mappings.entry import Kind
from hipport.mappings.loader import load, tables_folder
from hipport.support import include_dir
from tests.cpu.conftest import PROGRAMS, Builder

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]


# Surfaces and textures know nothing of lanes.
@pytest.mark.parametrize(
    ("program", "wave"), [("groups", 32), ("groups", 64), ("surfaces", 32), ("textures", 64), ("mipmaps", 64)]
)
def test_nothing_wrong(program: str, wave: int, built: Builder) -> None:
    done = built([PROGRAMS / f"{program}.hip"], "--wave-size", str(wave), "-O", "0").run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


def test_numbers(compiler: str, built: Builder) -> None:
    done = built([PROGRAMS / "numbers.hip"], "--compiler", compiler, "-O", "1").run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


def test_a_kernel_behind_a_test_for_newer_gpus_is_not_empty(built: Builder) -> None:
    assert built([PROGRAMS / "guarded.cu"], "-O", "0").run().stdout == "42\n"


def test_launches_whose_brackets_are_apart(compiler: str, built: Builder) -> None:
    done = built([PROGRAMS / "launch_brackets.cu"], "--compiler", compiler, "-O", "0").run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


def test_shared_memory_that_macros_declare(built: Builder) -> None:
    assert built([PROGRAMS / "shared_by_macros.cu"], "-O", "0").run().stdout == "85\n"


def test_shared_memory_with_an_alignment(compiler: str, built: Builder) -> None:
    assert built([PROGRAMS / "aligned_shared.cu"], "--compiler", compiler, "-O", "0").run().stdout == "0 wrong\n"


def test_launch_bounds(compiler: str, built: Builder) -> None:
    assert built([PROGRAMS / "bounds.hip"], "--compiler", compiler, "-O", "1").run().stdout.splitlines() == [
        "bounded 128: 128 hipSuccess",
        "bounded 129: 0 hipErrorLaunchFailure",
        "template 64: 64 hipSuccess",
        "template 65: 0 hipErrorLaunchFailure",
        "unbounded 1024: 1024 hipSuccess",
        "by address: hipErrorLaunchFailure",
        "128 threads, 0 bytes",
        "64 threads, 128 bytes",
        "1024 threads, 0 bytes",
    ]


def device_functions() -> list[str]:
    """Return the functions of HIP's device headers that the tables translate to, or would if compat had none."""
    entries = [e for e in load().names.values() if e.kind is Kind.FUNCTION and e.library in ("device", "cucomplex")]
    names = {e.hip.name for e in entries if e.hip is not None and not e.support}
    replaced = {e.name for e in entries if e.hip is not None and e.hip.name.startswith("hipport::compat::")}
    return sorted(names | (replaced & set(_HIP_ROW.findall((tables_folder() / "device.yaml").read_text()))))


_HIP_ROW = re.compile(r"^  (\w+): (?:\{.*hip: )?\1 \d", re.MULTILINE)
"""A row of the table that gives HIP's function of the same name."""


SUPPLIED = {"__fns"}
"""Functions of newer releases that hipport's own headers have for the CPU, which translations include."""


def test_every_device_function_of_the_tables_is_there() -> None:
    names = [name for name in device_functions() if name not in SUPPLIED]
    assert len(names) > 450
    headers = ["runtime", "fp16", "bf16", "fp8", "complex", "cooperative_groups"]
    lines = [f"#include <hip/hip_{header}.h>" for header in headers]
    lines += [f"namespace use_{number} {{ using ::{name}; }}" for number, name in enumerate(names)]
    command = [
        "g++",
        "-x",
        "c++",
        "-std=c++17",
        "-fsyntax-only",
        "-fmax-errors=0",
        "-isystem",
        str(include_dir() / "cpu"),
    ]
    done = subprocess.run([*command, "-"], input="\n".join(lines), capture_output=True, text=True)
    missing = re.findall(r"error: '(?:::)?(\w+)' has not been declared", done.stderr)
    assert (missing, done.returncode) == ([], 0), done.stderr[:2000]


def test_c_stops_with_one_error(compiler: str, tmp_path: Path) -> None:
    source = tmp_path / "host.c"
    source.write_text("#include <hip/hip_runtime_api.h>\nint main(void) { return hipDeviceSynchronize(); }\n")
    command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", "--compiler", compiler]
    done = subprocess.run(
        [*command, str(source), "-o", str(tmp_path / "host")], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "hipport: the CPU target supports HIP in C++ only, not in C" in done.stdout + done.stderr
