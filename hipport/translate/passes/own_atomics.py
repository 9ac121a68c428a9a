"""Atomic functions that a project defines because CUDA lacks them, and that HIP has: `atomicMax(float*, float)`."""

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

_NAMES = frozenset({"atomicMin", "atomicMax"})
_PARAMETERS = re.compile(
    r"\(\s*(?:volatile\s+)?(float|double)\s*\*\s*(?:const\s+|__restrict__\s+)*\w*\s*,\s*(?:const\s+)?(\w+)(?:\s+\w+)?\s*\)"
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
        if parameters is None or parameters[1] != parameters[2] or unit.directive_at(offset) is not None:
            continue
        opening = after_parameters(unit.code, parameters.end())
        if opening is None or not _for_device(unit, offset) or not at_file_scope(unit, offset):
            continue
        has_body = unit.code[opening] == "{"
        close = matching_close(unit.code, opening) if has_body else opening
        split = close is None or unit.has_directive(Span(offset, opening))
        declared = declaration(unit, offset, close + 1) if close is not None and not split else None
        yield _Own(name, parameters[1], declared or Span(offset, parameters.end()), declared, has_body)


def _for_device(unit: Unit, name: int) -> bool:
    """Return whether a name has `__device__` in front of it, maybe in a macro, and no `template`."""
    words = specifiers(unit, name, name)
    bodies = (unit.code[body.start : body.end] for word in words for body in unit.macros.get(word, ()))
    return "template" not in words and ("__device__" in words or any("__device__" in body for body in bodies))


def _report(work: Work, own: _Own) -> Diagnostic:
    named = f"{own.name}({own.type}*, {own.type})"
    if own.declared is None:
        message = f"{named} is also defined by HIP, but the extent of this declaration is unclear"
        return work.report(own.place, "HP111", Severity.ERROR, message, "Put #ifndef __HIP_PLATFORM_AMD__ around it.")
    message = f"{named} is replaced by HIP's function of this name"
    advice = "CUDA has no such function. If this one does something else, rename it."
    return work.report(own.place, "HP111", Severity.NOTE, message, advice)
