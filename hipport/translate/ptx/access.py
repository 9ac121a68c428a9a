"""Modifiers of loads, stores and atomic operations, and conversion of addresses to C++ pointers."""

from __future__ import annotations

from msgspec import Struct

from hipport import lazy_re as re
from hipport.translate.ptx.emitter import Emitter
from hipport.translate.ptx.output import Unsupported
from hipport.translate.ptx.tree import Address, Operand
from hipport.translate.ptx.types import CPP

_SPACES = frozenset({"global", "shared", "shared::cta", "local", "const", "param", "generic"})
_ORDERS = frozenset({"weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"})
_SCOPES = {"cta": "cta", "cluster": "gpu", "gpu": "gpu", "gl": "gpu", "sys": "sys"}
_CACHE = frozenset({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "unified"})
_VECTOR = {"v2": 2, "v4": 4, "v8": 8}
_HINT = re.compile(r"L[12]::\w+|level::\w+")


class Access(Struct, frozen=True):
    """Decoded modifiers. `type` is the PTX type of an element, `count` the number of elements."""

    space: str
    order: str
    scope: str
    cache: frozenset[str]
    count: int
    type: str
    rest: tuple[str, ...]


def access(name: str) -> Access:
    """Decode the modifiers of an instruction's full name; unknown ones are left in `rest`."""
    *modifiers, kind = name.split(".")[1:]
    if kind not in CPP or kind == "pred":
        raise Unsupported(f"the type .{kind}")
    space, order, scope, count = "generic", "weak", "gpu", 1
    cache, rest = set(), []
    for modifier in modifiers:
        if modifier in _SPACES:
            space = modifier.partition("::")[0]
        elif modifier in _ORDERS:
            order = modifier
        elif modifier in _SCOPES:
            scope = _SCOPES[modifier]
        elif modifier in _CACHE:
            cache.add(modifier)
        elif modifier in _VECTOR:
            count = _VECTOR[modifier]
        elif not _HINT.fullmatch(modifier):
            rest.append(modifier)
    return Access(space, order, scope, frozenset(cache), count, kind, tuple(rest))


def pointer(emitter: Emitter, operand: Operand, space: str, cpp: str) -> str:
    """Return the address as a pointer to the C++ type `cpp`, including its `const` and `volatile`."""
    if not isinstance(operand, Address) or operand.base is None:
        raise Unsupported("this form of address")
    value = emitter.value(operand.base)
    offset = emitter.value(operand.offset).atom if operand.offset is not None else ""
    if value.literal or value.kind not in ("int", "pointer"):
        raise Unsupported("this form of address")
    if value.width == 32 or space == "shared":
        if space != "shared":
            raise Unsupported("a 32-bit address outside shared memory")
        address = value.as_type("u32" if value.width == 32 else "u64", exact=bool(offset))
        return emitter.helper(f"@shared_pointer<{cpp}>({_sum(address, offset)})", "memory.h")
    if not offset:
        return f"({cpp}*){value.atom}"
    if value.kind == "pointer":
        return f"({cpp}*)((const char*){value.atom} + {offset})"
    return f"({cpp}*)({_sum(value.as_type('u64', exact=True), offset)})"


def _sum(address: str, offset: str) -> str:
    if not offset:
        return address
    return f"{address} - {offset[1:]}" if offset.startswith("-") else f"{address} + {offset}"


def whole_type(access: Access) -> str:
    """Return the C++ type of all elements together."""
    cpp = CPP[access.type]
    return cpp if access.count == 1 else f"hipport::ptx::Vec<{cpp}, {access.count}>"
