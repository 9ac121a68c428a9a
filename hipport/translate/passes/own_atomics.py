"""Atomic functions that a project defines because CUDA lacks them, and that HIP has: `atomicSub(float*, float)`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Kind
from hipport.source import Edit, Span
from hipport.translate.passes.guarding import guard
from hipport.translate.passes.version_tests import told_decisions
from hipport.translate.syntax.brackets import matching_close, skip_blanks
from hipport.translate.syntax.compiled import is_compiled
from hipport.translate.syntax.declarations import after_parameters, at_file_scope, declaration, specifiers
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.side_words import expanded
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_LONG = frozenset({"unsigned long"})
_FLOATS = frozenset({"float", "double"})
_ADDED = {
    "atomicAdd": _LONG,
    "atomicAnd": _LONG,
    "atomicCAS": _LONG | _FLOATS,
    "atomicExch": _LONG | {"double"},
    "atomicMax": _LONG | _FLOATS,
    "atomicMin": _LONG | _FLOATS,
    "atomicOr": _LONG,
    "atomicSub": _LONG | {"unsigned long long"} | _FLOATS,
    "atomicXor": _LONG,
}
"""The types of the functions that HIP has and CUDA lacks, from ROCm 5.2 on."""
_ADDED_LATER = {"atomicAdd": frozenset({"double"})}
"""The types of the functions that HIP has, and CUDA for newer GPUs; projects define them in branches for older ones."""
_NAMES = frozenset(_ADDED) | {f"{name}_system" for name in _ADDED}
_ALIASES = {
    "long unsigned": "unsigned long",
    "long long unsigned": "unsigned long long",
    "uint64_t": "unsigned long",
    "size_t": "unsigned long",
    "ulong": "unsigned long",
    "uintptr_t": "unsigned long",
}
"""Types by other names, as on Linux with 64 bits."""
_FILLERS = frozenset({"const", "volatile", "__restrict__", "std", "int", "register"})
_TYPE_WORDS = frozenset({"unsigned", "long", "float", "double", *_ALIASES})
_PARAMETERS = re.compile(r"\((?P<list>[\w\s*:,]*)\)")
_WORD = re.compile(r"\w+|\*")
WORDS = (_NAMES,)


class _Own(Struct, frozen=True):
    """A declaration of a function that HIP has; `declared` is None where the declaration's extent is unclear."""

    name: str
    type: str
    place: Span
    declared: Span | None
    has_body: bool


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Guard the definitions and prototypes, since HIP's functions have the same parameters."""
    own = [found for found in _own(work.unit) if _is_seen(work, found)]
    yield from (_report(work, found) for found in own if found.has_body or found.declared is None)
    yield from guard(work.unit, (found.declared for found in own if found.declared is not None), "HIP has this")


def _is_seen(work: Work, own: _Own) -> bool:
    """Return whether a build for AMD GPUs may compile the declaration.

    Branches for GPUs that lack the function are not compiled, unless what the newer branch lacks has decided otherwise.
    """
    unit, offset = work.unit, own.place.start
    if platform_at(unit, offset) is Platform.NVIDIA:
        return False
    if own.type not in _ADDED_LATER.get(own.name.removesuffix("_system"), ()):
        return True
    older = not all(told_decisions(work.told(Kind.DECISION)).values())
    return older or is_compiled(unit, unit.branch_at(offset)) is not False


def _own(unit: Unit) -> Iterator[_Own]:
    for name, offset in unit.occurrences(_NAMES):
        parameters = _PARAMETERS.match(unit.code, skip_blanks(unit.code, offset + len(name)))
        kind = _type(name, parameters["list"]) if parameters is not None else ""
        if parameters is None or not kind or unit.directive_at(offset) is not None:
            continue
        opening = after_parameters(unit.code, parameters.end())
        if opening is None or not _for_device(unit, offset) or not at_file_scope(unit, offset):
            continue
        has_body = unit.code[opening] == "{"
        close = matching_close(unit.code, opening) if has_body else opening
        split = close is None or unit.has_directive(Span(offset, opening))
        declared = declaration(unit, offset, close + 1) if close is not None and not split else None
        yield _Own(name, kind, declared or Span(offset, parameters.end()), declared, has_body)


def _type(name: str, parameters: str) -> str:
    """Return the type for which HIP has a function with these parameters and CUDA does not; empty for any other."""
    first, *values = (_WORD.findall(parameter) for parameter in parameters.split(","))
    kind = _named([word for word in first if word != "*"])
    count = 2 if name.startswith("atomicCAS") else 1
    alike = first.count("*") == 1 and len(values) == count and all(_named(value) == kind for value in values)
    plain = name.removesuffix("_system")
    return kind if alike and kind in _ADDED[plain] | _ADDED_LATER.get(plain, frozenset()) else ""


def _named(words: list[str]) -> str:
    """Return the type of a parameter without qualifiers and without its name."""
    kind = [word for word in words if word not in _FILLERS]
    while kind and kind[-1] not in _TYPE_WORDS:
        kind.pop()
    text = " ".join(kind)
    return _ALIASES.get(text, text)


def _for_device(unit: Unit, name: int) -> bool:
    """Return whether a name has `__device__` in front of it, maybe in a macro, and no `template`.

    Of a macro that another file defines, its name has to say so: `PROJECT_DEVICE`.
    """
    words = specifiers(unit, name, name)
    every = words.union(*(expanded(unit, word) for word in words))
    return "template" not in words and any("device" in word.lower() and word not in unit.macros for word in every)


def _report(work: Work, own: _Own) -> Diagnostic:
    values = ", ".join([own.type] * (2 if own.name.startswith("atomicCAS") else 1))
    named = f"{own.name}({own.type}*, {values})"
    if own.declared is None:
        message = f"{named} is also defined by HIP, but the extent of this declaration is unclear"
        return work.report(own.place, "HP111", Severity.ERROR, message, "Put #ifndef __HIP_PLATFORM_AMD__ around it.")
    message = f"{named} is replaced by HIP's function of this name"
    has = "has it for newer GPUs only" if own.type in _ADDED_LATER.get(own.name, ()) else "has no such function"
    advice = f"CUDA {has}. If this one does something else, rename it."
    return work.report(own.place, "HP111", Severity.NOTE, message, advice)
