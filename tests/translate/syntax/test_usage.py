"""Decisions made from tokens alone must agree with the syntax tree."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from hipport.files.sources import is_source
from hipport.mappings.loader import Tables
from hipport.source import SourceFile
from hipport.translate.context import Context
from hipport.translate.references import resolve
from hipport.translate.syntax import definitions
from hipport.translate.syntax.unit import parse
from hipport.translate.syntax.usage import only_uses

_FIXTURES = Path(__file__).parents[3] / "fixtures"
_NAME = "cudaFree"
_STATEMENTS = ("return", "throw", "goto", "case", "if (x) y(); else", "if (x)")
_BEFORE = (
    *("", "int", "int *", "int &", "T", "T<int>", "const T *", "struct", "struct S", "enum { A,", "enum E {", "using"),
    *("typedef int", "typedef struct { int a; }", "struct { int a; }", "int a,", "int a, *", "int (", "int (*", "T ("),
    *("T (*", "x =", "f(", "f(a,", "(void)", "(void *)", "!", "a && ", "a *", "x ? y :", "new", *_STATEMENTS),
    *(
        "__attribute__((unused)) int",
        "[[nodiscard]] int",
        "decltype(x)",
        "static",
        "extern int",
        "for (int i = 0,",
        "{",
    ),
    *("}", "template <typename", "template <class T,", "namespace", "a.", "a->", "N::", "::", "~", "T{a,", "x <"),
)
_BEHIND = (
    *(";", "= 3;", "(p);", "(int p);", "(int p) { }", "[3];", "{ };", "{ int a; };", ", b;", ", b);", ") ;", ")(int);"),
    *("}", "x;", "* x;", "<int>(p);", "::x;", ".x;", "> y;", ": 3;", "== 0;", "__attribute__((unused));", "final { };"),
    *("", "= 3", ", T c", "[3]", "x", "> y", ")(int"),  # among parameters
)
_AROUND = ("%s", "void f() { %s }", "struct S { %s };", "namespace n { %s }", "void f(%s, int b);")


def _without_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definitions, "only_uses", lambda *_: False)


def _is_definition(code: str, offset: int) -> bool:
    """Return whether the tree says that a name is a definition, if the tree is usable there."""
    unit = parse(SourceFile.decode(code.encode(), "x.cu"))
    return (
        not unit.tree.has_error
        and definitions.definition_at(unit, _NAME, offset, lambda name: name.startswith("cuda")) is not None
    )


@pytest.mark.parametrize("around", _AROUND)
def test_tokens_never_contradict_the_tree(around: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _without_tokens(monkeypatch)
    wrong, definitions_seen = [], 0
    for before, behind in itertools.product(_BEFORE, _BEHIND):
        # No C++, of which the grammar makes something: statements outside functions, structs defined by functions.
        if (before in _STATEMENTS and around != _AROUND[1]) or (before.endswith("a; }") and behind[:1] == "("):
            continue
        code = around % f"{before} {_NAME}{behind if behind[:1] in '(:.[<>;' else ' ' + behind}"
        offset = code.index(_NAME)
        if _is_definition(code, offset):
            definitions_seen += 1
            wrong += [code] if only_uses(code, offset, offset + len(_NAME)) else []
    assert wrong == [] and definitions_seen > 10


@pytest.mark.parametrize(
    "code",
    [
        *("cudaFree(p);", "x = cudaFree(p);", "check(cudaFree(p));", "if (x) cudaFree(p);", "return cudaFree(p);"),
        *("f(a, cudaFree, b);", "f(&cudaFree, x);", "(void)cudaFree(p);", "static cudaFree *p;", "cudaFree err = x;"),
        *("for (;;) { cudaFree(p); }", "check(cudaFree);", "a < cudaFree;", "struct cudaFree prop;", "f(cudaFree x)"),
    ],
)
def test_usual_uses_need_no_tree(code: str) -> None:
    code = f"{{ {code} }}" if "{" in code else f"; {code}"
    offset = code.index(_NAME)
    assert only_uses(code, offset, offset + len(_NAME))


def test_the_fixtures_have_the_same_references_either_way(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    context = Context(tables)
    files = [path for path in _FIXTURES.rglob("*") if path.is_file() and is_source(path.name)]
    sources = [SourceFile.decode(path.read_bytes(), str(path)) for path in files if path.stat().st_size < 1 << 16]
    found = [resolve(parse(source), context.tables, frozenset()) for source in sources]
    _without_tokens(monkeypatch)
    assert found == [resolve(parse(source), context.tables, frozenset()) for source in sources]
    assert len(files) > 100
