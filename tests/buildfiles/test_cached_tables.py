from __future__ import annotations

import os
from pathlib import Path

import pytest

from hipport.buildfiles.tables import load_build_tables
from hipport.mappings import cache, document


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_the_cache_gives_what_the_files_say(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = load_build_tables.__wrapped__()
    (stored,) = (elsewhere / "hipport").iterdir()
    monkeypatch.setattr(document, "read", None)  # YAML again would fail
    assert load_build_tables.__wrapped__() == read
    assert stored.stat().st_mode & 0o077 == 0


def test_a_damaged_cache_does_no_harm(elsewhere: Path) -> None:
    read = load_build_tables.__wrapped__()
    (stored,) = (elsewhere / "hipport").iterdir()
    stored.write_bytes(stored.read_bytes()[:-3] + b"xyz")
    assert cache.folder() == elsewhere / "hipport" and os.access(stored, os.R_OK)
    assert load_build_tables.__wrapped__() == read
