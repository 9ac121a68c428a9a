"""Functions whose declaration and definition are for different sides (host, device): a prototype with `__device__`.

nvcc takes both for one function. To HIP's compilers a function for another side is an overload, which they reject. A
declaration without `__host__` and `__device__` gets the words, or the macro, of the other; those that have different
words get all of them, those with different macros the one for most sides. Declarations of headers reach the files that
include these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, question
from hipport.source import Edit, Replace
from hipport.translate.passes.conversion_functions import QUALIFIED, conversion_subject, conversions, subjects
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.function_families import (
    Declared,
    families,
    functions,
    is_member,
    signature_text,
    subject_of,
)
from hipport.translate.syntax.side_words import SIDES, meant, mentions_sides
from hipport.translate.syntax.unit import Unit
from hipport.translate.syntax.words import SIDE_MACRO
from hipport.translate.work import Work

_SIDE = re.compile(r"\b__(?:host|device)__\b")
_DEFINED = re.compile(r"^[ \t]{0,4}[A-Za-z_][\w:<>,*& \t]*?[\s*&:]([A-Za-z_]\w*)[ \t]*\(", re.MULTILINE)
_MEMBER = re.compile(r">\s*::\s*(operator\s*(?:\(\s*\)|[^\w\s(]+)|[A-Za-z_]\w*)\s*\(")
"""Matches what may be the definition of a member of a class template, up to the member's parameters."""
_DEVICE_SOURCES = (".cu", ".cuh", ".inl", ".tcc", ".tpp", ".ipp", ".hip")
"""Suffixes of files that may define functions for devices without saying so."""
_HEADERS = (".h", ".hh", ".hpp", ".hxx")
"""Suffixes of headers that may define members of class templates for devices without saying so."""


def run(work: Work) -> Iterator[Edit]:
    """Insert the words that a declaration lacks."""
    unit = work.unit
    if is_hip(work):
        return
    yield from _told(work)
    if mentions_sides(unit):
        for group in functions(unit).values():
            if len(group) > 1 and any(each.decorated for each in group):
                for _, family in families(unit, group):
                    yield from _aligned(unit, family)
        for _, family in conversions(unit):
            yield from _aligned(unit, family)


def facts(work: Work) -> Iterator[str]:
    """Yield the sides of functions that the file declares and does not define."""
    if is_hip(work) or not mentions_sides(work.unit):
        return
    for name, group in functions(work.unit).items():
        if not any(each.decorated for each in group) or all(each.is_definition for each in group):
            continue
        for signature, family in families(work.unit, group):
            yield from _declared_only(subject_of(name), signature, family)
    for signature, family in conversions(work.unit):
        for subject in subjects(signature):
            yield from _declared_only(subject, signature, family)


def _declared_only(subject: str, signature: tuple[str, ...], family: Iterable[Declared]) -> Iterator[str]:
    """Yield the sides of a function if the file declares it with some, and does not define it."""
    family = list(family)
    kinds = {each.sides for each in family if each.sides}
    if len(kinds) == 1 and not any(each.is_definition for each in family):
        yield str(Fact(Kind.SIDES, subject, f"{signature_text(signature)};{' '.join(kinds.pop())}"))


def asked(work: Work) -> Iterator[str]:
    """Yield questions about functions that the file may define; a search of the text is enough for that."""
    name, code = work.unit.source.name, work.unit.code
    if name.endswith(_DEVICE_SOURCES):
        yield from (question(Kind.SIDES, defined) for defined in {*_DEFINED.findall(code)})
    if name.endswith((*_DEVICE_SOURCES, *_HEADERS)) and not is_hip(work):
        yield from (question(Kind.SIDES, member) for member in {*map(subject_of, _MEMBER.findall(code))})
        classes = {*QUALIFIED.findall(code)} if "operator" in work.unit.words else ()
        yield from (question(Kind.SIDES, conversion_subject(each)) for each in classes)


def _told(work: Work) -> Iterator[Edit]:
    """Insert the words of declarations in headers."""
    known: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for fact in work.facts(Kind.SIDES):
        text, _, words = fact.value.partition(";")
        known[fact.subject][text].add(words)
    for name, group in functions(work.unit).items() if known else ():
        if (subject := subject_of(name)) in known and any(each.is_definition for each in group):
            for signature, family in families(work.unit, group):
                yield from _completed(work.unit, signature, family, known[subject])
    for converting, family in conversions(work.unit) if known else ():
        for subject in known.keys() & subjects(converting):
            yield from _completed(work.unit, converting, family, known[subject])


def _completed(
    unit: Unit, signature: tuple[str, ...], family: Iterable[Declared], known: Mapping[str, set[str]]
) -> Iterator[Edit]:
    """Yield the edits for the definition of a function that the headers of a tree declare in one way.

    One without words gets all; one with some of the two words gets the other one. For HIP's compilers a function that
    is no member and has the other word is an overload.
    """
    words = known.get(signature_text(signature), set())
    told = next(iter(words)) if len(words) == 1 else ""
    for each in family if told else ():
        own, wanted = meant(unit, each.sides), meant(unit, told.split())
        if each.is_definition and not each.sides:
            yield Replace(each.first, each.first, f"{told} ")
        elif each.is_definition and (own < wanted or (own and is_member(unit.code, each.name) and not wanted <= own)):
            yield _inserted(unit, each, told.split())


def _inserted(unit: Unit, declared: Declared, words: Iterable[str]) -> Replace:
    """Return the edit that puts words, without those that are there, in front of a declaration's own."""
    found = (pattern.search(unit.code, declared.start, declared.name) for pattern in (_SIDE, SIDE_MACRO))
    at = min((match.start() for match in found if match is not None), default=declared.first)
    return Replace(at, at, "".join(f"{word} " for word in words if word not in declared.sides))


def _aligned(unit: Unit, family: Iterable[Declared]) -> Iterator[Edit]:
    """Yield the edits for the declarations of one function."""
    family = list(family)
    kinds = {each.sides for each in family if each.sides}
    if not kinds or len({each.sides for each in family}) < 2:
        return
    if any(not set(sides) <= set(SIDES) for sides in kinds):
        yield from _given_macros(unit, family, kinds)
        return
    wanted = set().union(*kinds)
    yield from (
        _inserted(unit, each, [word for word in SIDES if word in wanted]) for each in family if set(each.sides) < wanted
    )


def _given_macros(unit: Unit, family: Iterable[Declared], kinds: Iterable[tuple[str, ...]]) -> Iterator[Edit]:
    """Yield the edits that give the macros of the declaration for most sides to the others that are for fewer."""
    runs = {sides: meant(unit, sides) for sides in sorted(kinds)}
    widest = max(runs, key=lambda sides: len(runs[sides]))
    if len(runs) > 1 and not all(each and each <= runs[widest] for each in runs.values()):
        return
    for each in family:
        if not each.sides or runs[each.sides] < runs[widest]:
            yield _inserted(unit, each, widest)
