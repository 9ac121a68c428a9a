"""Declarations without sides (host, device) of functions that another file defines with them.

nvcc takes the sides of all declarations together. To HIP's compilers the definition is for other sides than what it
defines, which they reject. The declaration gets the sides of the definition: those that the definition's words stand
for where it is declared. One for a single side gets the other side of its definition, and a unit that defines a member
without sides gets those of another unit that defines it. A member that units define for different sides gets all of
them in each unit, and is reported (HP143).
Functions for devices alone that are no members are left: overloads for HIP's compilers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind, question
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.conversion_functions import conversions
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.function_families import (
    Declared,
    Found,
    families,
    functions,
    is_member,
    owner_of,
    signature_text,
    subject_of,
)
from hipport.translate.passes.runtime_include import named_sides
from hipport.translate.passes.side_macros import made_for_both
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.named_scopes import scope_name
from hipport.translate.syntax.side_words import SIDES, expanded, meant, meant_by_name, mentions_sides
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.syntax.words import is_side_macro
from hipport.translate.work import Work

_WORD = re.compile(r"\b(?:__(?:host|device)__|[A-Z_][A-Z0-9_]+)\b")
_IN_FRONT = re.compile(r"(?:\[\[[^][]*\]\]\s*|[A-Z_][A-Z0-9_]+\s+(?=[\w:~[])|__attribute__\s*\(\([^;{}]*?\)\)\s*)*")
"""Matches attributes and macros that may be some, behind which words for sides stand."""
_BY_MACROS = re.compile(r"^[ \t]*[A-Z][A-Z0-9_]+[ \t][^\n;{}()]{0,200}?::", re.MULTILINE)
"""Matches the definition of a member behind a macro."""
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh")
_PARTS = (".inl", ".tcc", ".tpp", ".ipp")
"""Suffixes of files that define what a header declares."""
_CLASS = re.compile(
    r"\b(?:class|struct)\s+(?:[A-Z_][A-Z0-9_]*\s+)*([A-Za-z_]\w*)\s*(?:<[^;{}()]*>\s*)?(?:final\s*)?(?::[^;{}()]*)?\{"
)
_PROTOTYPE = re.compile(
    r"(?:^|(?<=[;{}]))[ \t]*(?:template\s*<[^;{}()]{0,200}>\s*)?[A-Za-z_][\w:<>,*& \t]{0,100}?[\s*&>]"
    r"([A-Za-z_]\w*|operator[ \t]*[^\w\s(]+)[ \t]*\([^;{}()]{0,300}\)[ \t]*(?:noexcept)?[ \t]*;",
    re.MULTILINE,
)
_NOT_TYPES = frozenset({"return", "delete", "throw", "new", "goto", "else", "case", "typedef", "using"})
_BOTH = re.compile(r"__host__\s+__device__|__device__\s+__host__|[A-Z]{2}|_both|_hd\b|device_host|host_device")
"""Matches what may be words for both sides."""
_LONGEST = 120
"""Characters around a name among which its scopes and its words for sides are."""
_CLASSES = frozenset({"class_specifier", "struct_specifier", "union_specifier"})
_LOCAL = frozenset({"inline", "__inline__", "__forceinline__", "static", "constexpr"})
_UNITS = (".c", ".cc", ".cpp", ".cxx")
_DEVICE_UNITS = (".cu", ".hip")
_PLAIN = re.compile(
    r"^(?![^\n]*__(?:host|device|global)__)(?:[A-Za-z_][\w:<>,*& \t]{0,100}?[\s*&:])?"
    r"([A-Za-z_]\w*)::(~?[A-Za-z_]\w*|operator[^\n(;]{1,30})\s*\(",
    re.MULTILINE,
)
"""Matches what may be the definition of a member without sides."""
_CONVERTS = re.compile(r"operator\s+[A-Za-z_]")
_IF_BOTH = "if-both"
"""Stands behind macros that are for devices by their names, in front of what is no member: some are for both sides."""


def edits(work: Work) -> Iterator[Edit | Diagnostic]:
    """Insert the sides of definitions that other files tell."""
    told: dict[str, set[str]] = defaultdict(set)
    for fact in work.facts(Kind.LATER):
        declared, _, words = fact.value.partition(";")
        told[declared].add(words)
    macros = _macros_told(work) if told else {}
    for signature, family in _families(work.unit) if told else ():
        known = list(_known(work.unit, told.get(signature_text(signature), ()), macros))
        meanings = {frozenset().union(*each.values()) for each in known}
        if len(meanings) == 1 or ("::" in signature[0] and meanings and frozenset() not in meanings):
            merged = {word: sides for each in known for word, sides in each.items()}
            yield from _completed(work, family, merged, macros)


def _known(
    unit: Unit, told: Iterable[str], macros: Mapping[str, frozenset[str]]
) -> Iterator[dict[str, frozenset[str]]]:
    """Yield what the words in front of each definition stand for."""
    for words in sorted(told):
        text, is_uncertain, _ = words.partition(f" {_IF_BOTH}")
        meanings = _meanings(unit, text, macros)
        if not is_uncertain or frozenset().union(*meanings.values()) == frozenset(SIDES):
            yield meanings


def _macros_told(work: Work) -> dict[str, frozenset[str]]:
    """Return what macros of other files stand for: all that any of them says, as each may be seen."""
    found: dict[str, frozenset[str]] = {}
    for fact in work.facts(Kind.STANDS_FOR):
        found[fact.subject] = found.get(fact.subject, frozenset()).union(fact.value.split())
    return found


def sides_told(work: Work, signatures: Callable[[str], bool]) -> list[frozenset[str]]:
    """Return the sides of each definition that other files tell, of functions whose signatures fulfil a condition."""
    macros = _macros_told(work)
    told = (fact.value.partition(";") for fact in work.facts(Kind.LATER))
    words = [each for signature, _, each in told if signatures(signature)]
    return [frozenset().union(*each.values()) for each in _known(work.unit, words, macros)]


def _families(unit: Unit) -> Iterator[tuple[tuple[str, ...], list[Declared]]]:
    for group in functions(unit).values():
        yield from families(unit, group)
    yield from conversions(unit)


def facts(work: Work) -> Iterator[str]:
    """Yield the sides of functions that the file defines outside of classes, and macros that stand for sides."""
    unit = work.unit
    if is_hip(work) or unit.source.name.endswith(_UNITS):
        return
    yield from _macros(unit)
    if not mentions_sides(unit) and not (unit.source.name.endswith(_PARTS) and _BY_MACROS.search(unit.code)):
        return
    for name, group in functions(unit).items():
        outside = [each for each in group if each.is_definition and _may_be_declared(unit, each)]
        for signature, family in families(unit, outside) if outside else ():
            yield from _told(unit, name, signature, family[0])
    for signature, family in conversions(unit):
        for each in family:
            if each.is_definition and is_member(unit.code, each.name):
                yield from _told(unit, "operator", signature, each)


def _told(unit: Unit, name: str, signature: tuple[str, ...], defined: Declared) -> Iterator[str]:
    """Yield the sides of a function that is defined outside of classes.

    The subject is the class or the function's name. Declarations for one side ask about those for the other alone.
    """
    words = _words(unit, defined)
    member = is_member(unit.code, defined.name)
    certain = bool(words) and (member or _may_be_both(unit, words))
    if certain or any(map(is_side_macro, words)):
        owner = _owner(signature[0]) if member else name
        value = f"{signature_text(signature)};{' '.join(words)}"
        yield str(Fact(Kind.LATER, subject_of(owner), value if certain else f"{value} {_IF_BOTH}"))
        for side in sorted(meant(unit, words)) if certain else ():
            yield str(Fact(Kind.LATER, _sided(signature, side), value))


def _sided(signature: tuple[str, ...], side: str) -> str:
    """Return the subject of definitions of a function that are for a side: `Box_get__device__`."""
    return subject_of("_".join(signature[0].split("::")[-2:])) + side


def asked(work: Work) -> Iterator[str]:
    """Yield questions about the functions that the file declares without sides."""
    unit = work.unit
    if is_hip(work) or unit.source.name.endswith(_UNITS):
        return
    if unit.source.name.endswith(_DEVICE_UNITS):
        yield from _asked_of_siblings(unit)
    by_text = _declared_by_text(unit.code) if unit.source.name.endswith(_HEADERS) else ()
    subjects = {*(_declared(unit) if mentions_sides(unit) else by_text)}
    if subjects:
        yield question(Kind.STANDS_FOR, "")
    yield from (question(Kind.LATER, subject_of(subject)) for subject in subjects)


def _asked_of_siblings(unit: Unit) -> Iterator[str]:
    """Yield questions about members that a unit defines without sides or for one: another unit's may differ."""
    if "::" not in unit.code:
        return
    for owner, name in {*_PLAIN.findall(unit.code)}:
        member = "operator" if _CONVERTS.match(name) else name
        yield question(Kind.LATER, subject_of(f"{owner}_{member}") + "__device__")
    if mentions_sides(unit):
        for signature, defined in _members(unit):
            yield from (question(Kind.LATER, subject) for subject in _missing(unit, signature, defined))


