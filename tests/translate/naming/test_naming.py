"""Definitions of CUDA's names in a project and their uses have the same names in the translation.

Generated programs are compiled before and after it, against small headers in place of CUDA's and HIP's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.project.request import ConvertRequest, Mode
from hipport.project.run import run
from hipport.translate.context import Options
from tests.shared import sampled
from tests.translate.naming.programs import KINDS, Program, programs

pytestmark = pytest.mark.toolchain

STUBS = Path(__file__).parent / "stubs"
ALL = list(programs())
CHOSEN = sampled(ALL, 29)
MACROS = {"cuda": ["__CUDACC__"], "hip": ["__HIPCC__", "__HIP_PLATFORM_AMD__"]}


def failures(folder: Path, program: Program, platform: str) -> list[str]:
    """Compile a program in a folder once for each of its builds; return what the compiler said of those that fail."""
    compiler = shutil.which("clang++") or shutil.which("g++")
    if compiler is None:
        assert not os.environ.get("CI"), "no C++ compiler"
        pytest.skip("no C++ compiler")
    (main,) = (path.name for path in folder.iterdir() if path.stem == "main")
    found = []
    for build in program.builds:
        flags = ["-I", str(STUBS / platform), *(f"-D{macro}" for macro in (*MACROS[platform], *build))]
        command = [compiler, "-x", "c++", "-std=c++17", "-fsyntax-only", "-w", *flags, main]
        found.append(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stderr)
    return [text for text in found if text]


def test_the_programs_cover_all_kinds_and_titles_differ() -> None:
    titles = [program.title for program in ALL]
    assert len(set(titles)) == len(titles) > 500
    assert {title.partition("-")[0] for title in titles} == KINDS.keys()


@pytest.mark.parametrize("program", CHOSEN, ids=lambda program: program.title)
def test_definitions_and_uses_agree(program: Program, tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    for name, text in program.files.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    assert not failures(source, program, "cuda")
    run(ConvertRequest((str(source),), Mode.OUTPUT, Options(), folder=str(out)), lambda done, total: None)
    assert not failures(out, program, "hip")
