"""Matrix fragments: `ldmatrix`, `stmatrix`, `mma`, `movmatrix`."""

from __future__ import annotations

import re

from hipport.translate.ptx.emitter import Emitter
from hipport.translate.ptx.output import Unsupported
from hipport.translate.ptx.rules import rule, special_rule
from hipport.translate.ptx.tree import Address, Instruction, Operand, Vector

HEADER = "matrix.h"
_MOVED = "matrix fragments are converted to AMD's layouts and back: correct, but slower than code for those layouts"
_SLOW = "matrix fragments are multiplied lane by lane without matrix instructions: correct, but slow"
_ELEMENTS = {
    "f16": ("F16", 2),
    "bf16": ("BF16", 2),
    "tf32": ("TF32", 1),
    "s8": ("S8", 4),
    "u8": ("U8", 4),
    "s4": ("S4", 8),
    "u4": ("U4", 8),
    "e4m3": ("E4M3", 4),
    "e5m2": ("E5M2", 4),
}
_COUNT = {"x1": 1, "x2": 2, "x4": 4}


def _items(operand: Operand, count: int) -> tuple[Operand, ...]:
    items = operand.items if isinstance(operand, Vector) else (operand,)
    if len(items) != count:
        raise Unsupported(f"{len(items)} registers where there should be {count}")
    return items


def _vec(emitter: Emitter, cpp: str, ptx: str, items: tuple[Operand, ...]) -> str:
    return emitter.helper(f"@vec<{cpp}>({', '.join(emitter.read(item, ptx) for item in items)})", HEADER)


def _address(emitter: Emitter, operand: Operand) -> str:
    """Return the address of this lane's row: a 32-bit shared address."""
    if not isinstance(operand, Address) or operand.base is None:
        raise Unsupported("this form of address")
    base = emitter.value(operand.base)
    text = base.as_type("u32", exact=operand.offset is not None)
    return text if operand.offset is None else f"{text} + {emitter.read(operand.offset, 's32')}"


