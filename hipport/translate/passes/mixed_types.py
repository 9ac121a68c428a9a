"""Detection of `min` and `max` calls with mixed types, for which HIP's functions differ from CUDA's.

HIP has overloads for two ints, two floats and two doubles, and in device code for two of any one type. Others go
through double in device code; in host code they are ambiguous, or convert to int.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.files.facts import Kind
from hipport.source import Span
from hipport.translate.references import Reference
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.declarations import specifiers
from hipport.translate.syntax.side_words import device_macros
from hipport.translate.syntax.unit import Unit
from hipport.translate.syntax.words import DEVICE_WORDS
from hipport.translate.work import Work

NAMES = frozenset({"min", "max"})

_TYPE = r"(?:(?:unsigned|signed|long|short|int|char|float|double|size_t|uint|u?int\d+_t)\b\s*)+"
_DECLARATION = re.compile(rf"\b({_TYPE})(\*?)\s*(?:const\s+|__restrict__\s+)*\b([A-Za-z_]\w*)\b(\s*\[)?")
_BEHIND_TYPE = re.compile(r"[\w*&>]\s+[*&]?([A-Za-z_]\w*)\s*[=;,)\[]")
_ATOM = re.compile(r"\s*(?:(\d[\w.]*(?:[eE][+-]?\d+)?\w*|\.\d\w*)|([A-Za-z_]\w*)(\[\])?)\s*")
_CAST = re.compile(rf"\s*(?:\(\s*({_TYPE})\)|static_cast\s*<\s*({_TYPE})>|({_TYPE})\s*(?=\())")
_BUILT_IN = re.compile(r"\b(?:threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*[xyz]\b")
_INDEX = re.compile(r"\s*\[[^][]*\]")
_WIDER = {"unsigned", "long", "unsigned long", "long long", "unsigned long long", "float", "double"}
"""Types that an int is converted to in arithmetic with one of them."""
_NESTED = re.compile(r"\b(?:min|max)\s*(?=\()")
_OPERATOR = re.compile(r"[-+*/,]")


def may_mix(work: Work, reference: Reference) -> bool:
    """Return whether a use in CUDA code may need an overload that HIP lacks; False if the types are known to fit."""
    unit = work.unit
    if not (unit.shadow.device_words or unit.launches or device_macros(unit)):
        return False
    call = call_of(unit, reference.span)
    if call is None or len(call.arguments) != 2:
        return False
    first, second = (expression_type(unit, argument) for argument in call.arguments)
    if first is None or first != second:
        return True
    return first != "int" and not _in_device_code(unit, reference.span)


def beside_coordinates(work: Work) -> Iterator[int]:
    """Yield where the project's own `min` or `max` takes a `blockDim.x`: HIP's class does not fit its templates."""
    unit = work.unit
    for name, offset in unit.occurrences(NAMES & work.told(Kind.NAME)):
        call = call_of(unit, Span(offset, offset + len(name)))
        if call is not None and any(_BUILT_IN.fullmatch(unit.code[a.start : a.end].strip()) for a in call.arguments):
            yield offset


def expression_type(unit: Unit, span: Span) -> str | None:
    """Return the type of an expression of literals, variables and arithmetic, if all of them have the same type."""
    text = _NESTED.sub("", _INDEX.sub("[]", _BUILT_IN.sub("0u", unit.code[span.start : span.end])))
    if cast := _CAST.match(text):
        rest = text[cast.end() :].strip()
        return _canonical(cast[cast.lastindex or 1]) if re.fullmatch(r"\w+|\([\s\S]*\)", rest) else None
    types = {_atom(unit, part) for part in _OPERATOR.split(text.replace("(", " ").replace(")", " "))}
    wider = types - {"int"}
    if len(types) == 2 and wider <= _WIDER:
        types = wider
    return types.pop() if len(types) == 1 else None


def _atom(unit: Unit, text: str) -> str | None:
    match = _ATOM.fullmatch(text)
    if match is None:
        return None
    return _literal(match[1].lower()) if match[1] else _declared(unit, match[2], match[3] is not None)


def _literal(text: str) -> str:
    if text.startswith("0x"):
        return "unsigned" if text.endswith("u") else "int"
    if "." in text or "e" in text or text.endswith("f"):
        return "float" if text.endswith("f") else "double"
    suffix = text.lstrip("0123456789")
    return {"": "int", "u": "unsigned"}.get(suffix, suffix)


def _declared(unit: Unit, name: str, element: bool) -> str | None:
    """Return the type with which the file declares this name or its elements, if there is just one."""
    found = _declarations(unit.code).get(name, set())
    types = {kind for kind, has_elements in found if has_elements == element}
    return types.pop() if len(found) == len(types) == 1 else None


@functools.lru_cache(maxsize=1)
def _declarations(code: str) -> dict[str, set[tuple[str, bool]]]:
    """Return the types with which a file declares names, and whether a type is that of the elements."""
    behind_type = {match[1] for match in _BEHIND_TYPE.finditer(code)}
    found: dict[str, set[tuple[str, bool]]] = {}
    for match in _DECLARATION.finditer(code):
        if match[3] in behind_type:
            found.setdefault(match[3], set()).add((_canonical(match[1]), bool(match[2] or match[4])))
    return found


def _canonical(text: str) -> str:
    words = [word for word in text.split() if word != "signed"] or ["int"]
    if "unsigned" in words or "long" in words or "short" in words:
        words = [word for word in words if word != "int"]
    return " ".join(sorted(words, reverse=True))


def _in_device_code(unit: Unit, span: Span) -> bool:
    """Return whether the function around a range is marked for the device, by a word or a macro."""
    function = unit.enclosing(span, "function_definition")
    if function is None:
        return False
    body = function.child_by_field_name("body")
    end = body.start_byte if body is not None else function.end_byte
    return not DEVICE_WORDS.isdisjoint(specifiers(unit, function.start_byte, end))
