"""Clang's builtin functions: all that the compiler knows, whatever its release, compiled and executed."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from scripts.instructions.builtin_code import examine, waves
from scripts.instructions.builtin_runs import Outcome, run_all
from scripts.instructions.machine import Machine
from tests.emulate.conftest import TARGETS
from tests.llvm_releases import NEWER
from tests.shared import EVERYTHING

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

MISSING = re.compile(r"__builtin_amdgcn_(s_sendmsghalt|s_wakeup_barrier|image_bvh\w*_intersect_ray\w*|ds_bvh_stack\w*)")
"""Matches the builtins that docs/emulation.md lists as unsupported."""
TRANSPOSED = re.compile(r"__builtin_amdgcn_global_load_tr_\w+")
"""Matches those that are unsupported in wavefronts of 64 lanes, whose layout is documented nowhere."""
CASES = [(target, wave) for target in TARGETS for wave in waves(target)]
SAMPLE = [("gfx942", 64), ("gfx1201", 32)]


PARTS = 8
"""Parts of the builtins. A case outside the sample runs one of them: every eighth builtin, beginning with its own."""


def unexpected(outcomes: Mapping[Outcome, Mapping[str, str]], wave: int) -> set[str]:
    """Return the builtins that are refused and should not be."""
    refused = {name for name in outcomes.get(Outcome.REFUSED, {}) if not MISSING.fullmatch(name)}
    return {name for name in refused if wave == 32 or not TRANSPOSED.fullmatch(name)}


@pytest.mark.parametrize(("target", "wave"), CASES if EVERYTHING else SAMPLE)
def test_builtins_of_clang_are_executed(machine: Machine, target: str, wave: int) -> None:
    result = examine(f"/usr/lib/llvm-{NEWER}/bin/clang++", machine, target, wave)
    assert result.compiled > 150
    assert {name: found for name, found in result.lacking.items() if not MISSING.fullmatch(name)} == {}
    # The check sees what is missing.
    assert "__builtin_amdgcn_s_sendmsghalt" in result.lacking
    outcomes = run_all(machine, target, wave, result)
    assert outcomes.get(Outcome.WRONG, {}) == {}
    assert unexpected(outcomes, wave) == set()
    assert len(outcomes[Outcome.RIGHT]) >= 50


@pytest.mark.parametrize(("target", "wave"), [] if EVERYTHING else [one for one in CASES if one not in SAMPLE])
def test_some_builtins_on_the_other_targets(machine: Machine, target: str, wave: int) -> None:
    rest = CASES.index((target, wave)) % PARTS
    result = examine(f"/usr/lib/llvm-{NEWER}/bin/clang++", machine, target, wave, lambda one: one % PARTS == rest)
    assert result.compiled > 10
    assert {name: found for name, found in result.lacking.items() if not MISSING.fullmatch(name)} == {}
    outcomes = run_all(machine, target, wave, result)
    assert outcomes.get(Outcome.WRONG, {}) == {}
    assert unexpected(outcomes, wave) == set()
    assert len(outcomes[Outcome.RIGHT]) >= 3
