"""Patterns that are compiled on first use, with a literal at their beginning."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hipport.translate
from hipport import lazy_re

FIXTURES = Path(__file__).parents[1] / "fixtures"


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [match.span(group) for match in pattern.finditer(text) for group in range(pattern.groups + 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\busing\s", r"using(?<!\wusing)\s"),
        (r"\bcons?t", r"con(?<!\wcon)s?t"),
        (r"\bcon(st)", r"con(?<!\wcon)(st)"),
        (r"\b(?:min|max)\(", r"(?:min(?<!\wmin)|max(?<!\wmax))\("),
        (r"\b(min|max)", r"(min(?<!\wmin)|max(?<!\wmax))"),
        (r"(?<![\w$])__x", r"__x(?<![\w$]__x)"),
        (r"\b(?:min|max)?\(", r"\b(?:min|max)?\("),
        (r"\ba?b", r"\ba?b"),
        (r"\b(?:a|b?)c", r"\b(?:a|b?)c"),
        (r"\b[a-z]", r"\b[a-z]"),
        (r"(?<!ab)c", r"(?<!ab)c"),
        ("using", "using"),
    ],
)
def test_assertions_move_behind_literals(text: str, expected: str) -> None:
    assert lazy_re.literal_first(text) == expected


@given(st.text("ab_$ (x", max_size=30), st.sampled_from([r"\bab", r"\b(?:a|ab)x", r"(?<![\w$])a(x)?", r"\b(b|a)b*"]))
def test_the_same_matches(code: str, text: str) -> None:
    assert _spans(re.compile(lazy_re.literal_first(text)), code) == _spans(re.compile(text), code)


def test_all_patterns_of_the_translator_match_the_same() -> None:
    for found in pkgutil.walk_packages(hipport.translate.__path__, "hipport.translate."):
        importlib.import_module(found.name)
    every = [each.source for each in gc.get_objects() if isinstance(each, lazy_re.LazyPattern)]
    moved = {(text, flags) for text, flags in every if isinstance(text, str) and lazy_re.literal_first(text) != text}
    assert len(moved) > 30
    code = "\n".join(path.read_text(errors="replace") for path in sorted(FIXTURES.glob("pairs/**/*.cu"))[::9])
    for text, flags in moved:
        fast = re.compile(lazy_re.literal_first(text), flags)
        assert _spans(fast, code) == _spans(re.compile(text, flags), code), text


def test_a_pattern_is_compiled_on_first_use() -> None:
    broken = lazy_re.compile("(")
    with pytest.raises(re.error):
        broken.search("x")
