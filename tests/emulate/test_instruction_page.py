"""The instruction tables of docs/emulation.md."""

from __future__ import annotations

import pytest

from scripts.instructions.machine import Machine
from scripts.instructions.page import LIST, PAGE, listed, rendered, status

pytestmark = pytest.mark.toolchain


def test_tables_are_those_of_the_emulator(machine: Machine) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert rendered(page, machine) == page, "run `python -m scripts.instructions.page LIBRARY`"


def test_the_list_is_that_of_the_emulator(machine: Machine) -> None:
    assert listed(machine) == LIST.read_text(encoding="utf-8"), "run `python -m scripts.instructions.page LIBRARY`"


@pytest.mark.parametrize("processor", ["gfx90a", "gfx1100"])
def test_all_accesses_to_memory_are_checked(machine: Machine, processor: str) -> None:
    unchecked = [one.name for one in status(machine, processor) if one.kind == "memory" and not one.checked]
    moving = [name for name in unchecked if "load" in name or "store" in name or "atomic" in name]
    executed = {one.name for one in status(machine, processor) if one.is_executed}
    assert [name for name in moving if name in executed] == []


@pytest.mark.parametrize("processor", ["gfx90a", "gfx1100"])
def test_nearly_all_that_computes_is_executed_and_checked(machine: Machine, processor: str) -> None:
    computing = [one for one in status(machine, processor) if one.kind in ("vector", "matrix")]
    assert sum(one.is_executed for one in computing) > 0.97 * len(computing)
    assert sum(bool(one.checked) for one in computing) > 0.6 * len(computing)
