"""The documentation's site: its links, the reference of the command line, the build without warnings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hipport.cli import COMMANDS
from scripts import site

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("text", "page", "expected"),
    [
        ("[c](docs/convert.md#a)", "README.md", "[c](convert.md#a)"),
        ("![t](docs/images/tour.svg)", "README.md", "![t](images/tour.svg)"),
        ("[r](../README.md)", "docs/check.md", "[r](index.md)"),
        ("[r](../../CONTRIBUTING.md)", "docs/diagnostics/HP101.md", "[r](../contributing.md)"),
        ("[f](../fixtures/README.md)", "docs/check.md", "f"),
        ("[w](https://x.y/a.md) [h](#here)", "docs/check.md", "[w](https://x.y/a.md) [h](#here)"),
    ],
)
def test_links(text: str, page: str, expected: str) -> None:
    assert site.relinked(text, page) == expected


def test_the_reference_has_every_command_and_its_options() -> None:
    text = "\n".join(site.cli_reference())
    assert [name for name in COMMANDS if f"## hipport {name}\n" not in text] == []
    assert "--max-diagnostics N" in text and "### hipport mappings coverage" in text


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "TARGET", tmp_path / "docs")
    site.main()
    settings = (ROOT / "mkdocs.yml").read_text().replace("build/docs", "docs").replace("build/site", "site")
    (tmp_path / "mkdocs.yml").write_text(settings)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site/tutorial/index.html").is_file() and (tmp_path / "site/search").is_dir()
