"""The sessions in the README show what the commands print."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("page", ["README.md"])
def test_generated_output_is_current(page: str) -> None:
    spec = importlib.util.spec_from_file_location("docs_output", ROOT / "scripts" / "docs_output.py")
    assert spec is not None and spec.loader is not None
    docs_output = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(docs_output)
    text = (ROOT / page).read_text(encoding="utf-8")
    assert "<!-- generated -->" in text
    assert docs_output.differences(text, docs_output.render(text)) == []
