from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hipport.toolchain.jobserver import jobserver_pipe, without_pipe
from hipport.toolchain.process import amd_environment

MAKEFILE = """\
build:
\t{plus}{python} -m hipport build --target cpu -o program a.cu b.cu
"""


def flags(text: str) -> dict[str, str]:
    return {"MAKEFLAGS": text, "PATH": "/bin"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (" -j2 --jobserver-auth=3,4", " -j2 "),
        (" -j2 --jobserver-auth=-2,-2", " -j2 "),
        ("k -j --jobserver-fds=3,4 -j -- A=1", "k -j -j -- A=1"),
        ("-j2 --jobserver-auth=fifo:/tmp/GMfifo7", "-j2 --jobserver-auth=fifo:/tmp/GMfifo7"),
        ("-- A=x--jobserver-auth=3,4", "-- A=x--jobserver-auth=3,4"),
        ("", ""),
    ],
)
def test_commands_are_not_told_of_a_pipe_that_they_do_not_inherit(before: str, after: str) -> None:
    assert without_pipe(flags(before)) == flags(after)
    assert amd_environment(flags(before))["MAKEFLAGS"] == after


def test_without_make_nothing_is_added() -> None:
    assert without_pipe({"PATH": "/bin"}) == {"PATH": "/bin"}
    assert jobserver_pipe({"PATH": "/bin"}) is None


def test_only_an_open_pipe_counts(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with (tmp_path / "file").open("w") as file:
        assert jobserver_pipe(flags(f"-j2 --jobserver-auth={reading},{writing}")) == (reading, writing)
        twice = flags(f"--jobserver-auth=98,99 --jobserver-auth={reading},{writing}")
        assert jobserver_pipe(twice) == (reading, writing)
        assert jobserver_pipe(flags(f"-j2 --jobserver-auth={reading},{file.fileno()}")) is None
    os.close(reading)
    assert jobserver_pipe(flags(f"-j2 --jobserver-auth={reading},{writing}")) is None
    os.close(writing)
    assert jobserver_pipe(flags("-j2 --jobserver-auth=-2,-2")) is None
    assert jobserver_pipe(flags("-j2 --jobserver-auth=fifo:/tmp/GMfifo7")) is None


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
@pytest.mark.parametrize("plus", ["", "+"])
@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_hipport_builds_in_a_recipe_of_a_parallel_make(tmp_path: Path, plus: str, jobs: str) -> None:
    (tmp_path / "a.cu").write_text("int b();\n__global__ void f() {}\nint main() { f<<<1, 1>>>(); return b(); }\n")
    (tmp_path / "b.cu").write_text("int b() { return 0; }\n")
    (tmp_path / "Makefile").write_text(MAKEFILE.format(plus=plus, python=sys.executable))
    command = ["make", "-C", tmp_path, jobs]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert subprocess.run([tmp_path / "program"], timeout=60, check=False).returncode == 0
