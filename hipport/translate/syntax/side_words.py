"""Words that say where a function runs: `__host__`, `__device__`, and a project's macros that stand for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.unit import Unit
from hipport.translate.syntax.words import is_side_macro

SIDES = ("__host__", "__device__")
_FOR_BOTH = re.compile(r"(?:\A|_)(?:HD|BOTH|HOST_?DEV(?:ICE)?|DEVICE_?HOST)(?:_(?:FORCE_?)?INLINE)?(?:__)?\Z")
_FOR_ONE = re.compile(r"(?:\A|_)(HOST|DEV(?:ICE)?)(?:_(?:FORCE_?)?INLINE)?(?:__)?\Z")
"""Match macros for both sides and for one; `X_DEVICE_FUNC` is either."""
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_DEVICE_WORDS = frozenset({"__device__", "__global__"})
_BODY = re.compile(r"[^;{}#]*\Z")
"""Matches the body of a macro that may stand in front of a function: neither statements nor a function of its own."""


def mentions_sides(unit: Unit) -> bool:
    """Return whether a file says for which sides functions are, in CUDA's words or by macros."""
    if "mentions sides" not in unit.notes:
        unit.notes["mentions sides"] = not unit.words.isdisjoint(SIDES) or any(map(is_side_macro, unit.words))
    found: bool = unit.notes["mentions sides"]
    return found


def meant(unit: Unit, words: Iterable[str]) -> frozenset[str]:
    """Return the sides that words and macros stand for, by the file or by their names; empty if unclear."""
    return frozenset().union(*(_meant_by(unit, word) for word in words))


def _meant_by(unit: Unit, word: str) -> frozenset[str]:
    defined = _meant_by_body(unit, word)
    if defined or word in SIDES:
        return defined or frozenset({word})
    return meant_by_name(word)


def _meant_by_body(unit: Unit, word: str) -> frozenset[str]:
    """Return the sides of which the body of a macro of the file has words, or macros of other files."""
    body = expanded(unit, word)
    others = (meant_by_name(each) for each in body.difference(unit.macros) if is_side_macro(each))
    return frozenset().union(body & frozenset(SIDES), *others)


def meant_by_name(word: str) -> frozenset[str]:
    """Return the sides that a macro stands for by its name: one may differ from it."""
    if _FOR_BOTH.search(word.upper()) is not None:
        return frozenset(SIDES)
    one = _FOR_ONE.search(word.upper())
    return frozenset({"__host__" if one[1] == "HOST" else "__device__"}) if one is not None else frozenset()


def sides_in(unit: Unit, span: Span) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield where words and macros for sides stand in a range, each with the sides that it means."""
    macros = side_macros(unit)
    for match in _WORD.finditer(unit.code, span.start, span.end):
        if match[0] in SIDES or match[0] in macros:
            yield match.start(), meant(unit, [match[0]])


def expanded(unit: Unit, word: str) -> frozenset[str]:
    """Return the words that a macro of the file stands for, through other macros of the file; empty for other words."""
    found: set[str] = set()
    waiting = [word]
    while waiting:
        for body in unit.macros.get(waiting.pop(), ()):
            fresh = {*_WORD.findall(unit.code, body.start, body.end)} - found
            found |= fresh
            waiting += fresh
    return frozenset(found)


def side_macros(unit: Unit) -> frozenset[str]:
    """Return the macros in a file that stand for sides, by their definitions or by their names."""
    known = unit.notes.get("side macros")
    if known is None:
        named = frozenset(filter(is_side_macro, unit.words.difference(unit.macros)))
        known = unit.notes["side macros"] = named | _defined_side_macros(unit)
    found: frozenset[str] = known
    return found


def _defined_side_macros(unit: Unit) -> frozenset[str]:
    """Return the macros of the file that stand for sides and no more than a declaration's other words."""
    if not mentions_sides(unit):
        return frozenset()
    return frozenset(
        name
        for name, bodies in unit.macros.items()
        if all(_BODY.match(unit.code, body.start, body.end) for body in bodies) and _meant_by_body(unit, name)
    )


def device_macros(unit: Unit) -> frozenset[str]:
    """Return the macros in a file that make functions device functions, by their definitions or by their names."""
    known = unit.notes.get("device macros")
    if known is None:
        known = unit.notes["device macros"] = frozenset(_device_macros(unit))
    found: frozenset[str] = known
    return found


def _device_macros(unit: Unit) -> Iterator[str]:
    yield from (name for name in unit.macros if unit.shadow.device_words and _is_device_macro(unit, name))
    for word in filter(is_side_macro, unit.words.difference(unit.macros, SIDES)):
        if meant(unit, [word]) != {"__host__"}:
            yield word


def _is_device_macro(unit: Unit, name: str) -> bool:
    in_front = all(_BODY.match(unit.code, body.start, body.end) for body in unit.macros[name])
    return in_front and not _DEVICE_WORDS.isdisjoint(expanded(unit, name))


def words_in_front(unit: Unit, span: Span) -> frozenset[str]:
    """Return the words in front of a function's body, and those that macros there stand for."""
    text, position = [], span.start
    for line in unit.directives_in(span):
        text.append(unit.code[position : line.span.start])
        position = line.span.end
    words = {*_WORD.findall(" ".join((*text, unit.code[position : span.end])))}
    macros = device_macros(unit) & words
    return frozenset(words.union(*(expanded(unit, each) or meant(unit, [each]) or SIDES for each in macros)))
