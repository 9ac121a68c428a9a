"""Atomic functions that a project defines because CUDA lacks them, and that HIP has: `atomicSub(float*, float)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Span
from hipport.translate.passes.guarding import guard
from hipport.translate.syntax.brackets import matching_close, skip_blanks
from hipport.translate.syntax.declarations import after_parameters, at_file_scope, declaration, specifiers
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_REAL, _LONG = frozenset({"float", "double"}), frozenset({"unsigned long"})
_OF_HIP = {
    "atomicAdd": _LONG,
    "atomicAnd": _LONG,
    "atomicCAS": _LONG | _REAL,
    "atomicExch": _LONG | {"double"},
    "atomicMax": _LONG | _REAL,
    "atomicMin": _LONG | _REAL,
    "atomicOr": _LONG,
    "atomicSub": _LONG | _REAL | {"unsigned long long"},
    "atomicXor": _LONG,
}
"""The types for which HIP has a function in every release, and CUDA has not."""
_SAME = {
    **dict.fromkeys(("size_t", "std::size_t", "uint64_t", "std::uint64_t", "uintptr_t"), "unsigned long"),
    **dict.fromkeys(("unsigned long int", "long unsigned int", "long unsigned", "ulong"), "unsigned long"),
    "unsigned long long int": "unsigned long long",
}
_NAMES = frozenset(_OF_HIP)
_TYPE = (
    r"(?:const\s+)?((?:unsigned|long|int|float|double|ulong|(?:std::)?(?:size|uint64)_t|uintptr_t)"
    r"(?:\s+(?:long|int|unsigned))*)"
)
_PARAMETERS = re.compile(
    rf"\(\s*(?:volatile\s+)?{_TYPE}\s*\*\s*(?:const\s+|__restrict__\s+)*\w*\s*"
    rf",\s*{_TYPE}(?:\s+\w+)?\s*(?:,\s*{_TYPE}(?:\s+\w+)?\s*)?\)"
)


@dataclass(frozen=True, slots=True)
class _Own:
    """A declaration of a function that HIP has; `declared` is None where the declaration's extent is unclear."""

    name: str
    type: str
    place: Span
    declared: Span | None
    has_body: bool


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Guard the definitions and prototypes, since HIP's functions have the same parameters."""
    own = [found for found in _own(work.unit) if platform_at(work.unit, found.place.start) is not Platform.NVIDIA]
    yield from (_report(work, found) for found in own if found.has_body or found.declared is None)
    yield from guard(work.unit, (found.declared for found in own if found.declared is not None), "HIP has this")


def _own(unit: Unit) -> Iterator[_Own]:
    for name, offset in unit.occurrences(_NAMES):
        parameters = _PARAMETERS.match(unit.code, skip_blanks(unit.code, offset + len(name)))
        of = _type(name, parameters) if parameters is not None else ""
        if parameters is None or not of or unit.directive_at(offset) is not None:
            continue
        opening = after_parameters(unit.code, parameters.end())
        if opening is None or not _for_device(unit, offset) or not at_file_scope(unit, offset):
            continue
        has_body = unit.code[opening] == "{"
        close = matching_close(unit.code, opening) if has_body else opening
        split = close is None or unit.has_directive(Span(offset, opening))
        declared = declaration(unit, offset, close + 1) if close is not None and not split else None
        yield _Own(name, of, declared or Span(offset, parameters.end()), declared, has_body)


def _type(name: str, parameters: re.Match[str]) -> str:
    """Return the type of the parameters if HIP's function has the same ones, else ""."""
    written = [" ".join(each.split()) for each in parameters.groups() if each is not None]
    types = {_SAME.get(each, each) for each in written}
    count = 3 if name == "atomicCAS" else 2
    return written[0] if len(types) == 1 and len(written) == count and types <= _OF_HIP[name] else ""


def _for_device(unit: Unit, name: int) -> bool:
    """Return whether a name has `__device__` in front of it, maybe in a macro, and no `template`."""
    words = specifiers(unit, name, name)
    bodies = (unit.code[body.start : body.end] for word in words for body in unit.macros.get(word, ()))
    return "template" not in words and ("__device__" in words or any("__device__" in body for body in bodies))


def _report(work: Work, own: _Own) -> Diagnostic:
    compared = f", {own.type}" if own.name == "atomicCAS" else ""
    named = f"{own.name}({own.type}*, {own.type}{compared})"
    if own.declared is None:
        message = f"{named} is also defined by HIP, but the extent of this declaration is unclear"
        return work.report(own.place, "HP111", Severity.ERROR, message, "Put #ifndef __HIP_PLATFORM_AMD__ around it.")
    message = f"{named} is replaced by HIP's function of this name"
    advice = "CUDA has no such function. If this one does something else, rename it."
    return work.report(own.place, "HP111", Severity.NOTE, message, advice)
