"""The documentation of the commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.audit.coverage import coverage
from hipport.audit.coverage_plot import svg
from hipport.audit.evidence import shipped
from hipport.cli.mappings import command
from hipport.mappings.loader import load
from scripts import docs_conformance, docs_coverage

DOCS = Path(__file__).parents[2] / "docs"


def without_numbers(text: str) -> str:
    return re.sub(r"[\d.,]*\d", "0", text)


def test_the_coverage_page_is_up_to_date_but_for_numbers() -> None:
    page = docs_coverage.page(coverage(shipped("cuda")[-1], load()))
    assert without_numbers((DOCS / "coverage.md").read_text()) == without_numbers(page), "run scripts.docs_coverage"


def test_the_conformance_page_is_up_to_date() -> None:
    assert (DOCS / "conformance.md").read_text() == docs_conformance.page(), "run scripts.docs_conformance"


def test_the_picture_has_the_libraries_of_the_tables() -> None:
    def texts(image: str) -> list[str]:
        return re.findall(r'text-anchor="end"[^>]*>([a-z][^<\d]*)<', image)

    drawn = svg(coverage(shipped("cuda")[-1], load()))
    assert texts((DOCS / "images/coverage.svg").read_text()) == texts(drawn)
    assert len(texts(drawn)) > 10


@pytest.mark.parametrize("name", ["query", "check", "coverage", "sync"])
def test_every_option_of_a_command_is_described(name: str) -> None:
    text = (DOCS / "mappings-commands.md").read_text()
    assert f"## {name}" in text
    found = command.get_command(None, name)  # type: ignore[arg-type, attr-defined]
    shown = [parameter for parameter in found.params if not getattr(parameter, "hidden", False)]
    options = {option for parameter in shown for option in parameter.opts if option.startswith("--")}
    assert options
    assert {option for option in options if option not in text} == set()
