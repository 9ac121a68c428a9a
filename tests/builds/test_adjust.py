from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hipport.builds.adjust import adjusted
from hipport.builds.plan import BuildPlan, BuildStep, StepKind
from hipport.builds.request import BuildRequest, OutputKind
from hipport.errors import HipportError

DEVICE = BuildStep(StepKind.DEVICE, "", ("cc", "d"), ("a.hip",), "b/a.co")
BUNDLE = BuildStep(StepKind.BUNDLE, "", ("bundle",), ("b/a.co",), "b/a.hipfb")
HOST = BuildStep(StepKind.HOST, "", ("cc", "h"), ("a.hip", "b/a.hipfb"), "b/a.o")
PLAIN = BuildStep(StepKind.HOST, "", ("cc", "p"), ("p.cpp",), "b/p.o")
LINK = BuildStep(StepKind.LINK, "", ("ld",), ("b/a.o", "b/p.o", "x.o", "y.a"), "b/product")
PLAN = BuildPlan((DEVICE, BUNDLE, HOST, PLAIN, LINK), "b/product", (("f", "t"),), (("l", "t"),))
REQUEST = BuildRequest(("a.hip",), "out", ())


@pytest.fixture
def launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ccache", "distcc"):
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_a_plan_that_is_right_already() -> None:
    assert adjusted(PLAN, REQUEST) == PLAN


def test_a_static_library_has_the_objects_in_place_of_a_link() -> None:
    plan = adjusted(PLAN, replace(REQUEST, kind=OutputKind.STATIC))
    assert plan.steps[:-1] == PLAN.steps[:-1] and (plan.files, plan.links) == (PLAN.files, PLAN.links)
    assert plan.steps[-1].command == ("ar", "rcsD", "b/product", "b/a.o", "b/p.o", "x.o")


def test_a_launcher_goes_in_front_of_compiles_only(launcher: Path) -> None:
    plan = adjusted(PLAN, replace(REQUEST, launcher="distcc"))
    program = str(launcher / "distcc")
    commands = [step.command for step in plan.steps]
    assert commands == [(program, "cc", "d"), ("bundle",), ("cc", "h"), (program, "cc", "p"), ("ld",)]


def test_ccache_is_told_of_the_fat_binary(launcher: Path) -> None:
    plan = adjusted(PLAN, replace(REQUEST, launcher="ccache"))
    assert plan.steps[2].command == ("env", "CCACHE_EXTRAFILES=b/a.hipfb", str(launcher / "ccache"), "cc", "h")


def test_a_launcher_that_is_not_there(launcher: Path) -> None:
    with pytest.raises(HipportError, match="cannot find the launcher sccache"):
        adjusted(PLAN, replace(REQUEST, launcher="sccache"))
