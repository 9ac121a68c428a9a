"""Every installed compiler builds for the CPU target, in every standard that it supports, with its library.

The compilers are those on PATH, g++ and clang++ of any release. Headers are found in the folders of the standard
libraries themselves, so that a new release brings its own cases.

Each compiler includes all headers in its newest standard, and builds a program in its oldest. `HIPPORT_TEST_ALL=1` does
both in all standards.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hipport.support import include_dir
from tests.cpu.conftest import PROGRAMS, Builder
from tests.shared import EVERYTHING

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

STANDARDS = ("c++17", "c++20", "c++23")
CPU = include_dir() / "cpu"
INCLUDE = (f"-I{include_dir()}", "-isystem", str(CPU))
AT_ONCE = 6
USES_A_MAP = "#include <map>\nint f() { std::map<int, int> m; return m[1]; }\n"
"""A program that clang++ 17 does not compile with libstdc++ 14 in C++23; the target's headers need `std::map`."""


def found() -> list[str]:
    """Return the compilers on PATH, each program once."""
    names = {path.name for folder in os.environ["PATH"].split(os.pathsep) for path in Path(folder).glob("*++*")}
    compilers = sorted(name for name in names if re.fullmatch(r"(clang|g)\+\+(-\d+)?", name))
    return list({os.path.realpath(str(shutil.which(name))): name for name in compilers}.values())


def complaint(compiler: str, standard: str, text: str, *options: str) -> str:
    """Return what a compiler reports for a source; empty if it accepts it."""
    command = [compiler, "-x", "c++", f"-std={standard}", "-fsyntax-only", "-w", *options, "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return (done.stderr or "refused")[:4000] if done.returncode else ""


@functools.cache
def cases() -> list[tuple[str, str]]:
    """Return the compilers with their standards."""
    pairs = ((name, standard) for name in found() for standard in STANDARDS)
    return [pair for pair in pairs if not complaint(*pair, USES_A_MAP)]


def newest() -> list[tuple[str, str]]:
    """Return the cases of each compiler's newest standard."""
    return cases() if EVERYTHING else list(dict(cases()).items())


def oldest() -> list[tuple[str, str]]:
    """Return the cases of each compiler's oldest standard."""
    return cases() if EVERYTHING else list(dict(reversed(cases())).items())


def standard_headers(compiler: str, standard: str) -> list[str]:
    """Return the names of the public headers in the folder of the compiler's standard library."""
    said = subprocess.run([compiler, "-x", "c++", "-E", "-v", "-"], input="", capture_output=True, text=True).stderr
    folders = (Path(line.strip()) for line in said.splitlines() if line.startswith(" /"))
    folder = next(path for path in folders if (path / "vector").is_file())
    names = {path.name for path in folder.iterdir() if path.is_file() and path.suffix in ("", ".h")}
    too_new = {"coroutine"} if standard == "c++17" else set()
    return sorted(name for name in names - too_new if not name.startswith("_"))


def including(headers: Sequence[str]) -> str:
    return "".join(f"#include <{header}>\n" for header in headers)


def ours() -> list[str]:
    """Return all public headers of the CPU target."""
    supported = (path for path in CPU.glob("hip*/*.h") if '#include "hipport: ' not in path.read_text())
    names = (str(path.relative_to(CPU)) for path in supported)
    return ["hip/hip_runtime.h", *sorted(name for name in names if not name.startswith("hipport_cpu/"))]


def refused(compiler: str, standard: str, headers: Sequence[str], *options: str) -> dict[str, str]:
    """Return the headers that a compiler rejects on their own, with its message."""
    with ThreadPoolExecutor(2) as pool:
        said = pool.map(lambda header: complaint(compiler, standard, including([header]), *options), headers)
        return {header: errors for header, errors in zip(headers, said, strict=True) if errors}


def newest_clang() -> tuple[str, str]:
    """Return the newest clang++, which is fast with precompiled headers, and its newest usable standard."""
    return max(
        (case for case in cases() if case[0].startswith("clang")),
        key=lambda case: (int(case[0].partition("-")[2] or 0), case[1]),
    )


def test_there_are_compilers() -> None:
    assert {re.sub(r"-\d+", "", name) for name in found()} == {"clang++", "g++"}
    assert {name for name, _ in cases()} == set(found())


@pytest.mark.parametrize(("compiler", "standard"), newest())
def test_all_standard_headers_behind_all_of_the_target(compiler: str, standard: str) -> None:
    headers = standard_headers(compiler, standard)
    if complaint(compiler, standard, including(headers)):
        without = refused(compiler, standard, headers)
        headers = [header for header in headers if header not in without]
    assert len(headers) > 90
    assert complaint(compiler, standard, including([*ours(), *headers]), *INCLUDE) == ""


def test_few_standard_headers_behind_the_runtime(tmp_path: Path) -> None:
    """Include a few headers at a time, so that others do not hide what one of them lacks."""
    compiler, standard = newest_clang()
    header, output = tmp_path / "runtime.h", str(tmp_path / "runtime.pch")
    header.write_text(including(["hip/hip_runtime.h"]))
    command = [compiler, f"-std={standard}", "-w", *INCLUDE, "-x", "c++-header", str(header), "-o", output]
    subprocess.run(command, check=True)
    options = (*INCLUDE, "-include-pch", output)
    headers = standard_headers(compiler, standard)
    groups = [headers[start :: len(headers) // AT_ONCE] for start in range(len(headers) // AT_ONCE)]
    assert {header for group in groups for header in group} == set(headers)
    groups = groups if EVERYTHING else groups[::3]
    with ThreadPoolExecutor(2) as pool:
        said = pool.map(lambda group: complaint(compiler, standard, including(group), *options), groups)
        suspect = [header for group, errors in zip(groups, said, strict=True) if errors for header in group]
    wrong = refused(compiler, standard, suspect, *options)
    by_itself = refused(compiler, standard, list(wrong))
    assert {header: errors for header, errors in wrong.items() if header not in by_itself} == {}


@pytest.mark.parametrize(("compiler", "standard"), oldest())
def test_a_program_with_the_standard_library(compiler: str, standard: str, built: Builder) -> None:
    done = built([PROGRAMS / "standard_library.cu"], "--compiler", compiler, f"-std={standard}", "-O0").run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")
