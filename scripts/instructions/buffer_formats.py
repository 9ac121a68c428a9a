"""The formats of elements in buffers, by AMD's names of them, and what loads and stores make of an element.

Names such as 10_11_11_FLOAT list components from the highest bit on. The numbers of formats are those that LLVM prints
names for; tests/emulate/test_memory_encodings.py compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

_FIXED = ("UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT")
_ALL = (*_FIXED, "FLOAT")
_WHOLE = ("UINT", "SINT", "FLOAT")
_DATA = ("8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2", "2_10_10_10", "8_8_8_8", "32_32",
         "16_16_16_16", "32_32_32", "32_32_32_32")  # fmt: skip
"""Data formats, as gfx9 numbers them from 1 on."""
_KINDS: Mapping[str, Sequence[str]] = {
    "8": _FIXED, "8_8": _FIXED, "8_8_8_8": _FIXED, "10_10_10_2": _FIXED, "2_10_10_10": _FIXED, "32": _WHOLE,
    "32_32": _WHOLE, "32_32_32": _WHOLE, "32_32_32_32": _WHOLE,
}  # fmt: skip
_KINDS_GFX11: Mapping[str, Sequence[str]] = {
    **_KINDS, "10_11_11": ("FLOAT",), "11_11_10": ("FLOAT",), "10_10_10_2": ("UNORM", "SNORM", "UINT", "SINT"),
}  # fmt: skip
_NUMBERS_GFX9 = {**{name: i for i, name in enumerate(_FIXED)}, "FLOAT": 7}
ONE = 0x3F800000


@dataclass(frozen=True)
class BufferFormat:
    """A format: its name, and the values of the fields that say so in instructions and in descriptors."""

    name: str
    fields: tuple[tuple[str, int], ...]
    descriptor: int

    @property
    def kind(self) -> str:
        """The last part of the name."""
        return self.name.rpartition("_")[2]

    @property
    def bits(self) -> tuple[int, ...]:
        """The sizes of the components, from the lowest bit on."""
        return tuple(int(part) for part in reversed(self.name.rpartition("_")[0].split("_")))

    @property
    def bytes(self) -> int:
        """The size of an element."""
        return sum(self.bits) // 8

    def loaded(self, element: int) -> list[int]:
        """Return four components of 32 bits."""
        integer = self.kind in ("UINT", "SINT")
        found = [0, 0, 0, 1 if integer else ONE]
        at = 0
        for i, bits in enumerate(self.bits):
            found[i] = _from(element >> at & ((1 << bits) - 1), bits, self.kind)
            at += bits
        return found

    def stored(self, element: int, component: int, word: int) -> int:
        """Return the element with a component replaced."""
        bits, at = self.bits[component], sum(self.bits[:component])
        return element & ~(((1 << bits) - 1) << at) | _to(word, bits, self.kind) << at


@cache
def buffer_formats(processor: str) -> tuple[BufferFormat, ...]:
    """Return the formats of a processor."""
    return tuple(_formats(processor))


def _formats(processor: str) -> Iterator[BufferFormat]:
    is_gfx10 = processor.startswith("gfx10")
    code = 1
    for i, data in enumerate(_DATA, 1):
        kinds = (_KINDS if processor.startswith("gfx9") or is_gfx10 else _KINDS_GFX11).get(data, _ALL)
        for kind in kinds:
            if processor.startswith("gfx9"):
                number = _NUMBERS_GFX9[kind]
                yield BufferFormat(f"{data}_{kind}", (("dfmt", i), ("nfmt", number)), number << 12 | i << 15)
            else:
                yield BufferFormat(f"{data}_{kind}", (("format", code),), code << 12)
            code += 1


def printed(processor: str, form: BufferFormat) -> str:
    """Return how LLVM prints a format; "" for the one that instructions have by default, 8_UNORM."""
    data, _, kind = form.name.rpartition("_")
    if form.name == "8_UNORM":
        return ""
    if processor.startswith("gfx9"):
        names = [f"BUF_DATA_FORMAT_{data}"] if data != "8" else []
        names += [f"BUF_NUM_FORMAT_{kind}"] if kind != "UNORM" else []
        return f"format:[{','.join(names)}]"
    return f"format:[BUF_FMT_{form.name}]"


def is_formatted(name: str) -> bool:
    """Return whether an instruction accesses elements with a format."""
    return re.fullmatch(r"t?buffer_(load|store)_\w*format_\w*", name) is not None


def components(name: str) -> int:
    """Return how many components an instruction loads or stores."""
    return len(name.rpartition("_")[2])


def _float(bits: int) -> float:
    return float(np.uint32(bits).view(np.float32))


def _word(value: float) -> int:
    return int(np.float32(value).view(np.uint32))


def _signed(code: int, bits: int) -> int:
    return code - (1 << bits) if code >> (bits - 1) else code


def _from(code: int, bits: int, kind: str) -> int:
    if kind == "UNORM":
        return _word(float(Fraction(code, (1 << bits) - 1)))
    if kind == "SNORM":
        return _word(float(max(Fraction(_signed(code, bits), (1 << bits - 1) - 1), Fraction(-1))))
    if kind in ("USCALED", "SSCALED"):
        return _word(code if kind == "USCALED" else _signed(code, bits))
    if kind in ("UINT", "SINT"):
        return (code if kind == "UINT" else _signed(code, bits)) & 0xFFFFFFFF
    return code if bits == 32 else _from_small(code, bits)


def _from_small(code: int, bits: int) -> int:
    """Return a number with 5 bits of exponent as a float; a signaling NaN becomes a quiet one."""
    half = code if bits == 16 else code << 15 - bits
    if half & 0x7FFF > 0x7C00:
        return (half & 0x8000) << 16 | 0x7FC00000 | (half & 0x3FF) << 13
    return _word(float(np.uint16(half).view(np.float16)))


def half(word: int, kind: str) -> int:
    """Return a component of 32 bits in 16."""
    if kind in ("UINT", "SINT"):
        return word & 0xFFFF
    with np.errstate(all="ignore"):
        return int(np.float32(_float(word)).astype(np.float16).view(np.uint16))


def widened(bits: int, kind: str) -> int:
    """Return a component of 16 bits in 32."""
    if kind in ("UINT", "SINT"):
        return bits if kind == "UINT" else _signed(bits, 16) & 0xFFFFFFFF
    return _from_small(bits, 16)


def _to(word: int, bits: int, kind: str) -> int:
    mask = (1 << bits) - 1
    if kind in ("UINT", "SINT"):
        return word & mask
    if kind == "FLOAT":
        return word if bits == 32 else half(word, kind) if bits == 16 else _to_small(_float(word), bits)
    lowest, highest = {
        "UNORM": (0, 1), "SNORM": (-1, 1), "USCALED": (0, mask), "SSCALED": (-(mask >> 1) - 1, mask >> 1),
    }[kind]  # fmt: skip
    value = Fraction(max(min(_float(word), float(highest)), float(lowest)))
    if kind.endswith("SCALED"):
        return int(value) & mask  # toward 0
    return round(value * (mask if kind == "UNORM" else mask >> 1)) & mask


def _to_small(value: float, bits: int) -> int:
    """Return the nearest number without a sign, the even one of two; of those that are too large, infinity."""
    if value <= 0:
        return 0
    infinite = 31 << bits - 5
    values = [Fraction(_float(_from_small(code, bits))) for code in range(infinite)]
    values.append(2 * values[-1] - values[-2])
    if value >= values[-1]:
        return infinite
    return min(range(infinite + 1), key=lambda code: (abs(values[code] - Fraction(value)), code % 2))
