"""`python -m scripts.emulated` runs all programs on all targets; here a sample of them, and its table."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.emulated.__main__ import PAGE
from scripts.emulated.programs import TARGETS, all_programs
from scripts.emulated.results import Result, rendered, shown, table
from scripts.emulated.running import run

PASSING = [
    ("driver_api", "gfx1100"),
    ("launches", "gfx90a"),
    ("graph_edges", "gfx1030"),
    ("compat surfaces", "gfx90a"),
    ("memory", "gfx1100"),
    ("fragments", "gfx90a"),
    ("fragments", "gfx1201"),
    ("unfused", "gfx90a"),
    ("unfused", "gfx1100"),
]


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize(("name", "target"), PASSING)
def test_a_program_passes(name: str, target: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    program = next(one for one in all_programs() if one.name == name)
    result = run(program, target, tmp_path)
    known = {"passed", "not supported"} if name == "compat surfaces" else {"passed"}  # where HIP's headers are wrong
    assert result.state in known, result


@pytest.mark.toolchain
@pytest.mark.slow
def test_a_target_without_textures_is_not_supported(tmp_path: Path) -> None:
    program = next(one for one in all_programs() if one.name == "textures")
    result = run(program, "gfx942", tmp_path)
    assert (result.state, result.reason) == ("not supported", "HIP has no textures on it")


def test_the_page_has_a_row_for_each_program() -> None:
    names = [line.split(" | ")[0].removeprefix("| ") for line in PAGE.read_text("utf-8").splitlines()]
    assert [one.name for one in all_programs() if one.name not in names] == []


def test_reasons_are_numbered_once() -> None:
    programs = list(all_programs())[:2]
    known = {
        (programs[0].name, TARGETS[0]): Result(programs[0].name, TARGETS[0], "passed"),
        (programs[0].name, TARGETS[1]): Result(programs[0].name, TARGETS[1], "not supported", "no textures"),
        (programs[1].name, TARGETS[1]): Result(programs[1].name, TARGETS[1], "not supported", "no textures"),
    }
    shown = table(programs, known)
    assert "| passed | not supported (1) | not run |" in shown
    assert shown.endswith("\n\n1. no textures\n")
    assert rendered("a" + "<!-- emulated: python -m scripts.emulated --slow --write -->\nold<!-- end of emulated -->b",
                    programs, known).endswith("<!-- end of emulated -->b")  # fmt: skip


def test_the_table_is_read_as_it_was_written() -> None:
    page = PAGE.read_text("utf-8")
    assert rendered(page, list(all_programs()), shown(page)) == page
