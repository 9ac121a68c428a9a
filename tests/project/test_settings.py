from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.project.settings import TreeSettings, find_settings


def test_none(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nline-length = 120\n")
    (tmp_path / "a.cu").write_text("")
    assert find_settings([str(tmp_path / "a.cu")]) == TreeSettings()


@pytest.mark.parametrize("first", ["src/deep/a.cu", "src", "."])
def test_the_nearest_file_above(first: str, tmp_path: Path) -> None:
    (tmp_path / "src/deep").mkdir(parents=True)
    (tmp_path / "src/deep/pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "pyproject.toml").write_text('[tool.hipport]\nmappings = ["own.yaml"]\nrocm = "6.2"\nlibs = "roc"\n')
    (tmp_path / "src/deep/a.cu").write_text("")
    expected = TreeSettings((str(tmp_path / "own.yaml"),), "6.2", None, "roc", folder=str(tmp_path))
    assert find_settings([str(tmp_path / first)]) == expected


def test_a_file_of_hipports_own_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.hipport]\ncuda = "11.8"\n')
    (tmp_path / "hipport.toml").write_text('cuda = "12.0"\n')
    monkeypatch.chdir(tmp_path)
    assert find_settings(["-"]).cuda == "12.0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cuda = \n", "not valid TOML"),
        ("mapping = []\n", "unknown key 'mapping'; did you mean 'mappings'?"),
        ('mappings = "own.yaml"\n', "mappings: expected a list of files"),
        ("mappings = [1]\n", "mappings: expected a list of files"),
        ("rocm = 6.2\n", "rocm: expected a string"),
        ('libs = "cu"\n', "libs: expected hip or roc, not 'cu'"),
    ],
)
def test_mistakes(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "hipport.toml"
    path.write_text(text)
    with pytest.raises(HipportError, match=rf"^{re.escape(str(path))}: {re.escape(message)}"):
        find_settings([str(tmp_path)])


def test_a_table_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool]\nhipport = 1 # tool.hipport\n")
    with pytest.raises(HipportError, match=r"tool\.hipport: expected a table"):
        find_settings([str(tmp_path)])
