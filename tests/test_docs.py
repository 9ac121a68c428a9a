"""Names in the documentation exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = {path.stem for path in (ROOT / "docs" / "diagnostics").glob("HP*.md")}


def test_every_diagnostic_has_a_page_and_every_page_a_diagnostic() -> None:
    codes = {
        code
        for path in (ROOT / "hipport").rglob("*.py")
        for code in re.findall(r'"(HP\d{3})"', path.read_text("utf-8"))
    }
    assert codes
    assert codes == PAGES


@pytest.mark.parametrize("page", sorted(PAGES))
def test_page_says_what_and_what_to_do(page: str) -> None:
    text = (ROOT / "docs" / "diagnostics" / f"{page}.md").read_text("utf-8")
    assert text.startswith(f"# {page}: ")
    assert "**What to do.**" in text
    assert re.search(r"\*\*(Error|Warning|Note)", text)


def test_the_index_lists_every_page() -> None:
    index = (ROOT / "docs" / "diagnostics" / "README.md").read_text("utf-8")
    for page in PAGES:
        title = (ROOT / "docs" / "diagnostics" / f"{page}.md").read_text("utf-8").split("\n")[0].split(": ", 1)[1]
        assert f"| [{page}]({page}.md) | {title} |" in index


@pytest.mark.parametrize("page", sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]), ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
