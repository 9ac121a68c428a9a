"""The instruction tables of the emulator (hipport/emulate/native/isa), and encodings made with them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "hipport" / "emulate" / "native" / "isa"
VECTOR = 256
"""Source numbers from here on are vector registers."""

IMAGES = ("MIMG", "VIMAGE", "VSAMPLE")
"""Formats of which the tables have only names, not operands; they are left out here."""

_FORMAT = re.compile(r"FORMAT\((\w+), (\d+), (0x[0-9a-f]+)u, 0x[0-9a-f]+u, (\d+), (\d+)\)")
_FIELD = re.compile(r"FIELD\((\w+), (\w+), (\d+), (\d+)\)")
_OPCODE = re.compile(r'OPCODE\((\w+), (\d+), (\w+), "([^"]*)"\)')
_SUFFIX = re.compile(r"_(e32|e64|dpp|sdwa)$")


@dataclass(frozen=True)
class Slot:
    """An operand: a field with `count` registers of a bank ("v", "s", "a"), or a word such as "vcc"."""

    name: str
    bank: str = ""
    count: int = 0


@dataclass
class Format:
    """An encoding of `size` bits; fields are (lowest bit, width)."""

    name: str
    size: int
    match: int
    opcode_low: int
    opcode_width: int
    fields: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Instruction:
    """An opcode of a format."""

    format: Format
    opcode: int
    name: str
    slots: tuple[Slot, ...]

    @property
    def mnemonic(self) -> str:
        """The name without the suffix for its encoding."""
        return _SUFFIX.sub("", self.name)

    def encoded(self, values: Mapping[str, int]) -> bytes:
        """Return the machine code with these values in its fields."""
        width = self.format.opcode_width
        code = self.format.match | (self.opcode & ((1 << width) - 1)) << self.format.opcode_low
        if "opcode_high" in self.format.fields:
            code |= self.opcode >> width << self.format.fields["opcode_high"][0]
        for name, value in values.items():
            low, width = self.format.fields[name]
            code |= (value & ((1 << width) - 1)) << low
        return code.to_bytes(self.format.size // 8, "little")


def _slots(text: str) -> Iterator[Slot]:
    for word in text.split():
        parts = word.split(":")
        yield Slot(parts[0], parts[1], int(parts[2])) if len(parts) == 3 else Slot(word)


@cache
def instructions(processor: str) -> tuple[Instruction, ...]:
    """Return all instructions of a processor, in the order of its table."""
    formats: dict[str, Format] = {}
    found = []
    for line in (FOLDER / f"{processor}.inc").read_text(encoding="ascii").splitlines():
        if match := _FORMAT.fullmatch(line):
            formats[match[1]] = Format(match[1], int(match[2]), int(match[3], 16), int(match[4]), int(match[5]))
        elif match := _FIELD.fullmatch(line):
            formats[match[1]].fields[match[2]] = (int(match[3]), int(match[4]))
        elif (match := _OPCODE.fullmatch(line)) and match[1] not in IMAGES:
            found.append(Instruction(formats[match[1]], int(match[2]), match[3], tuple(_slots(match[4]))))
    return tuple(found)
