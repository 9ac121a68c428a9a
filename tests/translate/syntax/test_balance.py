"""Sources with a missing bracket, quote or end of a comment are found; complete sources are not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.diagnostics import Severity
from hipport.mappings.loader import Tables
from hipport.source import SourceFile
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from hipport.translate.syntax.balance import missing
from hipport.translate.syntax.unit import Unit, parse

ROOT = Path(__file__).parents[3]
SOURCES = [
    path
    for folder in ("fixtures/programs", "fixtures/pairs", "hipport/llm", "hipport/include/hipport")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".cu", ".cuh", ".h") and path.is_file() and "broken" not in path.name
]


def unit(data: bytes) -> Unit:
    return parse(SourceFile.decode(data, "x.cu"))


def test_complete_sources_are_not_reported() -> None:
    assert len(SOURCES) > 300
    assert not {path.name: found for path in SOURCES if (found := missing(unit(path.read_bytes())))}


GOOD = {
    "a block that two branches open": "#if A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n}\n",
    "a block that a condition opens and closes": "#ifdef A\nnamespace n {\n#endif\nint a;\n#ifdef A\n}\n#endif\n",
    "a block that macros open and close": "#define IN namespace n {\n#define OUT }\nIN\nint a;\nOUT\n",
    "a macro of another file": "MY_NAMESPACE_BEGIN\nint a;\n}\n",
    "text that is left out": "#if 0\nThat's a \" ( {\n#endif\nint a;\n",
    "a message": "#error don't (\nint a;\n",
    "brackets in literals": "const char* a = \"({[\"; char b = '{', c = '\"';\n",
    "a raw string": 'const char* a = R"x(\n" ( { )x";\n',
    "a raw string with quotes as delimiter": 'const char* a = R"""(\n( { )""";\n',
    "a string of two lines": 'const char* a = "x\\\n y";\n',
    "digits": "int a = 1'000'000; int b{a};\n",
    "a comment in a comment": "/* a /* b */ int c;\n// d { (\n",
    "a macro's half": "#define OPEN_IF if (a) {\nint f(int a) { OPEN_IF return 1; } return 0; }\n",
    "nothing": "",
}


@pytest.mark.parametrize("case", GOOD)
def test_complete(case: str) -> None:
    assert missing(unit(GOOD[case].encode())) is None


BROKEN = {
    "a comment": ("int a;\n/* b\nint c;\n", "comment", 2),
    "a short comment": ("int a; /*/\n", "comment", 1),
    "a string": ('int a;\nconst char* b = "c;\nint d;\n', "string", 2),
    "a raw string": ('const char* a = "b"; const char* c = "(\nd";\n', "string", 1),
    "a brace": ("void f() {}\nvoid g() {\n  if (1) {\n}\nint a;\n", "brace", 2),
    "a brace too many": ("void f() {}\n}\nint a;\n", "brace", 2),
    "a parenthesis": ("void f() {\n  g((1);\n}\nint a;\n", "parenthesis", 2),
    "a bracket": ("int a[2;\nint b;\n", "bracket", 1),
    "a condition": ("#ifdef A\nint a;\n", "#ifdef", 1),
    "a brace before a condition": ("void f() {\n#if A\nint a;\n#else\nint b;\n#endif\n", "brace", 1),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken(case: str, tables: Tables) -> None:
    text, what, line = BROKEN[case]
    found = missing(unit(text.encode()))
    assert found is not None
    assert (found.what, text.count("\n", 0, found.offset) + 1) == (what, line)
    assert [each.code for each in convert_source(text.encode(), "x.cu", Context(tables)).diagnostics] == ["HP116"]


def broken(draw: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    """Yield sources from which one bracket, quote or end of a comment is removed, outside all conditions."""
    while count:
        path = draw.choice(SOURCES)
        source = unit(path.read_bytes())
        text = source.source.text
        spans = [comment for comment in source.lexed.comments if text[comment.start : comment.end].endswith(b"*/")]
        places = [(comment.end - 2, 2) for comment in spans if text.find(b"*/", comment.end) < 0]
        places += [(at, 1) for at, sign in enumerate(source.code) if sign in "(){}[]"]
        guard = len(source.directives[0].after) if source.directives and source.directives[0].word == "ifndef" else 0
        places = [
            (at, size) for at, size in places if source.directive_at(at) is None and len(source.branch_at(at)) <= guard
        ]
        if places and b"NAMESPACE" not in text and b"BEGIN" not in text:
            at, size = draw.choice(places)
            count -= 1
            yield f"{path.name}:{at}", text[:at] + text[at + size :]


def _unreported(seed: int, count: int) -> list[str]:
    return [name for name, data in broken(random.Random(seed), count) if missing(unit(data)) is None]


def test_a_missing_bracket_is_found() -> None:
    assert len(_unreported(1, 100)) <= 3


@pytest.mark.slow
def test_missing_brackets_are_found() -> None:
    assert len(_unreported(2, 2000)) <= 40


@pytest.mark.parametrize(
    ("name", "text", "severity"),
    [
        ("x.c", "int f() { if (a) { return 1; }\n", Severity.NOTE),
        ("x.h", "void f() { cudaFree(0);\n", Severity.ERROR),
        ("x.h", "__device__ int f() {\n", Severity.ERROR),
        ("x.cu", "int f() {\n", Severity.ERROR),
    ],
)
def test_broken_files_without_cuda_are_notes(tables: Tables, name: str, text: str, severity: Severity) -> None:
    found = [each for each in convert_source(text.encode(), name, Context(tables)).diagnostics if each.code == "HP116"]
    assert [each.severity for each in found] == [severity]
