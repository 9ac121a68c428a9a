"""Which code object of a program runs, and on which GPU, if `--emulate` names one and if it does not."""

from __future__ import annotations

import pytest

from hipport.cli.run import _with_target
from scripts.instructions.machine import Machine


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--emulate ./program", "--emulate=any ./program"),
        ("--emulate gfx90a ./program", "--emulate gfx90a ./program"),
        ("--emulate gfx90a:sramecc+:xnack- gfx90a", "--emulate gfx90a:sramecc+:xnack- gfx90a"),
        ("--emulate gfx9 ./program", "--emulate gfx9 ./program"),
        ("--emulate any any", "--emulate any any"),
        ("--emulate rocjitsu:gfx942 ./program", "--emulate rocjitsu:gfx942 ./program"),
        ("--emulate=gfx90a ./program", "--emulate=gfx90a ./program"),
        ("--emulate gfx_demo 3", "--emulate=any gfx_demo 3"),
        ("--emulate --check ./program", "--emulate=any --check ./program"),
        ("--emulate -- ./program", "--emulate=any -- ./program"),
        ("--check --emulate ./program", "--check --emulate=any ./program"),
        ("--trace --emulate --emulate ./program", "--trace --emulate --emulate=any ./program"),
        ("./program --emulate 3", "./program --emulate 3"),
        ("-- ./program --emulate 3", "-- ./program --emulate 3"),
        ("--emulate", "--emulate=any"),
        ("", ""),
    ],
)
def test_the_word_after_emulate_is_a_target_or_the_program(words: str, expected: str) -> None:
    valued = {"--emulate", "--libraries", "--trace"}
    assert " ".join(_with_target(words.split(), valued)) == expected


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize(
    ("gpu", "codes"),
    [
        ("gfx90a", "gfx90a:xnack- gfx90a:xnack+ | gfx9-generic gfx942 gfx90"),
        ("gfx90a:xnack+", "gfx90a:xnack+ | gfx90a:xnack-"),
        ("gfx90a:xnack-", "gfx90a:sramecc+:xnack- gfx90a:sramecc-:xnack- | gfx90a:sramecc+:xnack+"),
        ("gfx942", "gfx942 gfx9-4-generic gfx9-4-generic:xnack+ | gfx9-generic gfx950"),
        ("gfx942:xnack+", "gfx942 gfx9-4-generic:xnack+ | gfx9-4-generic:xnack-"),
        ("gfx942", "gfx942:xnack+ gfx9-4-generic"),
        ("gfx1030", "gfx1030 gfx10-3-generic | gfx10-1-generic gfx1031"),
        ("gfx1151", "gfx1151 gfx11-generic | gfx1150 gfx12-generic"),
        ("gfx1201", "gfx1201 gfx12-generic | gfx12-5-generic gfx11-generic"),
    ],
)
def test_code_fits_a_gpu_as_clang_says(machine: Machine, gpu: str, codes: str) -> None:
    """`codes` has the ones that fit, the best first, and those that do not."""
    fit, _, other = codes.partition("|")
    found = [machine.fitness(code, gpu) for code in fit.split()]
    assert found == sorted(set(found), reverse=True)
    assert min(found) > 0
    assert {machine.fitness(code, gpu) for code in other.split()} <= {0}


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize(
    ("images", "expected"),
    [
        (("gfx1030,gfx90a",), "gfx90a"),
        (("gfx1100,gfx942",), "gfx942"),
        (("gfx90a,gfx1100", "gfx1100"), "gfx1100"),
        (("gfx90a", "gfx1100", "gfx1201,gfx1100"), "gfx1100"),
        (("gfx9-4-generic,gfx1201",), "gfx1201"),
        (("gfx9-4-generic", "gfx950"), "gfx950"),
        (("gfx11-generic", "gfx90a:xnack+,gfx11-generic"), "gfx1100"),
        (("gfx90a:xnack+,gfx942:xnack-",), "gfx942"),
        (("gfx803,gfx1101", ""), ""),
        ((), ""),
    ],
)
def test_the_gpu_that_most_code_fits_is_chosen(machine: Machine, images: tuple[str, ...], expected: str) -> None:
    assert machine.best_gpu(*images) == expected
