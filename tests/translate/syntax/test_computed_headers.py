"""Headers that macros join, as the preprocessor of a compiler joins them."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.source import SourceFile
from hipport.translate.syntax.computed_headers import header_of, macros_of
from hipport.translate.syntax.unit import parse

DEFINITIONS = """\
#define STRING(x) #x
#define QUOTED(x) STRING(x)
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#define ANGLES(x) <x>
#define PREFIX cuda
#define NAME(x) JOIN(PREFIX, JOIN(_, x))
#define FILE_OF(x) NAME(x).h
#define FOLDER <cuda/std  // of libcu++
#define EMPTY
#define TWICE 1
#define TWICE 2
#define STD() cuda/std
"""
INNER = ("fp16.h", "FILE_OF(fp16)", "NAME(fp16).h", "PREFIX/std/atomic", "STD()/array", "PASTE(a, b)")
OPERANDS = (
    *(f"{outer}({inner})" for outer, inner in itertools.product(("STRING", "QUOTED", "ANGLES"), INNER)),
    "FOLDER/atomic>",
    "EMPTY <x.h>",
    "STRING(x.h) // comment",
    "QUOTED(/* */ x.h)",
)


def found(operand: str) -> str:
    return header_of(operand.partition("//")[0], macros_of(parse(SourceFile.decode(DEFINITIONS.encode(), "x.cu"))))


@pytest.mark.parametrize("operand", OPERANDS)
def test_a_compiler_asks_for_the_same_header(operand: str, tmp_path: Path) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is missing")
    source = tmp_path / "x.cpp"
    source.write_text(f"{DEFINITIONS}#include {operand}\n")
    command = [compiler, "-w", "-E", str(source)]
    said = subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C"}, check=False).stderr
    asked = re.search(r"fatal error: (.*): No such file", said)
    assert found(operand.replace("/* */ ", "")) == (asked[1] if asked is not None else "")


@pytest.mark.parametrize("operand", ["JOIN(TWICE, x)", "UNKNOWN(x)", "STRING(x", "STRING", "", "ANGLES"])
def test_what_is_no_header(operand: str) -> None:
    assert found(operand) == ""


def test_expansions_are_bounded() -> None:
    lines = "".join(f"#define M{n} M{n + 1} M{n + 1}\n" for n in range(60))
    assert header_of("M0", macros_of(parse(SourceFile.decode(lines.encode(), "x.cu")))) == ""


def test_a_definition_without_a_name_is_none() -> None:
    unit = parse(SourceFile.decode(b'#define\n#define A "x.h"\n', "x.cu"))
    assert header_of("A", macros_of(unit)) == "x.h"
