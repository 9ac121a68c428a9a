"""Integer arithmetic, bit operations and shifts."""

from __future__ import annotations

import re

from hipport.translate.ptx.emitter import Emitter
from hipport.translate.ptx.output import Unsupported
from hipport.translate.ptx.rules import rule, special_rule
from hipport.translate.ptx.tree import Instruction
from hipport.translate.ptx.types import CPP, unsigned

HEADER = "integer.h"
_INT = "(?P<t>[us](?:16|32|64))"
_SIGNED = "(?P<t>s(?:16|32|64))"
_BITS = "(?P<t>[bus](?:16|32|64))"


def _carry(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    """Emit `add.cc`, `addc`, `madc.hi.cc`: the carry flag becomes a variable of the block."""
    takes, gives = match["takes"] != "", match["gives"] != ""
    if takes and not emitter.cc_live:
        raise Unsupported("a carry from an earlier asm statement")
    carry = emitter.carry()
    part = (match.groupdict().get("part") or "").lstrip(".")
    ptx = match["t"] if part == "hi" else unsigned(match["t"])
    function = "_".join(filter(None, (match["op"] + ("" if gives else "c"), part, "cc" if gives else "")))
    sources = [emitter.read(operand, ptx) for operand in instruction.operands[1:]]
    sources += [carry if takes else "0", *([carry] if gives else [])]
    text = emitter.helper(f"@{function}<{CPP[ptx]}>({', '.join(sources)})", HEADER)
    emitter.cc_live = emitter.cc_live or gives
    emitter.write(instruction.operands[0], ptx, text)


RULES = (
    rule(rf"add\.{_INT}", "u(t) = u(t) u(t)", "{a!} + {b!}"),
    rule(rf"sub\.{_INT}", "u(t) = u(t) u(t)", "{a!} - {b!}"),
    rule(r"(?P<op>add|sub)\.sat\.(?P<t>s32)", "s32 = s32 s32", "@{op}_sat({a}, {b})", HEADER),
    special_rule(rf"(?P<op>add|sub)(?P<takes>c?)(?P<gives>\.cc)\.{_INT}", _carry, 3),
    special_rule(rf"(?P<op>add|sub)(?P<takes>c)(?P<gives>)\.{_INT}", _carry, 3),
    special_rule(rf"(?P<op>mad)(?P<takes>c?)(?P<part>\.(?:lo|hi))(?P<gives>\.cc)\.{_INT}", _carry, 4),
    special_rule(rf"(?P<op>mad)(?P<takes>c)(?P<part>\.(?:lo|hi))(?P<gives>)\.{_INT}", _carry, 4),
    rule(r"mul\.lo\.(?P<t>[us]16)", "u16 = u32 u32", "uint16_t({a!} * {b!})"),
    rule(rf"mul\.lo\.{_INT}", "u(t) = u(t) u(t)", "{a!} * {b!}"),
    rule(rf"mul\.hi\.{_INT}", "t = t t", "@mul_hi<{t}>({a}, {b})", HEADER),
    rule(r"mul\.wide\.(?P<t>[us](?:16|32))", "wide(t) = t t", "@mul_wide<{t}>({a}, {b})", HEADER),
    rule(r"mul24\.(?P<part>lo|hi)\.(?P<t>[us]32)", "t = t t", "@mul24_{part}<{t}>({a}, {b})", HEADER),
    rule(r"mad\.lo\.(?P<t>[us]16)", "u16 = u32 u32 u32", "uint16_t({a!} * {b!} + {c!})"),
    rule(rf"mad\.lo\.{_INT}", "u(t) = u(t) u(t) u(t)", "{a!} * {b!} + {c!}"),
    rule(rf"mad\.hi\.{_INT}", "t = t t t", "@mad_hi<{t}>({a}, {b}, {c})", HEADER),
    rule(r"mad\.hi\.sat\.s32", "s32 = s32 s32 s32", "@mad_hi_sat({a}, {b}, {c})", HEADER),
    rule(r"mad\.wide\.(?P<t>[us](?:16|32))", "wide(t) = t t wide(t)", "@mad_wide<{t}>({a}, {b}, {c})", HEADER),
    rule(r"mad24\.(?P<part>lo|hi)\.(?P<t>[us]32)", "t = t t t", "@mad24_{part}<{t}>({a}, {b}, {c})", HEADER),
    rule(rf"sad\.{_INT}", "t = t t t", "@sad<{t}>({a}, {b}, {c})", HEADER),
    rule(rf"div\.{_INT}", "t = t t", "{a!} / {b!}"),
    rule(rf"rem\.{_INT}", "t = t t", "{a!} % {b!}"),
    rule(rf"abs\.{_SIGNED}", "t = t", "@abs<{t}>({a})", HEADER),
    rule(rf"neg\.{_SIGNED}", "u(t) = u(t)", "0 - {a!}"),
    rule(rf"(?P<op>min|max)\.{_INT}", "t = t t", "@{op}<{t}>({a}, {b})", HEADER),
    rule(
        r"(?P<op>min|max)\.relu\.s32",
        "s32 = s32 s32",
        "@{op}<int32_t>(@max<int32_t>({a}, 0), @max<int32_t>({b}, 0))",
        HEADER,
    ),
    rule(r"and\.pred", "pred = pred pred", "{a!} && {b!}"),
    rule(r"or\.pred", "pred = pred pred", "{a!} || {b!}"),
    rule(r"xor\.pred", "pred = pred pred", "{a!} != {b!}"),
    rule(r"not\.pred", "pred = pred", "!{a!}"),
    rule(r"and\.(?P<t>b\d+)", "t = t t", "{a!} & {b!}"),
    rule(r"or\.(?P<t>b\d+)", "t = t t", "{a!} | {b!}"),
    rule(r"xor\.(?P<t>b\d+)", "t = t t", "{a!} ^ {b!}"),
    rule(r"not\.(?P<t>b\d+)", "t = t", "~{a!}"),
    rule(r"cnot\.(?P<t>b\d+)", "t = t", "{a!} == 0 ? 1 : 0"),
    rule(rf"(?P<op>shl|shr)\.{_BITS}", "t = t u32", "@{op}<{t}>({a}, {b})", HEADER),
    rule(r"bfe\.(?P<t>[us](?:32|64))", "t = t u32 u32", "@bfe<{t}>({a}, {b}, {c})", HEADER),
    rule(r"bfi\.(?P<t>b(?:32|64))", "t = t t u32 u32", "@bfi<{t}>({a}, {b}, {c}, {d})", HEADER),
    rule(r"bfind\.(?P<t>[us](?:32|64))", "u32 = t", "@bfind<{t}>({a})", HEADER),
    rule(r"bfind\.shiftamt\.(?P<t>[us](?:32|64))", "u32 = t", "@bfind_shiftamt<{t}>({a})", HEADER),
    rule(r"brev\.(?P<t>b(?:32|64))", "t = t", "@brev<{t}>({a})", HEADER),
    rule(r"popc\.(?P<t>b(?:32|64))", "u32 = t", "@popc<{t}>({a})", HEADER),
    rule(r"clz\.(?P<t>b(?:32|64))", "u32 = t", "@clz<{t}>({a})", HEADER),
    rule(r"fns\.b32", "u32 = b32 b32 s32", "@fns({a}, {b}, {c})", HEADER),
    rule(r"bmsk\.(?P<mode>clamp|wrap)\.b32", "b32 = u32 u32", "@bmsk_{mode}({a}, {b})", HEADER),
    rule(r"szext\.(?P<mode>clamp|wrap)\.(?P<t>[us]32)", "t = t u32", "@szext_{mode}<{t}>({a}, {b})", HEADER),
    rule(r"lop3\.b32", "b32 = b32 b32 b32 u32", "@lop3<{d}>({a}, {b}, {c})", HEADER),
    rule(r"prmt\.b32", "b32 = b32 b32 b32", "@prmt({a}, {b}, {c})", HEADER),
    rule(r"prmt\.b32\.(?P<mode>f4e|b4e|rc8|ecl|ecr|rc16)", "b32 = b32 b32 b32", "@prmt_{mode}({a}, {b}, {c})", HEADER),
    rule(
        r"shf\.(?P<way>[lr])\.(?P<mode>wrap|clamp)\.b32",
        "b32 = b32 b32 u32",
        "@shf_{way}_{mode}({a}, {b}, {c})",
        HEADER,
    ),
    rule(r"dp(?P<n>4)a\.(?P<t>[us]32)\.(?P<q>[us]32)", "b32 = b32 b32 b32", "@dp4a<{t}, {q}>({a}, {b}, {c})", HEADER),
    rule(
        r"dp2a\.(?P<half>lo|hi)\.(?P<t>[us]32)\.(?P<q>[us]32)",
        "b32 = b32 b32 b32",
        "@dp2a_{half}<{t}, {q}>({a}, {b}, {c})",
        HEADER,
    ),
)
