"""All checks together; `fixtures/pairs/hazards` shows what each finds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.mappings.loader import Tables, load
from hipport.translate.context import Context, Options
from hipport.translate.convert import check_source, convert_source
from hipport.translate.hazards.words import WORDS
from hipport.translate.passes import words_of
from scripts import check_words

ROOT = Path(__file__).parents[3]
CASES = sorted((ROOT / "fixtures" / "pairs" / "hazards").glob("*.cu"))
ALL = CASES + sorted((ROOT / "fixtures" / "pairs" / "cross_lane").glob("*.cu"))
TOKENS = re.compile(r"\w+|\s+|.")


FINDERS = ("hazards", "passes", "ptx")
"""The folders whose modules find what is in a source."""
ACROSS_FILES = {"HP143": "tests/translate/passes/test_later_sides.py"}
"""Codes of what only several files show, and the tests that find it."""


def test_every_code_is_found_in_a_fixture() -> None:
    modules = (module for folder in FINDERS for module in (ROOT / "hipport" / "translate" / folder).rglob("*.py"))
    known = {code for module in modules for code in re.findall(r'"(HP\d{3})"', module.read_text())}
    lists = (ROOT / "fixtures" / "pairs").rglob("*.findings")
    found = {code for listed in lists for code in re.findall(r"\[(HP\d{3})\]", listed.read_text())}
    assert len(known) > 40
    assert known == found | ACROSS_FILES.keys()
    assert all(f'"{code}"' in (ROOT / tests).read_text() for code, tests in ACROSS_FILES.items())


def test_the_table_has_the_words_of_all_checks() -> None:
    """`python -m scripts.check_words` writes it."""
    assert check_words.words() == WORDS
    assert len(WORDS) > 30
    assert all(WORDS.values())


def test_the_table_has_all_passes_and_their_words() -> None:
    assert check_words.words_of_passes() == words_of.WORDS
    assert len(words_of.WORDS) > 60
    assert all(all(sets) for sets in words_of.WORDS.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_nothing_is_said_of_plain_cpp(case: Path, tables: Tables) -> None:
    data = case.read_bytes().replace(b"cuda", b"xuda").replace(b"__", b"xx").replace(b"warp", b"w").replace(b"Idx", b"")
    data = data.replace(b"coalesced", b"c").replace(b"cuDevice", b"xuDevice")
    data = data.replace(b"curand", b"xurand").replace(b"CURAND", b"XURAND")
    found = check_source(data, "a.cpp", Context(tables)).diagnostics
    allowed = {"HP214", "HP212", "HP211", "HP213", "HP243"}  # told by their form: templates and launches
    assert {d.code for d in found if d.code.startswith("HP2")} <= allowed


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_fixes_leave_nothing_to_fix(case: Path, tables: Tables) -> None:
    fixed = check_source(case.read_bytes(), case.name, Context(tables, Options(fix=True))).data
    again = check_source(fixed, case.name, Context(tables, Options(fix=True)))
    assert again.data == fixed
    assert not [found for found in check_source(fixed, case.name, Context(tables)).diagnostics if found.fix]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_nothing_about_64_lanes_for_32(case: Path, tables: Tables) -> None:
    found = check_source(case.read_bytes(), case.name, Context(tables, Options(wave_size=32))).diagnostics
    about_64 = {f"HP20{digit}" for digit in range(1, 8)} | {"HP219", "HP221"}
    assert not about_64 & {each.code for each in found}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_check_says_what_convert_says(case: Path, tables: Tables) -> None:
    context = Context(tables)
    checked = check_source(case.read_bytes(), case.name, context)
    assert checked.data == case.read_bytes()
    assert checked.diagnostics == convert_source(case.read_bytes(), case.name, context).diagnostics


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(ALL), st.randoms(use_true_random=False))
def test_broken_code_raises_nothing(case: Path, random: object) -> None:
    """Tokens are dropped, doubled and swapped, so that the tree has errors everywhere."""
    from random import Random

    assert isinstance(random, Random)
    tokens = TOKENS.findall(case.read_text())
    for _ in range(random.randint(1, 12)):
        at = random.randrange(len(tokens))
        tokens[at : at + 1] = random.choice([[], [tokens[at]] * 2, [random.choice(tokens)]])
    data = "".join(tokens).encode()
    for options in (Options(), Options(fix=True, wave_size=64)):
        convert_source(data, "a.cu", Context(load(), options))
