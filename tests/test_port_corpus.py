"""The corpus script finds headers and classifies what does not compile."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scripts import port_corpus

COMPILER = """
import pathlib, re, sys
unit = pathlib.Path(sys.argv[-1])
folders = [sys.argv[at + 1] for at, word in enumerate(sys.argv) if word == "-I"]
for name in re.findall(r'#include ["<](.*)[">]', unit.read_text()):
    if not any((pathlib.Path(folder) / name).is_file() for folder in folders):
        sys.exit(f"{unit}:1:10: fatal error: '{name}' file not found")
if "broken" in unit.read_text():
    sys.exit(f"{unit}:2:1: error: broken")
"""


@pytest.mark.parametrize(
    ("text", "outcome", "reason"),
    [
        ('#include "own.h"\n', "compiles", ""),
        ('#include "deep/own.h"\n', "compiles", ""),
        ("#include <cublasLt.h>\n", "needs a library", "cublasLt.h"),
        ("#include <curand_kernel.h>\n", "fails", "'curand_kernel.h' file not found"),
        ("#include <GL/glew.h>\n", "needs a library", "GL/glew.h"),
        ("#include <cooperative_groups/reduce.h>\n", "fails", "'cooperative_groups/reduce.h' file not found"),
        ('#include "own.h"\nbroken\n', "fails", "broken"),
    ],
)
def test_outcomes(tmp_path: Path, text: str, outcome: str, reason: str) -> None:
    files = {"src/a.hip": text, "include/own.h": "", "other/deep/own.h": "", "cc.py": COMPILER}
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    command = [sys.executable, str(tmp_path / "cc.py")]
    result = port_corpus.compile_unit(tmp_path / "src/a.hip", port_corpus.read_tree(tmp_path), command)
    assert (result.outcome, result.reason) == (outcome, reason)


def test_what_another_file_includes_is_no_unit(tmp_path: Path) -> None:
    (tmp_path / "cc.py").write_text(COMPILER)
    (tmp_path / "main.hip").write_text('#include "part.hip"\n')
    (tmp_path / "part.hip").write_text("broken\n")
    tree = port_corpus.read_tree(tmp_path)
    command = [sys.executable, str(tmp_path / "cc.py")]
    assert port_corpus.compile_unit(tmp_path / "part.hip", tree, command).outcome == "part of a unit"


def test_the_nearest_of_headers_with_one_name(tmp_path: Path) -> None:
    for name in ("a/inc/x.h", "b/inc/x.h", "b/main.hip"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    tree = port_corpus.read_tree(tmp_path)
    assert port_corpus.nearest(tree, "x.h", tmp_path / "b/main.hip") == tmp_path / "b/inc"
    assert port_corpus.nearest(tree, "inc/x.h", tmp_path / "b/main.hip") == tmp_path / "b"
    assert port_corpus.nearest(tree, "y.h", tmp_path / "b/main.hip") is None


def test_host_sources_are_those_that_changed(tmp_path: Path) -> None:
    source, out = tmp_path / "source", tmp_path / "out"
    for folder, text in ((source, "cudaFree(p);"), (out, "hipFree(p);")):
        (folder / "a").mkdir(parents=True)
        (folder / "a" / "calls.cpp").write_text(text)
        (folder / "a" / "other.cpp").write_text("free(p);")
        (folder / "a" / "calls.h").write_text(text)
    (out / "a" / "made.cpp").write_text("hipFree(p);")
    assert list(port_corpus.host_units(source, out, ["a"])) == [out / "a" / "calls.cpp"]
