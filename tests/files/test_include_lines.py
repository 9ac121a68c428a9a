"""Fast detection of `#include` lines: every form, and agreement with the lexer outside comments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.files.include_lines import include_lines
from hipport.source import SourceFile
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.unit import parse

FORMS = {
    b"#include <a.h>": ("a.h", False),
    b'#include "a/b.h"': ("a/b.h", True),
    b' \t# \tinclude\t"a b.h" // why': ("a b.h", True),
    b'#include"a>b.h"': ("a>b.h", True),
    b'#include<a"b.h>': ('a"b.h', False),
    b'#include "\xff.h"': ("\udcff.h", True),
}
OTHERS = (b"#include NAME", b'// #include "a.h"', b"#include_next <a.h>", b"#import <a.h>", b'#include "a.h', b"int x;")


@pytest.mark.parametrize("line", FORMS)
def test_forms(line: bytes) -> None:
    text = b"int x;\n" + line + b"\nint y;"
    (found,) = include_lines(text)
    assert (found.operand, found.quoted) == FORMS[line]
    around = b'"%s"' if found.quoted else b"<%s>"
    operand = found.operand.encode("utf-8", "surrogateescape")
    assert text[found.span.start : found.span.end] == around % operand


@pytest.mark.parametrize("line", OTHERS)
def test_what_is_none(line: bytes) -> None:
    assert list(include_lines(line + b"\n>\n")) == []


@given(st.lists(st.sampled_from([*FORMS, b"#include NAME", b'// #include "a.h"', b"int x;"])))
def test_the_lexer_finds_the_same(lines: list[bytes]) -> None:
    text = b"\n".join((*lines, b""))
    by_lexer = [(one.operand, one.quoted) for one in includes(parse(SourceFile.decode(text, "a.cu")))]
    assert [(one.operand, one.quoted) for one in include_lines(text)] == by_lexer