def _members(unit: Unit) -> Iterator[tuple[tuple[str, ...], Declared]]:
    """Yield the members that a file defines with sides outside of their classes."""
    for group in functions(unit).values():
        outside = [each for each in group if each.is_definition and each.decorated]
        outside = [each for each in outside if is_member(unit.code, each.node.start_byte)]
        for signature, family in families(unit, outside) if outside else ():
            yield signature, family[0]
    for signature, family in conversions(unit):
        defined = [each for each in family if each.is_definition and each.sides and is_member(unit.code, each.name)]
        yield from ((signature, each) for each in defined)


def _declared(unit: Unit) -> Iterator[str]:
    """Yield the classes of members, and the functions, that are declared without sides."""
    for name, group in functions(unit).items():
        for each in group:
            if not each.decorated and not each.is_definition and (node := owner_of(unit, each.node)) is not None:
                yield _class_around(unit, node) or name
        for signature, family in families(unit, [each for each in group if each.decorated and not each.is_definition]):
            yield from _missing(unit, signature, family[0])
    for signature, family in conversions(unit):
        for declared in family:
            if not declared.is_definition:
                yield from _missing(unit, signature, declared) if declared.sides else [_owner(signature[0])]


def _missing(unit: Unit, signature: tuple[str, ...], declared: Declared) -> Iterator[str]:
    """Yield the subject of definitions for the side for which a declaration is not."""
    sides = meant(unit, declared.sides)
    if len(sides) == 1:
        yield from (_sided(signature, side) for side in SIDES if side not in sides)


