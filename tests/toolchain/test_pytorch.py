"""The installed PyTorch is found by its files, and not imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.toolchain.pytorch import installed_version


def package(folder: Path, text: str) -> str:
    (folder / "torch").mkdir(parents=True)
    (folder / "torch/version.py").write_text(text)
    return str(folder)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("__version__ = '2.6.0+rocm6.2'\nhip = '6.2'\n", "2.6.0"),
        ('from typing import Optional\n__version__ = "2.13.0"\n', "2.13.0"),
        ("__version__ = '2.9.0a0+gitabc'\n", "2.9.0"),
        ("raise SystemExit  # never run\n", None),
    ],
)
def test_version_is_read_from_the_file(tmp_path: Path, text: str, version: str | None) -> None:
    assert installed_version([package(tmp_path, text)], {}) == version


def test_active_environment_comes_first(tmp_path: Path) -> None:
    package(tmp_path / "env/lib/python3.12/site-packages", "__version__ = '2.4.1'\n")
    other = package(tmp_path / "other", "__version__ = '2.13.0'\n")
    assert installed_version([other], {"VIRTUAL_ENV": str(tmp_path / "env")}) == "2.4.1"
    assert installed_version([other], {"VIRTUAL_ENV": str(tmp_path / "none")}) == "2.13.0"
    assert installed_version([""], {}) is None
