from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hipport.builds.freshness import Freshness, dependencies
from hipport.builds.ninja_file import ninja_text
from hipport.builds.plan import BuildPlan, BuildStep, StepKind
from hipport.builds.prepare import write_if_changed
from hipport.builds.runner import run_ninja

TOOLS = "compiler 1.0"


def step(command: str, output: str, *inputs: str, depfile: str | None = None) -> BuildStep:
    return BuildStep(StepKind.HOST, output, ("sh", "-c", command), inputs, output, depfile)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text("a")
    Path("a.h").write_text("h")
    Path("b").mkdir()


COMMAND = "cat a.c a.h > b/o && echo 'b/o: a.c a.h' > b/o.d && ! grep -q broken b/o"
COMPILE = step(COMMAND, "b/o", "a.c", depfile="b/o.d")
PLAN = BuildPlan((COMPILE, step("cp b/o b/p", "b/p", "b/o")), "b/p")


def run(plan: BuildPlan = PLAN, tools: str = TOOLS, meanwhile: Callable[[], object] = lambda: None) -> list[str]:
    """Build once; return the outputs of the steps that ran."""
    write_if_changed(Path("b/build.ninja"), ninja_text(plan, "b").encode())
    fresh = Freshness(plan, tools)
    fresh.before()
    started = time.time_ns()
    done = []
    for event in run_ninja("b/build.ninja"):
        meanwhile()
        if not event.failed:
            fresh.after(plan.steps[event.step], started)
        done.append(plan.steps[event.step].output)
    return done


def test_nothing_new_is_nothing_to_do() -> None:
    assert run() == ["b/o", "b/p"]
    assert run() == run() == []


@pytest.mark.parametrize("when", [None, (1, 1), (2**31, 2**31)])
def test_new_times_do_not_matter(when: tuple[int, int] | None) -> None:
    run()
    for name in ("a.c", "a.h"):
        os.utime(name, when)
    assert run() == []


@pytest.mark.parametrize("name", ["a.c", "a.h"])
def test_new_content_matters_whatever_the_time(name: str) -> None:
    run()
    Path(name).write_text("new")
    os.utime(name, (1, 1))
    assert run() == ["b/o", "b/p"] and "new" in Path("b/p").read_text()
    assert run() == []


def test_a_header_that_goes() -> None:
    run()
    Path("a.h").unlink()
    assert run() == ["b/o"], "it fails"


def test_other_tools() -> None:
    run()
    assert run(tools="compiler 1.1") == ["b/o", "b/p"]


def test_another_command() -> None:
    run()
    other = replace(COMPILE, command=("sh", "-c", "cat a.c > b/o"))
    assert run(BuildPlan((other, PLAN.steps[1]), "b/p")) == ["b/o", "b/p"]


def test_what_failed_is_tried_again() -> None:
    run()
    Path("a.c").write_text("broken")
    assert run() == ["b/o"] and run() == ["b/o"]
    Path("a.c").write_text("mended")
    assert run() == ["b/o", "b/p"] and run() == []


def test_what_changes_while_it_is_compiled_is_compiled_again() -> None:
    run(meanwhile=lambda: Path("a.h").write_text("changed"))
    assert run() == ["b/o", "b/p"] and "changed" in Path("b/p").read_text()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("o: a.c b.h\n", ["a.c", "b.h"]),
        ("o: a.c \\\n  b.h \\\n c.h\n", ["a.c", "b.h", "c.h"]),
        ("o: with\\ blank $$money \\#hash\n", ["with blank", "$money", "#hash"]),
        ("o: a\\b.h\n", ["a\\b.h"]),
        ("o: a.h\n\na.h:\n", ["a.h"]),
        ("", []),
    ],
)
def test_what_compilers_write_about_headers(text: str, names: list[str]) -> None:
    assert dependencies(text) == names
