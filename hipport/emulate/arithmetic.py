"""The floating-point operations of instructions, by mnemonic."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENCODING = re.compile(r"_(e32|e64|dpp|sdwa|e64_dpp)$")
_MATRIX = re.compile(
    r"v_(?P<kind>mfma|smfmac|wmma|swmmac)_(?:scale_)?(?P<result>f64|f32|f16|bf16|i32)_"
    r"(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)_?(?:(?P<blocks>\d+)b_)?(?P<source>\w+)"
)
# The first matrix instructions have several blocks where K is the smaller of two, and do not say so in their names.
_BLOCK_K = {"f32": 1, "f16": 4, "bf16": 2, "bf16_1k": 4, "i8": 4}
_BLOCKS = {32: 2, 16: 4, 4: 16}
_LANES = re.compile(
    r"v_(?P<packed>pk_)?(?P<name>add|sub|subrev|mul|mul_legacy|fma|fmac|fmaak|fmamk|mad|mac|madak|madmk|fma_mix|"
    r"fma_mixlo|fma_mixhi|mad_mix|rcp|rsq|sqrt|div_fmas|dot2|dot2c|dot2acc)_(?P<type>f16|f32|f64|bf16)(?:_(?P<source>\w+))?"
)
_TWO = ("fma", "fmac", "fmaak", "fmamk", "mad", "mac", "madak", "madmk", "fma_mix", "fma_mixlo", "fma_mixhi", "mad_mix")


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Operations of an instruction: of each active lane, or of the wavefront for matrix instructions."""

    kind: str
    operations: int
    per_lane: bool


def arithmetic(mnemonic: str) -> Arithmetic | None:
    """Return the operations of an instruction, None if it does no arithmetic on floating-point or matrix data."""
    name = _ENCODING.sub("", mnemonic)
    matrix = _MATRIX.fullmatch(name)
    if matrix:
        return _matrix(matrix)
    lanes = _LANES.fullmatch(name)
    if not lanes:
        return None
    kind = "vector f64" if lanes["type"] == "f64" else "vector f16" if lanes["type"] != "f32" else "vector f32"
    if lanes["name"].startswith("dot2"):
        return Arithmetic("vector f16", 4, True)
    count = (2 if lanes["name"] in _TWO else 1) * (2 if lanes["packed"] else 1)
    return Arithmetic(kind, count, True)


def is_matrix(mnemonic: str) -> bool:
    """Return whether an instruction runs on matrix units."""
    return _MATRIX.fullmatch(_ENCODING.sub("", mnemonic)) is not None


def _matrix(found: re.Match[str]) -> Arithmetic:
    m, n, k = (int(found[part]) for part in ("m", "n", "k"))
    source = found["source"]
    if found["blocks"]:
        blocks = int(found["blocks"])
    elif found["kind"] == "mfma" and source == "f64":
        blocks = 4 if m == 4 else 1
    elif found["kind"] == "mfma" and _BLOCK_K.get(source) == k:
        blocks = _BLOCKS.get(m, 1)
    else:
        blocks = 1
    sparse = found["kind"] in ("smfmac", "swmmac")
    return Arithmetic(f"matrix {_unit(source)}", 2 * m * n * k * blocks // (2 if sparse else 1), False)


def _unit(source: str) -> str:
    """Return the type by which data sheets state the rate of a matrix instruction."""
    if source.startswith(("f16", "bf16")):
        return "f16"
    if source.startswith(("f64", "f32", "xf32")):
        return "f64" if source == "f64" else "f32"
    return "i8" if source.startswith("i") else "f8"
