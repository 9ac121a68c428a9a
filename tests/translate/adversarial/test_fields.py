"""Programs of memory, algorithms and streams print on all targets what an NVIDIA GPU or a model says."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tests.cpu.test_device_libraries import with_libraries
from tests.translate.adversarial import algorithms, memory, streams
from tests.translate.adversarial.fields import TARGETS, Field

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


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("field", "seed"),
    [(memory.FIELD, 1), (streams.FIELD, 2), (streams.FIELD, 3)],
    ids=["memory", "streams 2", "streams 3"],
)
def test_programs_on_all_targets(field: Field, seed: int, tmp_path: Path) -> None:
    assert field.differing(seed, field.printed(seed, tmp_path, TARGETS)) == []


@pytest.mark.slow
@pytest.mark.toolchain
@with_libraries
def test_algorithms_on_an_amd_gpu(tmp_path: Path) -> None:
    printed = algorithms.FIELD.printed(SEED_OF_ALGORITHMS, tmp_path, ("gfx1100",))
    assert algorithms.FIELD.differing(SEED_OF_ALGORITHMS, printed) == []