def _declared_by_text(code: str) -> Iterator[str]:
    yield from _CLASS.findall(code)
    for match in _PROTOTYPE.finditer(code):
        if _NOT_TYPES.isdisjoint(match[0].split()):
            yield match[1]


def _class_around(unit: Unit, node: Node) -> str:
    around = unit.parent(node)
    while around is not None and around.type not in _CLASSES:
        around = unit.parent(around)
    return scope_name(around) if around is not None else ""


def _may_be_declared(unit: Unit, found: Found) -> bool:
    """Return whether a definition is outside of classes, where a header may declare it, and may be for both sides."""
    start = found.node.start_byte
    if is_member(unit.code, start):
        return True
    if not found.decorated or _BOTH.search(unit.code, max(0, start - _LONGEST), start) is None:
        return False
    node = owner_of(unit, found.node)
    return node is not None and not _class_around(unit, node)


def _owner(path: str) -> str:
    """Return the class in the path of a member: `Box` for `app::Box::get`."""
    return path.split("::")[-2].partition("<")[0] if "::" in path else path


def _words(unit: Unit, declared: Declared) -> list[str]:
    """Return the words in front of a name that may stand for sides: those that the file says do not are left out."""
    found = dict.fromkeys(_WORD.findall(unit.code, declared.start, declared.name))
    return [word for word in found if word not in unit.macros or expanded(unit, word) & frozenset(SIDES)]


