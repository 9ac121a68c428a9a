"""Loads and stores that cannot be done: formats that there are not, and transposing loads of 64 lanes on gfx12."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scripts.instructions.buffer_formats import BufferFormat, buffer_formats
from scripts.instructions.machine import ExecutionError, Machine
from scripts.instructions.memory_cases import RESOURCE, memory_cases, memory_state
from scripts.instructions.record import lanes_of
from scripts.instructions.tables import instructions

pytestmark = pytest.mark.toolchain

_INVALID = {
    "gfx90a": ({"dfmt": 0, "nfmt": 4}, {"dfmt": 4, "nfmt": 0}, {"dfmt": 1, "nfmt": 7}, {"dfmt": 15, "nfmt": 4}),
    "gfx1030": ({"format": 0}, {"format": 78}),
    "gfx1100": ({"format": 0}, {"format": 64}),
}


@pytest.mark.parametrize(
    ("processor", "fields"), [(processor, fields) for processor, all_of in _INVALID.items() for fields in all_of]
)
def test_a_format_that_there_is_not_stops_the_program(machine: Machine, processor: str, fields: dict[str, int]) -> None:
    case = next(case for case in memory_cases(processor) if case.instruction.name == "tbuffer_load_format_xyzw")
    state = memory_state(case, lanes_of(processor))
    with pytest.raises(ExecutionError, match="a format that there is not"):
        machine.execute(processor, replace(case, values={**case.values, **fields}).code, state)


@pytest.mark.parametrize("processor", ["gfx90a", "gfx1030", "gfx1100", "gfx1201"])
def test_a_descriptor_without_a_format_stops_the_program(machine: Machine, processor: str) -> None:
    case = next(case for case in memory_cases(processor) if case.instruction.name == "buffer_load_format_xyzw")
    state = memory_state(case, lanes_of(processor))
    state.scalars[RESOURCE + 3] = 0
    with pytest.raises(ExecutionError, match="no valid format"):
        machine.execute(processor, case.code, state)


def test_halves_hold_no_integers_of_32_bits(machine: Machine) -> None:
    case = next(case for case in memory_cases("gfx1100") if case.instruction.name == "tbuffer_load_d16_format_xyzw")
    fields = next(one.fields for one in buffer_formats("gfx1100") if one.name == "32_32_UINT")
    state = memory_state(case, 32)
    with pytest.raises(ExecutionError, match="integers of 32 bits"):
        machine.execute("gfx1100", replace(case, values={**case.values, **dict(fields)}).code, state)


@pytest.mark.parametrize("name", ["global_load_tr_b64", "global_load_tr_b128"])
def test_transposing_loads_of_64_lanes_are_not_supported(machine: Machine, name: str) -> None:
    case = next(case for case in memory_cases("gfx1201") if case.instruction.name == name)
    state = memory_state(case, 64)
    with pytest.raises(ExecutionError, match=f"{name} is not supported"):
        machine.execute("gfx1201", case.code, state)


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        ("10_11_11_FLOAT", (11, 11, 10)),
        ("2_10_10_10_UINT", (10, 10, 10, 2)),
        ("8_SNORM", (8,)),
        ("32_32_SINT", (32, 32)),
    ],
)
def test_components_of_the_reference(name: str, bits: tuple[int, ...]) -> None:
    assert BufferFormat(name, (), 0).bits == bits


def test_numbers_of_the_reference() -> None:
    named = {one.name: one for one in buffer_formats("gfx1030")}
    assert named["8_8_8_8_UNORM"].loaded(0xFF00_8033)[:3] == [0x3E4CCCCD, 0x3F008081, 0]
    assert named["8_8_SNORM"].loaded(0x7F80) == [0xBF800000, 0x3F800000, 0, 0x3F800000]
    assert named["16_FLOAT"].loaded(0xC000) == [0xC0000000, 0, 0, 0x3F800000]
    assert named["10_11_11_FLOAT"].loaded(15 << 6 | 16 << 17)[:3] == [0x3F800000, 0x40000000, 0]
    assert named["2_10_10_10_SINT"].loaded(0xC00003FF) == [0xFFFFFFFF, 0, 0, 0xFFFFFFFF]
    assert named["8_8_8_8_UNORM"].stored(0, 2, 0x3F000000) == 128 << 16  # 127.5 is rounded to the even number


@pytest.mark.parametrize(("processor", "count"), [("gfx90a", 77), ("gfx1030", 77), ("gfx1100", 63), ("gfx1201", 63)])
def test_processors_have_so_many_formats(processor: str, count: int) -> None:
    assert len(buffer_formats(processor)) == count


def test_all_processors_have_loads_and_stores_of_elements() -> None:
    for processor in ("gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1151", "gfx1201"):
        names = [one.name for one in instructions(processor) if one.name.startswith("tbuffer_")]
        assert len(names) == 16, processor
