"""All encodings of the instruction tables: what the emulator decodes is what was encoded, and what LLVM prints."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest

from hipport.emulate.library import TARGETS
from hipport.toolchain.places import Surroundings
from hipport.toolchain.tools import find_tools
from scripts.instructions.machine import Machine, State
from scripts.instructions.tables import VECTOR, Instruction, instructions
from scripts.learn_instructions import disassembled

pytestmark = pytest.mark.toolchain

_REGISTER = re.compile(r"-?\|?(v|s|a)(?:(\d+)|\[(\d+):(\d+)\])\|?(?:\.([lh]))?")
_NAMES = {"vcc": "s106:2", "vcc_lo": "s106:1", "exec": "s126:2", "exec_lo": "s126:1", "m0": "s125:1", "null": "s124:1"}
_SUFFIX = re.compile(r"_(e32|e64|dpp|sdwa)$")


def encoded(instruction: Instruction) -> bytes:
    """Return an encoding with other registers for each operand, always the same ones."""
    values: dict[str, int] = {}
    for i, slot in enumerate(instruction.slots):
        if not slot.bank:
            continue
        field = instruction.format.fields[slot.name]
        random = crc32(f"{instruction.name} {i}".encode())
        if slot.name in ("sbase", "srsrc"):
            values[slot.name] = 4 * (random % 8) if slot.name == "sbase" else 8 * (random % 3)
        elif slot.bank in "va":
            values[slot.name] = 8 * (random % 24) + (VECTOR if field[1] == 9 else 0)
        else:
            values[slot.name] = 16 * (random % 5)
    if "op_sel_hi" in instruction.format.fields and "wmma" in instruction.name:
        values |= {"op_sel_hi": 3, "op_sel_hi2": 1}
    return instruction.encoded(values)


def registers(text: str) -> Iterator[str]:
    """Yield the registers in an instruction's text as the emulator names them."""
    for operand in re.split(r",(?![^\[]*\])", text.partition(" ")[2]):
        name = operand.strip().split(" ")[0]
        match = _REGISTER.fullmatch(name)
        if name in _NAMES:
            yield _NAMES[name]
        elif match is not None:
            first = int(match[2] or match[3]) + (128 if match[5] == "h" else 0)  # the bit for the upper half
            yield f"{match[1]}{first}:{1 if match[2] else int(match[4]) - first + 1}"


def knows(tool: Path, processor: str) -> bool:
    command = [tool, "-arch=amdgcn", "-mcpu=help"]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    return f" {processor} " in done.stderr + done.stdout


@pytest.mark.parametrize("processor", TARGETS)
def test_every_encoding_is_decoded_to_its_name(machine: Machine, processor: str) -> None:
    wrong = []
    for instruction in instructions(processor):
        name = machine.name(processor, encoded(instruction) + bytes(8)).rstrip("!")
        if name != instruction.mnemonic:
            wrong.append((instruction.name, name))
    assert wrong == []


@pytest.mark.parametrize("processor", TARGETS)
def test_operands_are_those_that_llvm_prints(machine: Machine, processor: str) -> None:
    tools = [tool for tool in find_tools("llvm-mc", Surroundings()) if knows(tool, processor)]
    if not tools:
        pytest.skip(f"there is no llvm-mc that knows {processor}")
    codes = [(one, encoded(one)) for one in instructions(processor)]
    numbers = [(int.from_bytes(code, "little"), one.format.size) for one, code in codes]
    texts = disassembled(str(tools[-1]), processor, numbers)
    wrong, compared = [], 0
    for (one, code), (number, _) in zip(codes, numbers, strict=True):
        text = texts.get(number) if one.format.name.startswith(("SOP", "VOP")) else None
        if text is None or _SUFFIX.sub("", text.split(" ")[0]) != one.mnemonic:
            continue  # this tool does not know the processor, or wants other fields
        compared += 1
        if (found := machine.operands(processor, code + bytes(8))) != list(registers(text)):
            wrong.append((text, found))
    assert wrong == []
    assert compared > 600


@pytest.mark.parametrize(
    ("name", "expected"), [("v_mov_b16_e32", 0x5678BEEF), ("v_not_b16_e32", 0x56784110)], ids=["mov", "not"]
)
def test_short_encodings_of_16_bits_choose_halves(machine: Machine, name: str, expected: int) -> None:
    (instruction,) = (one for one in instructions("gfx1100") if one.name == name)
    state = State(32)
    state.vectors[8], state.vectors[5] = 0xBEEF1234, 0x56780000
    machine.execute("gfx1100", instruction.encoded({"vdst": 5, "src0": VECTOR + 128 + 8}), state)
    assert set(state.vectors[5].tolist()) == {expected}
    state.vectors[5] = 0x56780000
    machine.execute("gfx1100", instruction.encoded({"vdst": 128 + 5, "src0": VECTOR + 128 + 8}), state)
    assert set(state.vectors[5].tolist()) == {expected << 16 & 0xFFFF0000}
