"""The command that runs what needs a GPU: its steps exist, and one that fails or hangs does not end the others."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from scripts.device_runs.__main__ import main, run
from scripts.device_runs.page import DATA, PAGE, rendered
from scripts.device_runs.prompts import TOLERANCE, are_right, largest_error
from scripts.device_runs.steps import PARTS, Step, steps


@pytest.mark.parametrize("trial", [False, True])
def test_steps_are_modules_with_names_of_their_own(trial: bool) -> None:
    found = steps(trial=trial)
    assert len({step.name for step in found}) == len(found)
    assert {step.part for step in found} == set(PARTS)
    assert all(importlib.util.find_spec(step.command[0]) for step in found)


def test_a_step_that_hangs_or_fails_is_recorded(tmp_path: Path) -> None:
    hangs = run(
        Step("right", "hangs", 1, ("timeit", "-n1", "-r1", "print('on', flush=True); import time; time.sleep(99)")), 1
    )
    assert (hangs["state"], hangs["output"]) == ("stopped at the limit of 1 s", "on\n")
    assert run(Step("right", "fails", 9, ("json.tool", "nowhere")), 9)["state"] == "exit status 2"
    assert run(Step("right", "late", 9, ("this",)), 0)["state"].startswith("not started")


def test_results_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "found.json"
    monkeypatch.setattr(sys, "argv", ["device_runs", "--trial", "--steps", "machine", "--write", str(path)])
    assert main() == 0
    (found,) = json.loads(path.read_text())
    assert (found["step"], found["state"]) == ("machine", "done")
    assert int(found["result"]["processors"]) > 0


@pytest.mark.parametrize("gpu", DATA)
def test_the_page_is_that_of_the_stored_results(gpu: str) -> None:
    page = PAGE.read_text("utf-8")
    assert rendered(page, gpu, json.loads(DATA[gpu].read_text("utf-8"))) == page


@pytest.mark.parametrize("wrong", [0.5, math.nan])
@pytest.mark.parametrize("part", [0, 1, 2])
def test_prompts_are_wrong_if_any_part_is(wrong: float, part: int) -> None:
    """Compare the last logits of 20 tokens: eight at a time, all at once, and in two parts."""
    calls: list[tuple[int, int]] = []

    def prefill(tokens: Sequence[int], *, position: int, logits: bool) -> npt.NDArray[np.float32]:
        calls.append((position, len(tokens)))
        ends = [(16, 4), (0, 20), (5, 15)]
        return np.array([1, wrong if calls[-1] == ends[part] else 0.25, 2], np.float32)

    engine: Any = SimpleNamespace(reset=lambda: None, prefill=prefill)
    assert not largest_error(engine, range(20)) <= TOLERANCE
    assert {(16, 4), (0, 20), (5, 15)} <= set(calls)
    engine.prefill = lambda tokens, *, position, logits: np.array([1, 0.25, 2], np.float32)
    assert largest_error(engine, range(20)) == 0


@pytest.mark.parametrize(
    ("errors", "ties", "right"),
    [
        ([0.0, TOLERANCE], 0, True),
        ([0.0, 0.5], 0, False),
        ([0.0, 0.5], 1, True),
        ([0.5, 0.5], 1, False),
        ([0.0, math.nan], 1, False),
    ],
)
def test_ties_are_few_and_are_numbers(errors: list[float], ties: int, right: bool) -> None:
    assert are_right(errors, ties) is right
