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


SOURCE = re.compile(
    r"`((?:[\w.]+/)*\w+\.(?:py|cpp|cuh|cu|toml)|(?:hipport|scripts|tests|builds|translate|llm)/[\w/]*)`"
)
FOLDERS = [ROOT / name for name in ("hipport", "scripts", "tests", "cmake", "editors")]
STAND_INS = ("NAME.py", "NAME.cu", "hipport.toml", "setup.py")
"""Names of files in the projects of users, and of those that a developer writes."""


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/architecture.md"])
def test_sources_that_the_pages_for_developers_name_exist(page: str) -> None:
    there = {f"/{path.relative_to(ROOT)}" for folder in FOLDERS for path in (folder, *folder.rglob("*"))}
    for name in SOURCE.findall((ROOT / page).read_text("utf-8")):
        assert name in STAND_INS or any(path.endswith(f"/{name.rstrip('/')}") for path in there), name