def _ldmatrix(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    count = _COUNT[match["count"]]
    targets = _items(instruction.operands[0], count)
    order = "true" if match["trans"] else "false"
    text = emitter.helper(f"@ldmatrix<{count}, {order}>({_address(emitter, instruction.operands[1])})", HEADER)
    name = emitter.temporary("tiles", f"hipport::ptx::Vec<uint32_t, {count}>", text)
    for number, target in enumerate(targets):
        emitter.write(target, "b32", f"{name}[{number}]")


def _stmatrix(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    count = _COUNT[match["count"]]
    order = "true" if match["trans"] else "false"
    tiles = _vec(emitter, "uint32_t", "b32", _items(instruction.operands[1], count))
    emitter.effect(
        emitter.helper(f"@stmatrix<{count}, {order}>({_address(emitter, instruction.operands[0])}, {tiles})", HEADER)
    )


def _mma(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    (a, per_register), (b, also) = _ELEMENTS[match["a"]], _ELEMENTS[match["b"]]
    halves, odd = divmod(int(match["k"]), 4 * per_register)
    result, sums = match["d"], match["c"]
    if per_register != also or odd or halves not in (1, 2) or result != sums:
        raise Unsupported(f"the shape m16n8k{match['k']} of .{match['a']} and .{match['b']}")
    target, left, right, start = instruction.operands
    count = 2 if sums == "f16" else 4
    cpp = {"f16": "uint32_t", "f32": "float", "s32": "int32_t"}[sums]
    ptx = {"f16": "b32"}.get(sums, sums)
    arguments = (
        _vec(emitter, "uint32_t", "b32", _items(left, 2 * halves)),
        _vec(emitter, "uint32_t", "b32", _items(right, halves)),
        _vec(emitter, cpp, ptx, _items(start, count)),
    )
    clamp = ", true" if match["finite"] or match["finite_last"] else ""
    text = emitter.helper(f"@mma<@{a}, @{b}, {halves}{clamp}>({', '.join(arguments)})", HEADER)
    name = emitter.temporary("product", f"hipport::ptx::Vec<{cpp}, {count}>", text)
    emitter.caveat(_MOVED)
    for number, item in enumerate(_items(target, count)):
        emitter.write(item, ptx, f"{name}[{number}]")


def _mma_small(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    """Emit an integer m8n8: the upper eight rows of m16n8, with one register for each factor."""
    (a, per_register), (b, also) = _ELEMENTS[match["a"]], _ELEMENTS[match["b"]]
    if per_register != also or int(match["k"]) != 4 * per_register:
        raise Unsupported(f"the shape m8n8k{match['k']} of .{match['a']} and .{match['b']}")
    target, left, right, start = instruction.operands
    (rows,), (columns,) = _items(left, 1), _items(right, 1)
    sums = ", ".join(emitter.read(item, "s32") for item in _items(start, 2))
    arguments = (
        emitter.helper(f"@vec<uint32_t>({emitter.read(rows, 'b32')}, 0u)", HEADER),
        _vec(emitter, "uint32_t", "b32", (columns,)),
        emitter.helper(f"@vec<int32_t>({sums}, 0, 0)", HEADER),
    )
    clamp = ", true" if match["finite"] or match["finite_last"] else ""
    text = emitter.helper(f"@mma<@{a}, @{b}, 1{clamp}>({', '.join(arguments)})", HEADER)
    name = emitter.temporary("product", "hipport::ptx::Vec<int32_t, 4>", text)
    emitter.caveat(_MOVED)
    for number, item in enumerate(_items(target, 2)):
        emitter.write(item, "s32", f"{name}[{number}]")


def _mma_f64(emitter: Emitter, instruction: Instruction, _: re.Match[str]) -> None:
    target, left, right, start = instruction.operands
    (a,), (b,) = _items(left, 1), _items(right, 1)
    sums = _vec(emitter, "double", "f64", _items(start, 2))
    text = emitter.helper(f"@mma_f64({emitter.read(a, 'f64')}, {emitter.read(b, 'f64')}, {sums})", HEADER)
    name = emitter.temporary("product", "hipport::ptx::Vec<double, 2>", text)
    emitter.caveat(_SLOW)
    for number, item in enumerate(_items(target, 2)):
        emitter.write(item, "f64", f"{name}[{number}]")


def _mma_quad_pairs(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    """Emit Volta's m8n8k4: four products, each by four lanes and those sixteen further."""
    sums = match["d"]
    if match["c"] != sums:
        raise Unsupported(f"sums of .{match['c']} that become .{sums}")
    target, left, right, start = instruction.operands
    count, cpp, ptx = (8, "float", "f32") if sums == "f32" else (4, "uint32_t", "b32")
    along = ("true" if match["rows"] == "row" else "false", "true" if match["columns"] == "col" else "false")
    factors = (_vec(emitter, "uint32_t", "b32", _items(each, 2)) for each in (left, right))
    arguments = ", ".join((*factors, _vec(emitter, cpp, ptx, _items(start, count))))
    text = emitter.helper(f"@mma_quad_pairs<{', '.join(along)}>({arguments})", HEADER)
    name = emitter.temporary("product", f"hipport::ptx::Vec<{cpp}, {count}>", text)
    emitter.caveat(_SLOW)
    for number, item in enumerate(_items(target, count)):
        emitter.write(item, ptx, f"{name}[{number}]")


_TILES = r"\.sync\.aligned(?:\.m8n8)?\.(?P<count>x[124])(?P<trans>\.trans)?(?:\.m8n8)?(?:\.shared(?:::cta)?)?\.b16"
# Orders of modifiers that are not in the manual but that ptxas accepts.
_TRANSPOSED_FIRST = r"\.sync\.aligned(?P<trans>\.trans)\.m8n8\.(?P<count>x[124])(?:\.shared(?:::cta)?)?\.b16"
_FINITE_LAST = r"(?P<finite_last>\.satfinite)?"
_INTEGER = r"(?P<a>[su][48])\.(?P<b>[su][48])"

RULES = (
    special_rule(f"ldmatrix{_TILES}", _ldmatrix, 2),
    special_rule(f"ldmatrix{_TRANSPOSED_FIRST}", _ldmatrix, 2),
    special_rule(f"stmatrix{_TILES}", _stmatrix, 2),
    special_rule(
        r"mma\.sync\.aligned\.m16n8k(?P<k>4|8|16|32|64)\.row\.col(?P<finite>\.satfinite)?"
        r"\.(?P<d>f16|f32|s32)\.(?P<a>f16|bf16|tf32|[su][48]|e4m3|e5m2)"
        rf"\.(?P<b>f16|bf16|tf32|[su][48]|e4m3|e5m2)\.(?P<c>f16|f32|s32){_FINITE_LAST}",
        _mma,
        4,
    ),
    special_rule(
        rf"mma\.sync\.aligned\.m8n8k(?P<k>16|32)\.row\.col(?P<finite>\.satfinite)?\.s32\.{_INTEGER}\.s32{_FINITE_LAST}",
        _mma_small,
        4,
    ),
    special_rule(r"mma\.sync\.aligned\.m8n8k4\.row\.col\.f64\.f64\.f64\.f64(?:\.rn)?", _mma_f64, 4),
    special_rule(
        r"mma\.sync\.aligned\.m8n8k4\.(?P<rows>row|col)\.(?P<columns>row|col)\.(?P<d>f16|f32)\.f16\.f16\.(?P<c>f16|f32)",
        _mma_quad_pairs,
        4,
    ),
    rule(r"movmatrix\.sync\.aligned\.m8n8\.trans\.b16", "b32 = b32", "@movmatrix({a})", HEADER),
)
