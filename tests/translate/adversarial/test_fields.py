"""Programs of memory, algorithms and streams print on all targets what an NVIDIA GPU or a model says.

Each program runs on the CPU target and on one AMD GPU; with HIPPORT_TEST_ALL=1 on all targets.
"""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import pytest

from tests.cpu.test_device_libraries import with_libraries
from tests.shared import EVERYTHING
from tests.translate.adversarial import algorithms, fields, memory, streams
from tests.translate.adversarial.fields import TARGETS, Field, reported_cases
from tests.translate.adversarial.recorded import NotBuiltError, Results

FIELDS = (memory.FIELD, algorithms.FIELD, streams.FIELD)
SEED = 1
SEED_OF_ALGORITHMS = 2
"""One of the two without calls that ROCm 5.2 lacks (HP101)."""


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_programs_are_the_same_each_time_and_differ_by_seed(field: Field) -> None:
    programs = [field.program(seed) for seed in range(field.seeds)]
    assert programs == [field.program(seed) for seed in range(field.seeds)]
    assert len({*programs}) == field.seeds


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_the_record_has_cases_of_every_program(field: Field) -> None:
    for seed in range(field.seeds):
        assert len(field.known(seed)) > len(field.cases(seed)) // 2


def test_a_wrong_value_is_found() -> None:
    known = memory.FIELD.known(SEED)
    number = min(known)
    right = {number: case.expected or known.get(number, "0 0") for number, case in enumerate(memory.FIELD.cases(SEED))}
    assert memory.FIELD.differing(SEED, {"cpu": right}) == []
    wrong = {**right, number: "1" + right[number]}
    assert [line.partition(":")[0] for line in memory.FIELD.differing(SEED, {"cpu": wrong})] == [f"{SEED}.{number}"]


def test_a_target_is_compared_with_another_where_nothing_is_known() -> None:
    field = dataclasses.replace(memory.FIELD, name="none", makers=(), listed=streams.FIELD.listed[:1], seeds=1)
    assert field.differing(0, {"cpu": {0: "1 0"}, "gfx90a": {0: "1 0"}}) == []
    assert field.differing(0, {"cpu": {0: "1 0"}, "gfx90a": {0: "2 0"}}) == ["0.0: 1 0; gfx90a: 2 0"]


def test_what_the_translation_reports_is_of_the_case_that_has_the_line() -> None:
    program = memory.FIELD.program(SEED)
    line = next(n for n, text in enumerate(program.splitlines(), 1) if text.startswith("static void case2()"))
    said = f"m.cu:{line + 1}:11: error: f has no counterpart in HIP [HP101]\nm.cu:1:1: error: g has none [HP101]\n"
    assert reported_cases(program, said) == {2: "f has no counterpart in HIP [HP101]"}
    without = memory.FIELD.program(SEED, without=[2])
    assert "static void case2() {\n}\n" in without and "static void case1() {\n}\n" not in without


def test_the_comparison_goes_on_after_a_program_that_is_not_built(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def built(source: Path, *options: str) -> Path:
        asked.append(source.name)
        raise NotBuiltError("no compiler")

    monkeypatch.setattr(fields, "built", built)
    assert fields._compare(memory.FIELD, [0, 1], ["cpu"]) == 2
    assert asked == ["memory0.cu", "memory1.cu"]
    assert "0: not built: no compiler\n" in capsys.readouterr().out


def test_cases_behind_one_in_which_a_program_ends_run_too(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = {0, 3, len(memory.FIELD.cases(SEED)) - 1}

    def emulated(program: Path, target: str, FIRST: str) -> Results:
        every = range(int(FIRST), len(memory.FIELD.cases(SEED)))
        return {SEED: dict.fromkeys(itertools.takewhile(lambda number: number not in ends, every), "0")}

    monkeypatch.setattr(fields, "emulated", emulated)
    found = memory.FIELD._emulated(SEED, Path("program"), "gfx1100")
    assert set(range(len(memory.FIELD.cases(SEED)))) - found.keys() == ends


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("field", "seed", "targets"),
    [
        (memory.FIELD, 1, ("cpu", "gfx1100")),
        (streams.FIELD, 2, ("cpu", "gfx90a")),
        (streams.FIELD, 3, ("cpu", "gfx1100")),
    ],
    ids=["memory", "streams 2", "streams 3"],
)
def test_programs_on_all_targets(field: Field, seed: int, targets: tuple[str, ...], tmp_path: Path) -> None:
    assert field.differing(seed, field.printed(seed, tmp_path, TARGETS if EVERYTHING else targets)) == []


@pytest.mark.slow
@pytest.mark.toolchain
@with_libraries
def test_algorithms_on_an_amd_gpu(tmp_path: Path) -> None:
    printed = algorithms.FIELD.printed(SEED_OF_ALGORITHMS, tmp_path, ("gfx1100",))
    assert algorithms.FIELD.differing(SEED_OF_ALGORITHMS, printed) == []
