"""C++ expressions with known type facts, and their conversion to PTX types."""

from __future__ import annotations

import struct

from msgspec import Struct

from hipport import lazy_re as re
from hipport.translate.ptx.tree import Real
from hipport.translate.ptx.types import CPP, kind_of, width_of

_ATOM = re.compile(r"[\w.:]+(?:(?:->|\.)\w+|\[[^\[\]]*\]|<[\w, :]*>|\([^()]*\))*")
_FROM_BITS = {32: "__uint_as_float", 64: "__longlong_as_double"}
_TO_BITS = {32: "__float_as_uint", 64: "__double_as_longlong"}


class Value(Struct, frozen=True):
    """A C++ expression.

    `kind`: "int", "float", "pred", or "pointer" for a possible pointer. `type` is its exact C++ type where known.
    `literal`: a number whose text fits any type that can hold it.
    """

    text: str
    kind: str
    width: int
    type: str | None = None
    literal: bool = False

    def as_type(self, ptx: str, *, exact: bool) -> str:
        """Return the text as a value of a PTX type.

        `exact`: the result's C++ type is that type. Otherwise it only has to be convertible to it, as an argument is.
        """
        kind, width = kind_of(ptx), width_of(ptx)
        if self.kind == "float" or kind == "float":
            return self._with_float(ptx, exact=exact)
        if self.literal:
            return self._literal(ptx) if exact else self.text
        if self.type == CPP[ptx] or (not exact and self.kind == "int" and self.width == width):
            return self.atom if exact else self.text
        return f"{CPP[ptx]}({self.text})"

    @property
    def atom(self) -> str:
        """The text, in parentheses unless it is safe as the operand of any operator."""
        return self.text if _ATOM.fullmatch(self.text) else f"({self.text})"

    def _with_float(self, ptx: str, *, exact: bool) -> str:
        kind, width = kind_of(ptx), width_of(ptx)
        if self.kind == "float" and kind == "float":
            if self.width != width:
                return f"{CPP[ptx]}({self.text})"
            return self.atom if exact else self.text
        if kind == "float":
            bits = self.text if width == 32 or self.type == "int64_t" else f"int64_t({self.text})"
            return f"{_FROM_BITS[width]}({bits})"
        text = f"{_TO_BITS[self.width]}({self.text})"
        same = width == self.width and (width == 32 or ptx[0] == "s") and ptx != "s32"
        return text if same else f"{CPP[ptx]}({text})"

    def _literal(self, ptx: str) -> str:
        if not _holds(ptx, self.text):
            return f"{CPP[ptx]}({self.text})"
        return self.text + {"u32": "u", "b32": "u", "u64": "ull", "b64": "ull", "s64": "ll"}.get(ptx, "")


def _holds(ptx: str, text: str) -> bool:
    """Return whether a number of C++ or PTX has the same value in a PTX type, such as 255 in `u8` but not in `s8`."""
    digits = text.lstrip("-")
    base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[:1] == "0" and digits.isdigit() else 0
    try:
        number = int(text, base)
    except ValueError:  # 08, or thousands of digits: compilers say so
        return False
    bits = width_of(ptx)
    if ptx[0] == "s":
        return -(1 << bits - 1) <= number < 1 << bits - 1
    return 0 <= number < 1 << bits


def real_literal(operand: Real, ptx: str) -> str:
    """Return a floating-point constant as a literal, or as bits if it is infinite, NaN or of a non-float type."""
    if kind_of(ptx) != "float":
        return hex(_bits(operand, width_of(ptx)))
    if operand.value - operand.value != 0:
        digits = hex(_bits(operand, width_of(ptx)))
        return f"__uint_as_float({digits})" if ptx == "f32" else f"__longlong_as_double({digits}ll)"
    return repr(operand.value) + ("f" if ptx == "f32" else "")


def _bits(operand: Real, width: int) -> int:
    if operand.bits is not None and operand.width == width:
        return operand.bits
    packed = struct.pack("<f" if width == 32 else "<d", operand.value)
    return int.from_bytes(packed, "little")
