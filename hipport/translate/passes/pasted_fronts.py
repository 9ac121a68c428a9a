"""Arguments that macros put in front of names: `HANDLE(cublas)` with `#define HANDLE(library) library##Handle_t`."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.lexer import Directive
from hipport.translate.work import Work


class Front(Struct, frozen=True):
    """A word that is given for a parameter, and the edits that replace it in all uses of the macro."""

    parameter: str
    word: str
    edits: tuple[Edit, ...]


def of_macro(
    work: Work, line: Directive, named: list[str], chains: Sequence[Sequence[str]], given: Sequence[dict[str, str]]
) -> list[Front]:
    """Return the words that can be replaced in all uses of a macro, because all names that they begin change alike.

    `named` are the macro's parameters, `chains` the parts that it pastes, `given` what its uses give for parameters.
    """
    found = list[Front]()
    for parameter in dict.fromkeys(chain[0] for chain in chains if chain[0] in named):
        begun = [chain for chain in chains if chain[0] == parameter]
        if not _is_only_front(work, line, parameter, len(begun)):
            continue
        for word in dict.fromkeys(each[parameter] for each in given if parameter in each):
            same = [each for each in given if each.get(parameter) == word]
            hip = _common(work, word, ["".join(each.get(p, p) for p in chain[1:]) for each in same for chain in begun])
            places = _places(work, line, named.index(parameter), word) if hip not in ("", word) else []
            if len(places) == len(same):
                kept = [place for place in places if not _is_pair(work, named, place)]
                found.append(
                    Front(parameter, word, tuple(Replace(*each, hip, whole=True) for each in map(_ends, kept)))
                )
    return found


def translated(work: Work, word: str) -> str:
    """Return what becomes of a word that may be a name of CUDA by itself, `cudaMemcpy` of `CAT(cudaMemcpy, Async)`."""
    entry = work.context.tables.names.get(word)
    if entry is None or entry.ordinary or entry.hip is None or word in work.own_names:
        return word
    return entry.hip.name


def _ends(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _is_only_front(work: Work, line: Directive, parameter: str, chains: int) -> bool:
    """Return whether a macro's body has a parameter nowhere but in front of what it pastes."""
    return len(re.findall(rf"\b{parameter}\b", work.unit.code[line.body.start : line.body.end])) == chains


def _common(work: Work, word: str, rests: list[str]) -> str:
    """Return what stands in HIP in front of all these rests of names; empty if that differs, or one is not CUDA's."""
    own = work.own_names
    found = set[str]()
    for rest in rests:
        entry = work.context.tables.names.get(word + rest) if word + rest not in own else None
        hip = entry.hip.name if entry is not None and entry.hip is not None and not entry.ordinary else ""
        found.add(hip.removesuffix(rest) if hip.endswith(rest) else "")
    return found.pop() if len(found) == 1 and word not in work.context.tables.names else ""


def _places(work: Work, line: Directive, index: int, word: str) -> list[Span]:
    """Return where uses of a macro give a word for the parameter with an index."""
    found = list[Span]()
    for name, offset in work.unit.occurrences(frozenset({line.name})):
        call = call_of(work.unit, Span(offset, offset + len(name)))
        if call is None or index >= len(call.arguments) or line.span.start <= offset < line.span.end:
            continue
        argument = call.arguments[index]
        text = work.unit.code[argument.start : argument.end]
        if text.strip() == word:
            start = argument.start + text.index(word)
            found.append(Span(start, start + len(word)))
    return found


_PAIR = re.compile(r"\s*,\s*([A-Za-z]\w*)\s*\)")


def _is_pair(work: Work, named: list[str], place: Span) -> bool:
    """Return whether a use is like `CAT(cuda, Malloc)`, which is translated wherever the macro is defined."""
    rest = _PAIR.match(work.unit.code, place.end) if len(named) == 2 else None
    return rest is not None and work.unit.code[place.start : place.end] + rest[1] in work.context.tables.names
