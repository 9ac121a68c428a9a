"""`select`, `ignore` and `per-file-ignores`."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.diagnostics import Diagnostic, Severity
from hipport.errors import HipportError
from hipport.project.settings import TreeSettings, find_settings
from hipport.report.selection import selected


def found(path: Path, *codes: str) -> tuple[Diagnostic, ...]:
    return tuple(Diagnostic(str(path), 1, 1, code, Severity.ERROR, "x") for code in codes)


def codes_of(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    return [one.code for one in diagnostics]


@pytest.mark.parametrize(
    ("settings", "left"),
    [
        (TreeSettings(), ["HP101", "HP205", "HP301", "HP901"]),
        (TreeSettings(select=("HP1", "HP301")), ["HP101", "HP301", "HP901"]),
        (TreeSettings(ignore=("HP2",)), ["HP101", "HP301", "HP901"]),
        (TreeSettings(select=("HP1",), ignore=("HP101",)), ["HP901"]),
    ],
)
def test_codes(settings: TreeSettings, left: list[str], tmp_path: Path) -> None:
    assert codes_of(selected(found(tmp_path / "a.cu", "HP101", "HP205", "HP301", "HP901"), settings)) == left


@pytest.mark.parametrize(
    ("pattern", "path", "ignored"),
    [
        ("third_party/", "third_party/deep/a.cu", True),
        ("third_party/", "a/third_party.cu", False),
        ("/a.cu", "b/a.cu", False),
        ("*.cuh", "b/c/a.cuh", True),
        ("src/**/t.cu", "src/a/b/t.cu", True),
    ],
)
def test_codes_of_some_files(pattern: str, path: str, ignored: bool, tmp_path: Path) -> None:
    settings = TreeSettings(folder=str(tmp_path), per_file_ignores=((pattern, ("HP2",)),))
    left = codes_of(selected(found(tmp_path / path, "HP101", "HP205"), settings))
    assert left == (["HP101"] if ignored else ["HP101", "HP205"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('select = ["HP999"]', "select: no diagnostic has the code HP999"),
        ('per-file-ignores = { "a" = ["HP777"] }', "ignore: no diagnostic has the code HP777"),
        ('ignore = ["HP901"]', "ignore: HP901 cannot be ignored"),
        ('ignore = ["hp1"]', "ignore: expected a list of codes, such as"),
        ('per-file-ignores = { "!" = ["HP1"] }', "per-file-ignores: '!' is not a pattern"),
        ('per-file-ignores = ["HP1"]', "per-file-ignores: expected a table of codes"),
        ("perfile-ignores = {}", "unknown key 'perfile-ignores'; did you mean 'per-file-ignores'?"),
        ("wave_size = 64", "unknown key 'wave_size'; did you mean 'wave-size'?"),
        ("wave-size = true", 'wave-size: expected "auto", 32 or 64'),
        ('launch = "GGL"', "launch: expected ggl or chevron, not 'GGL'"),
        ('baseline = "a\\u0000"', "baseline: .* contains a NUL character"),
    ],
)
def test_mistakes(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "hipport.toml").write_text(text)
    with pytest.raises(HipportError, match=message.replace("?", r"\?")):
        selected(found(tmp_path / "a.cu", "HP101"), find_settings([str(tmp_path)]))


def test_settings_in_a_table_named_tool(tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text('[tool]\nhipport = { ignore = ["HP205"] }\n')
    assert find_settings([str(tmp_path)]).ignore == ("HP205",)
    project.write_text("[tool]\nhipport = 3\n")
    with pytest.raises(HipportError, match=r"tool\.hipport: expected a table"):
        find_settings([str(tmp_path)])
