"""Programs that are right only if the lanes of a warp run in step: found by the checks, and right with --lockstep."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.emulate.findings import read
from hipport.emulate.tools import observe_checks
from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context, Options
from hipport.translate.convert import check_source
from tests.cpu.conftest import PROGRAMS, Builder, Built, build

SOURCE = PROGRAMS / "lockstep.cu"
IN_STEP = ("reduce", "scan", "reverse", "aggregate", "histogram", "vote", "shift")
UNDECIDED = "histogram"
"""Its indices depend on data: only a run can tell."""


def lines() -> dict[str, range]:
    """Return the lines of each kernel."""
    text = SOURCE.read_text().splitlines()
    starts = [(line.split("void ")[1].split("(")[0], at) for at, line in enumerate(text, 1) if "__global__" in line]
    ends = [at for _, at in starts[1:]] + [len(text)]
    return {name: range(start, end) for (name, start), end in zip(starts, ends, strict=True)}


def test_check_reports_what_can_be_decided() -> None:
    checked = check_source(SOURCE.read_bytes(), "lockstep.cu", Context(load_choice(NameChoice(rocm="5.2")), Options()))
    found = {found.line for found in checked.diagnostics if found.code == "HP208"}
    for each in checked.diagnostics:
        assert each.code != "HP208" or {"--lockstep", "--emulate"} <= set(re.findall("--\\w+", each.advice))
    places = lines()
    assert {name for name, place in places.items() if not found.isdisjoint(place)} == {*IN_STEP} - {UNDECIDED}


@pytest.mark.parametrize(
    "options", [("--sanitize", "address"), ("--host-target", "riscv64-linux-gnu"), ("--compiler", "g++")]
)
def test_where_it_is_impossible_the_emulator_is_named(options: tuple[str, ...], tmp_path: Path) -> None:
    done = build(tmp_path, [SOURCE], "--lockstep", *options)
    assert done.returncode != 0
    assert "--lockstep" in done.stderr and "hipport run --emulate TARGET" in done.stderr


@pytest.fixture(scope="module")
def in_step(built: Builder) -> Built:
    return built([SOURCE], "--wave-size", "32", "--lockstep")


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("name", [*IN_STEP, "synchronized"])
def test_lanes_in_step(in_step: Built, name: str) -> None:
    done = in_step.run(name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "right\n", "")


@pytest.mark.slow
@pytest.mark.toolchain
def test_a_lane_that_waits_for_another_of_its_warp_never_ends(in_step: Built) -> None:
    done = in_step.run("locked")
    assert done.returncode == 70
    assert "no-progress" in done.stderr and "without --lockstep each lane goes on" in done.stderr


@pytest.mark.slow
@pytest.mark.toolchain
def test_a_run_with_checks_finds_all(built: Builder) -> None:
    program = built([SOURCE], "--wave-size", "32", "--sanitize").path
    for name in IN_STEP:
        found = read(observe_checks([str(program), name], program, {}).records())
        races = [finding.message for finding in found if finding.kind == "race"]
        assert any("__syncwarp" in race and "--lockstep" in race and "run --emulate" in race for race in races), name
    for name in ("synchronized", "locked"):
        assert read(observe_checks([str(program), name], program, {}).records()) == []
