"""Loads, stores, atomic operations and copies to shared memory."""

from __future__ import annotations

import re

from hipport.translate.ptx.access import Access, access, pointer, whole_type
from hipport.translate.ptx.emitter import Emitter
from hipport.translate.ptx.output import Unsupported
from hipport.translate.ptx.rules import special_rule
from hipport.translate.ptx.tree import Address, Instruction, Negated, Operand, Real, Vector
from hipport.translate.ptx.types import CPP

HEADER = "memory.h"
_ALIASES = {
    "b32": "u32",
    "b64": "u64",
    "b16": "u16",
}
_POINTED = {"u32": "unsigned int", "s32": "int", "u64": "unsigned long long", "f32": "float", "f64": "double"}
_HIP = {
    "add": ("Add", frozenset({"u32", "s32", "u64", "f32", "f64"})),
    "min": ("Min", frozenset({"u32", "s32", "u64"})),
    "max": ("Max", frozenset({"u32", "s32", "u64"})),
    "and": ("And", frozenset({"u32", "s32", "u64"})),
    "or": ("Or", frozenset({"u32", "s32", "u64"})),
    "xor": ("Xor", frozenset({"u32", "s32", "u64"})),
    "exch": ("Exch", frozenset({"u32", "s32", "u64", "f32"})),
    "cas": ("CAS", frozenset({"u32", "s32", "u64"})),
    "inc": ("Inc", frozenset({"u32"})),
    "dec": ("Dec", frozenset({"u32"})),
}
_OWN = frozenset(
    {("add", "f16x2"), ("add", "bf16x2"), ("add", "f16"), ("add", "bf16"), ("cas", "u16"), ("exch", "u16")}
)
_OWN_SIGNED = frozenset({("min", "s64"), ("max", "s64")})
_FENCES = {"cta": "__threadfence_block()", "gpu": "__threadfence()", "sys": "__threadfence_system()"}
_NO_POLICY = "cache policies are dropped"
_SYNCHRONOUS = "cp.async becomes an immediate copy by the thread"


def _elements(target: Operand, how: Access) -> tuple[Operand, ...]:
    if isinstance(target, Vector):
        if len(target.items) != how.count:
            raise Unsupported("a vector of another length")
        return target.items
    if how.count != 1:
        raise Unsupported("a vector in one register")
    return (target,)


def _load(emitter: Emitter, instruction: Instruction, _: re.Match[str]) -> None:
    how = access(instruction.name)
    if how.rest:
        raise Unsupported(f".{how.rest[0]}")
    text = _loaded(emitter, instruction.operands[1], how)
    targets = _elements(instruction.operands[0], how)
    if how.count == 1:
        emitter.write(targets[0], how.type, text)
        return
    name = emitter.temporary("loaded", whole_type(how), text)
    for number, target in enumerate(targets):
        emitter.write(target, how.type, f"{name}[{number}]")


def _loaded(emitter: Emitter, address: Operand, how: Access) -> str:
    cpp = whole_type(how)
    if how.order in ("relaxed", "acquire"):
        at = pointer(emitter, address, how.space, f"const {cpp}")
        return emitter.helper(f"@load<@{how.order}, @{how.scope}>({at})", HEADER)
    if _is_volatile(emitter, how):
        if how.count == 1:
            return f"*{pointer(emitter, address, how.space, f'const volatile {cpp}')}"
        return emitter.helper(f"@load_volatile({pointer(emitter, address, how.space, f'const {cpp}')})", HEADER)
    at = pointer(emitter, address, how.space, f"const {cpp}")
    if how.count > 1:
        emitter.need(HEADER)
    if how.cache & {"cs", "lu"}:
        return emitter.helper(f"@load_streaming({at})", HEADER)
    return f"*{at}"


def _is_volatile(emitter: Emitter, how: Access) -> bool:
    """Return whether an access must be volatile: writes of other threads must be seen, as in a loop that waits."""
    if how.order in ("volatile", "mmio") or how.cache & {"cv", "wt"}:
        return True
    return emitter.volatile and not how.cache & {"nc"} and how.space not in ("const", "param", "local")


def _store(emitter: Emitter, instruction: Instruction, _: re.Match[str]) -> None:
    how = access(instruction.name)
    if how.rest:
        raise Unsupported(f".{how.rest[0]}")
    address, source = instruction.operands[:2]
    pieces = [emitter.read(item, how.type) for item in _elements(source, how)]
    value = pieces[0]
    if how.count > 1:
        value = emitter.helper(f"@vec<{CPP[how.type]}>({', '.join(pieces)})", HEADER)
    emitter.effect(_stored(emitter, address, how, value))


