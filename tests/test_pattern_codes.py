"""Compiled patterns as data: they match the same, and nothing depends on them."""

from __future__ import annotations

import gc
import importlib
import marshal
import pkgutil
import re
from typing import Any

import pytest

import hipport.translate
from hipport import lazy_re, pattern_codes
from hipport.pattern_codes import Code, Key, PatternCodes, code_of, pattern_of


def _stored(code: Code) -> Code:
    found: Code = marshal.loads(marshal.dumps(code))
    return found


def test_the_patterns_of_the_translator_are_equal_to_compiled_ones() -> None:
    for found in pkgutil.walk_packages(hipport.translate.__path__, "hipport.translate."):
        importlib.import_module(found.name)
    every = {each.source for each in gc.get_objects() if isinstance(each, lazy_re.LazyPattern)}
    sound = [source for source in every if source[0] != "("]  # of another test
    assert len(sound) > 500
    for text, flags in sound:
        pattern, expected = pattern_of(_stored(code_of(text, flags))), re.compile(text, flags)
        assert pattern == expected  # compares the numbers, too
        assert pattern.groupindex == expected.groupindex and pattern.groups == expected.groups


@pytest.mark.parametrize(
    "text", ["(?P<a>x)|(?P<b>[^y]+?)(?=z)", b"\\xff(?P<a>.)", "(?ix) \u00e9 [a-\u4e00]", "(?<!ab)c{3,}"]
)
@pytest.mark.parametrize("flags", [0, re.MULTILINE | re.DOTALL])
def test_texts_flags_and_groups(text: Any, flags: int) -> None:
    pattern, expected = pattern_of(_stored(code_of(text, int(flags)))), re.compile(text, flags)
    assert pattern == expected and pattern.flags == expected.flags and pattern.pattern == expected.pattern
    sample: Any = "xxyzABC\u00e9\u4e00ccc" if isinstance(text, str) else b"\xffab"
    assert [match.groupdict() for match in pattern.finditer(sample)] == [
        match.groupdict() for match in expected.finditer(sample)
    ]


def test_a_pattern_is_compiled_once_and_read_the_next_time() -> None:
    key: Key = (r"a+(b)", 0)
    first = PatternCodes(dict)
    assert first.compiled(key, lambda: r"a+(b)").findall("aab") == ["b"]
    kept = {key: _stored(code) for key, code in first.new.items()}
    reads = []
    second = PatternCodes(lambda: reads.append(1) or kept)
    assert reads == []
    for _ in range(2):
        assert second.compiled(key, lambda: pytest.fail("compiled again")).findall("aab") == ["b"]
    assert (reads, second.new) == ([1], {})


def test_without_a_reader_no_code_is_kept() -> None:
    codes = PatternCodes()
    assert codes.compiled(("a", 0), lambda: "a").match("a")
    assert codes.new == {}


@pytest.mark.parametrize(
    "code", [("a", 0, b"\0\0\0\0", 0, {}, (None,)), ("a", 0, b"123", 0, {}, (None,)), (1,), 7], ids=repr
)
def test_a_damaged_code_is_compiled_as_usual(code: Any) -> None:
    codes = PatternCodes(lambda: {("a", 0): code})
    assert codes.compiled(("a", 0), lambda: "a").match("a")
    assert codes.new == {}


def test_another_compiler_of_python_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(pattern_codes.importlib, "import_module", fail)
    codes = PatternCodes(dict)
    assert codes.compiled(("a(b)", 0), lambda: "a(b)").findall("ab") == ["b"]
    assert codes.new == {}


def test_a_wrong_pattern_raises_what_re_raises() -> None:
    with pytest.raises(re.error, match="missing"):
        PatternCodes(dict).compiled(("(", 0), lambda: "(")
