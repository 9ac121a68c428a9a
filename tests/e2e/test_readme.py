"""The sessions in the README show what the commands print."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def docs_output() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_output", ROOT / "scripts" / "docs_output.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("page", ["README.md"])
def test_generated_output_is_current(page: str, docs_output: ModuleType) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert "<!-- generated -->" in text
    assert docs_output.differences(text, docs_output.render(text)) == []


def test_blocks_of_public_projects_are_run_only_with_those_projects(docs_output: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/a.txt").write_text("new\n")
    own = "<!-- generated -->\n```console\n$ echo {}\n{}\n```\n"
    public = "<!-- generated from public projects -->\n```console\n$ cat project/a.txt | head -1\n{}\n```\n"
    page = own.format("1", "0") + public.format("old")
    assert docs_output.render(page, tmp_path) == own.format("1", "0") + public.format("new")
    assert docs_output.render(page) == own.format("1", "1") + public.format("old")