def _stored(emitter: Emitter, address: Operand, how: Access, value: str) -> str:
    cpp = whole_type(how)
    at = pointer(emitter, address, how.space, cpp)
    if how.order in ("relaxed", "release"):
        return emitter.helper(f"@store<@{how.order}, @{how.scope}>({at}, {value})", HEADER)
    if _is_volatile(emitter, how):
        if how.count == 1:
            return f"*{pointer(emitter, address, how.space, f'volatile {cpp}')} = {value}"
        return emitter.helper(f"@store_volatile({at}, {value})", HEADER)
    if how.cache & {"cs"}:
        return emitter.helper(f"@store_streaming({at}, {value})", HEADER)
    return f"*{at} = {value}"


def _atomic(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    name = instruction.name
    how = access(name)
    returns = instruction.opcode == "atom"
    operation = [word for word in how.rest if word != "noftz"]
    if len(operation) != 1 or how.count != 1:
        raise Unsupported(f".{operation[-1]}" if operation and how.count == 1 else "a vector of atomic operations")
    address, *sources = instruction.operands[1:] if returns else instruction.operands
    count = 2 if operation[0] == "cas" else 1
    if len(sources) not in (count, count + 1):
        raise Unsupported("this number of operands")
    call = _atomic_call(emitter, how, operation[0], address, sources[:count])
    if how.order in ("release", "acq_rel"):
        emitter.effect(_FENCES[how.scope])
    if returns:
        emitter.touch()
        emitter.write(instruction.operands[0], how.type, call)
    else:
        emitter.effect(call)
    if how.order in ("acquire", "acq_rel"):
        emitter.effect(_FENCES[how.scope])


def _atomic_call(emitter: Emitter, how: Access, operation: str, address: Operand, sources: list[Operand]) -> str:
    ptx = _ALIASES.get(how.type, how.type)
    if operation == "add" and ptx == "s64":
        ptx = "u64"
    function, types = _HIP.get(operation, ("", frozenset()))
    values = ", ".join(emitter.read(source, ptx) for source in sources)
    if ptx in types:
        suffix = "_system" if how.scope == "sys" and operation in ("add", "cas", "exch") else ""
        return f"atomic{function}{suffix}({pointer(emitter, address, how.space, _POINTED[ptx])}, {values})"
    if (operation, ptx) in _OWN or (operation, ptx) in _OWN_SIGNED:
        at = pointer(emitter, address, how.space, CPP[ptx])
        return emitter.helper(f"@atomic_{operation}_{ptx}({at}, {values})", "atomic.h")
    raise Unsupported(f".{operation} of .{how.type}")


def _policy(emitter: Emitter, instruction: Instruction, _: re.Match[str]) -> None:
    emitter.caveat(_NO_POLICY)
    emitter.write(instruction.operands[0], "u64", "0")


def _copy(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    target, source, size, *rest = instruction.operands
    emitter.caveat(_SYNCHRONOUS)
    to = pointer(emitter, target, "shared", "void")
    start = pointer(emitter, source, "global", "const void")
    count = emitter.read(size, "u32")
    if match["hint"] and rest:
        rest = rest[:-1]
    if len(rest) > 1:
        raise Unsupported("this number of operands")
    filled = f", {_valid(emitter, rest[0], count)}" if rest else ""
    emitter.effect(emitter.helper(f"@cp_async<{count}>({to}, {start}{filled})", HEADER))


def _valid(emitter: Emitter, operand: Operand, size: str) -> str:
    """Return the number of bytes to copy before zero fill: a number, or none under a predicate."""
    if isinstance(operand, Negated) or (not isinstance(operand, Real) and emitter.value(operand).kind == "pred"):
        return f"{emitter.read(operand, 'pred', exact=True)} ? 0u : {size}"
    return emitter.read(operand, "u32")


def _is_in(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    target, source = instruction.operands
    at = pointer(emitter, Address(source, None), "generic", "const void")
    emitter.write(target, "pred", emitter.helper(f"@is_shared({at})", HEADER))


def _to_shared(emitter: Emitter, instruction: Instruction, match: re.Match[str]) -> None:
    target, source = instruction.operands
    at = pointer(emitter, Address(source, None), "generic", "const void")
    emitter.write(target, match["t"], emitter.helper(f"@shared_address({at})", HEADER))


RULES = (
    special_rule(r"ld(?:u)?\..*", _load, range(2, 4)),
    special_rule(r"st\.(?!async|bulk).*", _store, range(2, 4)),
    special_rule(r"(?:atom|red)\.(?!async).*", _atomic, range(2, 6)),
    special_rule(
        r"cp\.async\.(?:ca|cg)\.shared(?:::cta)?\.global(?P<hint>\.L2::cache_hint)?(?:\.L2::\d+B)?", _copy, range(3, 6)
    ),
    special_rule(r"createpolicy\.(?:fractional|range|cvt)\..*\.b64", _policy, range(2, 5)),
    special_rule(r"cvta\.to\.shared(?:::cta)?\.(?P<t>u64)", _to_shared, 2),
    special_rule(r"isspacep\.shared(?:::cta)?", _is_in, 2),
)
