"""A single file from a cold start: the installed command against an interpreter that only parses the file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.corpus import PROGRAMS
from tests.benchmarks.measure import ratio_table, side_by_side

_PARSE = """
import sys, tree_sitter, tree_sitter_cpp
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
parser.parse(open(sys.argv[1], "rb").read())
"""


def run(tree: Path) -> str:
    """Measure on a file of the fixtures; the tree is not used."""
    file = str(PROGRAMS / "stencil2d" / "stencil2d.cu")

    # As installed: with the byte code that Python keeps.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def start(*arguments: str) -> None:
        done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr

    candidates = {
        "an interpreter that parses the file": lambda: start("-c", _PARSE, file),
        "an interpreter that does nothing": lambda: start("-c", "pass"),
        "hipport convert --stdout": lambda: start("-m", "hipport", "convert", "--stdout", file),
    }
    return ratio_table("One file, cold start", side_by_side(candidates, 9), "an interpreter that parses the file")
