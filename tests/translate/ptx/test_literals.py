"""Numbers as operands have the value that PTX reads from their low bits, whatever C++ type their text has."""

from __future__ import annotations

import subprocess

import pytest

from hipport.translate.ptx.types import width_of
from hipport.translate.ptx.value import Value

TYPES = ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")
NUMBERS: tuple[str, ...] = (
    "0",
    "-1",
    "010",
    "127",
    "128",
    "255",
    "0x1ff",
    "-129",
    "32768",
    "65536",
    "2147483647",
    "2147483648",
)
NUMBERS += ("4294967295", "0xffffffff", "-2147483648", "0x8000000000000000", "0XFFFFFFFFFFFFFFFF", "0b101")


def low_bits(ptx: str, number: str) -> int:
    """Return what an instruction of the type reads from a register that holds the number."""
    value = 8 if number == "010" else int(number, 0)
    bits = width_of(ptx)
    value &= (1 << bits) - 1
    return value - (1 << bits) if ptx[0] == "s" and value >> bits - 1 else value


def test_a_literal_has_the_value_of_its_low_bits() -> None:
    lines = ["#include <cstdint>"]
    for ptx in TYPES:
        for number in NUMBERS:
            text = Value(number, "int", 0, None, literal=True).as_type(ptx, exact=True)
            expected = f"{low_bits(ptx, number) + (1 << 64)}" if ptx[0] == "s" else f"{low_bits(ptx, number)}"
            lines.append(f"static_assert((__int128){text} == {_wide(int(expected), signed=ptx[0] == 's')});")
    compiled = subprocess.run(
        ["g++", "-std=c++17", "-fsyntax-only", "-w", "-x", "c++", "-"],
        input="\n".join(lines),
        text=True,
        capture_output=True,
    )
    assert compiled.returncode == 0, compiled.stderr


def _wide(value: int, *, signed: bool) -> str:
    """Return a 128-bit constant; signed ones come with 2^64 added."""
    low = f"(((__int128){value >> 32}) << 32 | {value & 0xFFFFFFFF}u)"
    return f"({low} - ((__int128)1 << 64))" if signed else low


@pytest.mark.parametrize(
    ("ptx", "number", "text"), [("s32", "5", "5"), ("u32", "0xff", "0xffu"), ("s16", "-3", "-3"), ("u8", "255", "255")]
)
def test_a_number_that_fits_stays(ptx: str, number: str, text: str) -> None:
    assert Value(number, "int", 0, None, literal=True).as_type(ptx, exact=True) == text
