"""Detection of `atomicAdd` calls that HIP may lack: for vectors of floats, and for 16-bit floats."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.translate.passes.pointees import cast_pointee, type_words
from hipport.translate.references import Reference
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

NAMES = frozenset({"atomicAdd", "atomicAdd_block", "atomicAdd_system"})

_BFLOATS = {f"{prefix}bfloat16{pair}" for prefix in ("__nv_", "nv_", "__hip_") for pair in ("", "2")}
_VECTORS = frozenset({"float2", "float4", "half", "half2", "__half", "__half2"} | _BFLOATS)
_SCALARS = frozenset(
    {"int", "unsigned", "long", "float", "double", "uint", "size_t", "ulong", "uint32_t", "int32_t", "uint64_t"}
)
_ELEMENT = re.compile(r"(?:\.|->)\s*[xyzw]\s*\)*\s*\Z")
_NAME = re.compile(r"[A-Za-z_]\w*")
_IN_FRONT = re.compile(r"\b([A-Za-z_]\w*)[\s*&]+(?:(?:const|volatile|__restrict__|__restrict)\s+)*\Z")
_CALLED = re.compile(r"\s*\(")
_LONGEST_TYPE = 200


def may_be_vector(work: Work, reference: Reference) -> bool:
    """Return whether a use may add such a value; False if its type is known, or the file names no such type."""
    unit = work.unit
    call = call_of(unit, reference.span) if type_words(unit) & _VECTORS else None
    if call is None or not call.arguments:
        return False
    address = unit.code[call.arguments[0].start : call.arguments[0].end]
    if _ELEMENT.search(address):
        return False
    kinds = _kinds(unit, address)
    return not kinds or not kinds <= _SCALARS


def _kinds(unit: Unit, address: str) -> set[str]:
    """Return the types that an address is cast to, or else those declared for the variable in it."""
    if cast := cast_pointee(address):
        return {cast.rpartition(" ")[2]}
    name = _NAME.search(address)
    return _declared(unit, name[0]) if name is not None else set()


def _declared(unit: Unit, name: str) -> set[str]:
    """Return the words in the position of a type in front of a variable's name."""
    found = set()
    for _, offset in unit.occurrences(frozenset({name})):
        match = _IN_FRONT.search(unit.code, max(0, offset - _LONGEST_TYPE), offset)
        if match is not None and _CALLED.match(unit.code, offset + len(name)) is None:
            found.add(match[1])
    return found - {"return"}