def _may_be_both(unit: Unit, words: Iterable[str]) -> bool:
    """Return whether words may make a function that is no member one for both sides."""
    known = [meant(unit, [word]) for word in words]
    return frozenset().union(*known) == frozenset(SIDES) or any(
        not sides and is_side_macro(word) for word, sides in zip(words, known, strict=True)
    )


def _macros(unit: Unit) -> Iterator[str]:
    """Yield the macros for sides whose names do not say so."""
    if unit.words.isdisjoint(SIDES):
        return
    for name in made_for_both(unit):
        yield str(Fact(Kind.STANDS_FOR, name, " ".join(SIDES)))
    for line in unit.directives:
        if line.kind is DirectiveKind.DEFINE and line.name.isupper():
            words = set(unit.code[line.body.start : line.body.end].split())
            leaves = expanded(unit, line.name) - unit.macros.keys()
            sides = leaves & frozenset(SIDES)
            says_so = is_side_macro(line.name) and meant_by_name(line.name) in (sides, frozenset())
            if words and sides and leaves <= frozenset(SIDES) | _LOCAL and not says_so:
                yield str(Fact(Kind.STANDS_FOR, line.name, " ".join(sorted(sides, reverse=True))))


def _meanings(unit: Unit, words: str, macros: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Return the sides that each word in front of a definition stands for."""
    return {word: macros.get(word) or meant(unit, [word]) for word in words.split()}


def _completed(
    work: Work, family: Iterable[Declared], known: Mapping[str, frozenset[str]], macros: Mapping[str, frozenset[str]]
) -> Iterator[Edit | Diagnostic]:
    """Yield the edits for the declarations of one function that lack sides."""
    unit = work.unit
    sides = frozenset().union(*known.values())
    for each in family:
        words = _words(unit, each)
        own = frozenset().union(*_meanings(unit, " ".join(words), macros).values())
        if sides <= own or (each.sides and not own):
            continue
        if each.is_definition:
            if not unit.source.name.endswith(_DEVICE_UNITS) or (own and not is_member(unit.code, each.name)):
                continue
            if own or "__host__" not in sides:
                yield _report(work, each, own, sides)
        match = _IN_FRONT.match(unit.code, each.first, each.name)
        at = match.end() if match is not None else each.first
        spelled = _spelled(work, known, sides) if not own else named_sides(work, sides - own)
        yield Replace(at, at, "".join(f"{word} " for word in spelled))


def _report(work: Work, defined: Declared, own: Set[str], sides: Set[str]) -> Diagnostic:
    """Return the finding about a member that another unit defines for other sides."""
    name = work.unit.code[defined.name :].partition("(")[0].strip()
    here, translated = (" and ".join(side.strip("_") for side in SIDES if side in each) for each in (own, sides | own))
    message = f"{name} is defined for the {here or 'host'} here, but for other sides in another file"
    advice = f"It is translated for {translated} in each file. Give its declaration and all definitions the same sides."
    return work.report(Span(defined.name, defined.name + len(name)), "HP143", Severity.WARNING, message, advice)


def _spelled(work: Work, known: Mapping[str, frozenset[str]], sides: frozenset[str]) -> list[str]:
    """Return how a declaration names its sides: by the definition's macro if the file uses it elsewhere, too."""
    own = [word for word, stands_for in known.items() if stands_for == sides and word in work.unit.words]
    if own and own[0] not in SIDES:
        return own[:1]
    return named_sides(work, sides)
