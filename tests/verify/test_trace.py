"""Traces name the kernel, the buffer and the element."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hipport.verify.model import Conditions, Platform, Program, Rules, Tolerance
from hipport.verify.trace.run import Tracer
from hipport.verify.trace.search import search
from tests.verify.conftest import PROGRAMS, Verified, script, verify

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

ROOT = Path(__file__).parents[2]
BUG = [
    "  trace: the first difference is after launch 2, sum_of_lanes<<<(1,1,1), (256,1,1)>>>",
    "    buffer 3, argument 2 (f32) [0]: original 248.0, port 1008.0 (absolute 760, relative 0.754)",
    "    8 differences in this buffer",
]


def test_a_planted_mistake_is_found_at_64_lanes_only(sums: Verified) -> None:
    lines = sums.done.out.splitlines()
    assert sums.done.status == 1
    assert lines[0] == "port (cpu, 32 lanes) matches the original (cpu, 32 lanes)"
    assert lines[2] == "  trace: no buffer differs in 3 launches"
    assert lines[3] == "port (cpu, 64 lanes) differs from the original (cpu, 32 lanes)"
    assert lines[4:6] == [
        "  exit status: original 0, port 1",
        '  stdout, line 1 "total:": original 16320, port 32640 (absolute 1.63e+04, relative 0.5)',
    ]
    assert lines[-3:] == BUG


def test_the_right_kernel_is_right_at_64_lanes(sums: Verified) -> None:
    done = verify(*sums.programs, "--dtype", "f32", "--trace", "--", "right")
    assert done.status == 0
    assert done.out.splitlines()[-1] == "  trace: no buffer differs in 3 launches"


def test_a_tolerance_lets_the_mistake_pass_and_the_next_kernel_too(sums: Verified) -> None:
    done = verify(*sums.programs, "--trace", "--rtol", "0.8", "--skip", "*", "--", "bug")
    assert (done.status, done.out.splitlines()[-1]) == (0, "  trace: no buffer differs in 3 launches")


def test_contents_in_several_runs(sums: Verified) -> None:
    """With a limit below the size of two buffers; larger buffers cannot be compared, which is reported."""
    tracers = []
    for folder in ("0", "2"):
        path = sums.folder / folder / "program"
        conditions = Conditions(arguments=("bug",))
        tracers.append(
            Tracer(Program(folder, Platform.CPU), path, "sums", sums.folder / f"t{folder}", conditions, None)
        )
    found = search(*tracers, Rules(Tolerance(0.8, 0)), 32)
    assert (found.launch, found.notes) == (None, ())
    assert search(*tracers, Rules(Tolerance(0.5, 0)), 32).launch is not None
    small = search(*tracers, Rules(), 31)
    assert small.launch == "launch 3, total_of<<<(1,1,1), (1,1,1)>>>"
    assert small.notes == ("buffer 3 is not compared: its size of 32 bytes exceeds --trace-limit",)


def test_programs_that_write_no_trace(sums: Verified) -> None:
    done = verify(*sums.programs[:2], "--port-exe", "/bin/true", "--trace", "--", "bug")
    assert (done.status, "the port (cpu) wrote no trace" in done.err) == (2, True)


def test_a_build_that_fails(tmp_path: Path) -> None:
    source = tmp_path / "bad.cu"
    source.write_text("int main() { return undeclared; }\n")
    done = verify(str(source))
    assert done.status == 2
    assert "cannot build the original (cpu, 32 lanes):" in done.err
    assert "bad.cu:1" in done.err


def built(folder: Path, step: int) -> str:
    program = folder / f"program{step}"
    flags = ["-L", str(folder), "-lfake_cudart", f"-Wl,-rpath,{folder}"]
    command = ["g++", f"-DSTEP={step}.0f", str(PROGRAMS / "fake_program.cpp"), "-o", str(program), *flags]
    subprocess.run(command, check=True)
    return str(program)


@pytest.fixture(scope="module")
def faked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A machine that seems to have NVIDIA's runtime."""
    folder = tmp_path_factory.mktemp("fake")
    library = ["-shared", "-fPIC", str(PROGRAMS / "fake_cudart.cpp"), "-o", str(folder / "libfake_cudart.so")]
    subprocess.run(["g++", *library], check=True)
    script(folder / "nvidia-smi", "echo 9.0")
    for step in (0, 1):
        built(folder, step)
    return folder


def on_nvidia(faked: Path, port: int, *options: str) -> list[str]:
    env = {**os.environ, "PATH": f"{faked}:{os.environ['PATH']}"}
    programs = ["--original-exe", str(faked / "program0"), "--port-exe", str(faked / f"program{port}")]
    done = verify(
        "--original",
        "nvidia",
        "--port",
        "nvidia",
        *programs,
        "--trace",
        *options,
        "--work-dir",
        str(faked / "work"),
        env=env,
    )
    return [str(done.status), *done.out.splitlines()]


def test_launches_through_cudart(faked: Path) -> None:
    assert on_nvidia(faked, 1) == [
        "1",
        "port (nvidia) differs from the original (nvidia)",
        "  equal: exit status (0), stdout (text), stderr (text)",
        "  trace: the first difference is after launch 2, add<<<(1,1,1), (8,1,1)>>>",
        "    buffer 3, argument 2 (f32) [13]: original 5.0, port 6.0 (absolute 1, relative 0.167)",
    ]


def test_launches_through_cudart_that_agree(faked: Path) -> None:
    same = ["0", "port (nvidia) matches the original (nvidia)"]
    assert on_nvidia(faked, 0)[:2] == same
    assert on_nvidia(faked, 1, "--rtol", "0.2")[:2] == same


def test_the_documentation_shows_this_output(sums: Verified) -> None:
    assert sums.done.out in (ROOT / "docs" / "verify.md").read_text(encoding="utf-8")
