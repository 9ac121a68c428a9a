from __future__ import annotations

from pathlib import Path

import pytest

from tests.builds.scheduler.fakes import write_compiler


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a compiler, two sources and a build folder."""
    monkeypatch.chdir(tmp_path)
    write_compiler(tmp_path)
    (tmp_path / "out.build").mkdir()
    (tmp_path / "h.txt").write_text("header\n")
    for unit in range(2):
        (tmp_path / f"s{unit}.txt").write_text(f"source {unit}\ninclude h.txt\n")
    return tmp_path


@pytest.fixture
def compiler(here: Path) -> str:
    return str(here / "cc")
