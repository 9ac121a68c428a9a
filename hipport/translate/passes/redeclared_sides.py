"""Functions whose declaration and definition are for different sides (host, device): a prototype with `__device__`.

nvcc takes both for one function. To HIP's compilers a function for another side is an overload, which they reject. A
declaration without `__host__` and `__device__` gets the words, or the macro, of the other; those that have different
words get all of them, those with different macros the one for most sides. Declarations of headers reach the files that
include these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, question
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.declarations import declaration
from hipport.translate.syntax.named_scopes import NAMED_SCOPES, scope_name
from hipport.translate.syntax.parameter_types import parameter_types
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.side_words import SIDE_MACRO, SIDES, is_side_macro, meant
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_SIDE = re.compile(r"\b__(?:host|device)__\b")
_OTHERWISE = re.compile(r"\b(?:__global__|constexpr|consteval|friend|requires)\b")
_CONST = re.compile(r"\bconst\b")
_LAST_NAME = re.compile(r"((?:\b[A-Za-z_]\w*(?:\s*<[^<>;]*>)?\s*::\s*)*\b[A-Za-z_]\w*)\s*\Z")
_BLANKS = re.compile(r"\s+")
_SYMBOL = re.compile(r"\W")
_OPERATOR_BLANKS = re.compile(r"(?<=\boperator)\s+(?=\W)|(?<=\W)\s+(?=\W)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_ARGUMENTS = re.compile(r"<[^<>]*>")
_THROUGH = frozenset({"pointer_declarator", "reference_declarator"})
_OWNERS = frozenset({"function_definition", "declaration", "field_declaration"})
_DEFINED = re.compile(r"^[ \t]{0,4}[A-Za-z_][\w:<>,*& \t]*?[\s*&:]([A-Za-z_]\w*)[ \t]*\(", re.MULTILINE)
_MEMBER = re.compile(r">\s*::\s*(operator\s*(?:\(\s*\)|[^\w\s(]+)|[A-Za-z_]\w*)\s*\(")
"""Matches what may be the definition of a member of a class template, up to the member's parameters."""
_BEHIND = re.compile(r"\s*(?:[A-Z_][A-Z0-9_]+\b\s*)*")
"""Matches macros behind a declarator, such as `APP_NOEXCEPT`."""
_LONGEST = 400
"""Characters in front of a name among which its words for sides are."""
_DEVICE_SOURCES = (".cu", ".cuh", ".inl", ".tcc", ".tpp", ".ipp", ".hip")
"""Suffixes of files that may define functions for devices without saying so."""
_HEADERS = (".h", ".hh", ".hpp", ".hxx")
"""Suffixes of headers that may define members of class templates for devices without saying so."""
_NAMES = frozenset({"identifier", "field_identifier", "qualified_identifier", "operator_name", "destructor_name"})


class Declared(Struct, frozen=True):
    """One declaration: where its specifiers begin, its first word, and its name; `sides` are its words or its macro."""

    start: int
    first: int
    name: int
    sides: tuple[str, ...]
    is_definition: bool


class Found(Struct, frozen=True):
    """A declarator that may be of a function: whether words for sides are in front, and a body behind it."""

    node: Node
    decorated: bool
    is_definition: bool


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


def facts(work: Work) -> Iterator[str]:
    """Yield the sides of functions that the file declares and does not define."""
    if is_hip(work) or not mentions_sides(work.unit):
        return
    for name, group in functions(work.unit).items():
        if not any(each.decorated for each in group) or all(each.is_definition for each in group):
            continue
        for signature, family in families(work.unit, group):
            kinds = {each.sides for each in family if each.sides}
            if len(kinds) == 1 and not any(each.is_definition for each in family):
                yield str(Fact(Kind.SIDES, subject_of(name), f"{signature_text(signature)};{' '.join(kinds.pop())}"))


def asked(work: Work) -> Iterator[str]:
    """Yield questions about functions that the file may define; a search of the text is enough for that."""
    name, code = work.unit.source.name, work.unit.code
    if name.endswith(_DEVICE_SOURCES):
        yield from (question(Kind.SIDES, defined) for defined in {*_DEFINED.findall(code)})
    if name.endswith((*_DEVICE_SOURCES, *_HEADERS)) and not is_hip(work):
        yield from (question(Kind.SIDES, member) for member in {*map(subject_of, _MEMBER.findall(code))})


def _told(work: Work) -> Iterator[Edit]:
    """Insert the words of declarations in headers."""
    known: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for fact in work.facts(Kind.SIDES):
        signature, _, words = fact.value.partition(";")
        known[fact.subject][signature].add(words)
    for name, group in functions(work.unit).items() if known else ():
        if (subject := subject_of(name)) in known and any(each.is_definition for each in group):
            yield from _completed(work.unit, group, known[subject])


def subject_of(name: str) -> str:
    """Return a function's name as the subject of a fact, an identifier: `operator_3d` for `operator=`."""
    return _SYMBOL.sub(lambda match: f"_{ord(match[0]):x}", _BLANKS.sub("", name))


def _completed(unit: Unit, group: Iterable[Found], known: Mapping[str, set[str]]) -> Iterator[Edit]:
    """Yield the edits for definitions whose signature the headers of a tree declare in one way.

    Those without words get all; those with some of the two words get the other one.
    """
    for signature, family in families(unit, group):
        words = known.get(signature_text(signature), set())
        told = next(iter(words)) if len(words) == 1 else ""
        for each in family if told else ():
            if each.is_definition and not each.sides:
                yield Replace(each.first, each.first, f"{told} ")
            elif each.is_definition and meant(unit, each.sides) < meant(unit, told.split()):
                yield _inserted(unit, each, told.split())


def _inserted(unit: Unit, declared: Declared, words: Iterable[str]) -> Replace:
    """Return the edit that puts words, without those that are there, in front of a declaration's own."""
    found = (pattern.search(unit.code, declared.start, declared.name) for pattern in (_SIDE, SIDE_MACRO))
    at = min((match.start() for match in found if match is not None), default=declared.first)
    return Replace(at, at, "".join(f"{word} " for word in words if word not in declared.sides))


def mentions_sides(unit: Unit) -> bool:
    """Return whether a file says for which sides functions are, in CUDA's words or by macros."""
    if "mentions sides" not in unit.notes:
        unit.notes["mentions sides"] = not unit.words.isdisjoint(SIDES) or any(map(is_side_macro, unit.words))
    found: bool = unit.notes["mentions sides"]
    return found


def signature_text(signature: tuple[str, ...]) -> str:
    return ",".join(signature).replace(";", "")


def functions(unit: Unit) -> dict[str, list[Found]]:
    """Return what may be declarations of functions, by name."""
    if "redeclared sides" not in unit.notes:
        named: dict[str, list[Found]] = defaultdict(list)
        for node in unit.all_of("function_declarator"):
            name = name_of(unit, node)
            macros = _BEHIND.match(unit.code, node.end_byte)
            behind = macros.end() if macros is not None else node.end_byte
            if name is not None and unit.code.startswith(("{", ":", ";"), behind):
                word = unit.code[name.start : name.end].rpartition("::")[2].strip()
                named[word].append(Found(node, sides_in_front(unit.code, name.start), unit.code[behind] != ";"))
        unit.notes["redeclared sides"] = named
    found: dict[str, list[Found]] = unit.notes["redeclared sides"]
    return found


def sides_in_front(code: str, name: int) -> bool:
    """Return whether words for sides stand between the end of what is before and a name."""
    first = max(0, name - _LONGEST)
    start = max(code.rfind(end, first, name) for end in ";{}")
    return any(pattern.search(code, max(start, first), name) is not None for pattern in (_SIDE, SIDE_MACRO))


def families(unit: Unit, group: Iterable[Found]) -> Iterator[tuple[tuple[str, ...], list[Declared]]]:
    """Yield the declarations of each function of a name that is defined at most once, with its signature."""
    families: dict[tuple[str, ...], list[Declared]] = defaultdict(list)
    for found in group:
        owner = owner_of(unit, found.node)
        declared = _declared(unit, found.node, owner) if owner is not None else None
        if owner is not None and declared is not None:
            families[signature_of(unit, found.node, owner)].append(declared)
    yield from (each for each in families.items() if sum(one.is_definition for one in each[1]) < 2)


def name_of(unit: Unit, declarator: Node) -> Span | None:
    """Return the range of a function's name; the grammar takes the second of two macros in front of it for the name."""
    node, parameters = declarator.child_by_field_name("declarator"), declarator.child_by_field_name("parameters")
    if node is None or parameters is None or node.type not in _NAMES or not _is_clear(unit, parameters):
        return None
    if not declarator.has_error or parameters.has_error:
        return Span(node.start_byte, node.end_byte)
    match = _LAST_NAME.search(unit.code, node.start_byte, parameters.start_byte)
    return Span(match.start(), match.end(1)) if match is not None else None


def _is_clear(unit: Unit, parameters: Node) -> bool:
    """Return whether the grammar knows the parameters, except for the `*` of `T* = nullptr`, which it does not."""
    if not parameters.has_error:
        return True
    wrong = [child for each in parameters.children if each.has_error for child in (each.children or [each])]
    return all(each.type == "ERROR" and unit.code[each.start_byte] == "*" for each in wrong if each.has_error)


def owner_of(unit: Unit, declarator: Node) -> Node | None:
    """Return the declaration or definition of a function outside of functions, unless it is a specialization."""
    node = unit.parent(declarator)
    while node is not None and node.type in _THROUGH:
        node = unit.parent(node)
    if node is None or node.type not in _OWNERS:
        return None
    around = unit.parent(node)
    head = around.child_by_field_name("parameters") if around is not None else None
    if around is not None and around.type == "template_declaration" and (head is None or not head.named_children):
        return None
    while around is not None:
        if around.type in ("compound_statement", "friend_declaration", "ERROR"):
            return None
        around = unit.parent(around)
    return node


def _declared(unit: Unit, declarator: Node, owner: Node) -> Declared | None:
    name = name_of(unit, declarator)
    span = declaration(unit, name.start, owner.end_byte) if name is not None else None
    if name is None or span is None or platform_at(unit, span.start) is Platform.NVIDIA:
        return None
    if unit.has_directive(Span(span.start, name.start)) or _OTHERWISE.search(unit.code, span.start, name.start):
        return None
    words = _SIDE.findall(unit.code, span.start, name.start)
    macros = SIDE_MACRO.findall(unit.code, span.start, name.start)
    sides = (*(word for word in SIDES if word in words), *macros)
    is_definition = owner.type == "function_definition"
    return Declared(span.start, owner.start_byte, name.start, sides, is_definition)


def signature_of(unit: Unit, declarator: Node, owner: Node) -> tuple[str, ...]:
    """Return what tells a function from others: scopes, name, types of the parameters, `const`."""
    scopes: list[str] = []
    node = unit.parent(owner)
    while node is not None:
        if node.type in NAMED_SCOPES:
            scopes.insert(0, scope_name(node) + _specialized(unit, node))
        node = unit.parent(node)
    name, parameters = name_of(unit, declarator), declarator.child_by_field_name("parameters")
    assert name is not None and parameters is not None
    own = _own_parameters(unit, owner)
    path = _ARGUMENTS.sub(lambda match: _without(match[0], own), unit.code[name.start : name.end]).split("::")
    spans = parameter_types(parameters)
    texts = [_BLANKS.sub(" ", unit.code[each.start : each.end]).strip() for each in spans]
    numbers = _numbered(unit, owner) if texts else {}
    if numbers:
        texts = [_WORD.sub(lambda match: numbers.get(match[0], match[0]), text) for text in texts]
    is_const = "const" if _CONST.search(unit.code, parameters.end_byte, declarator.end_byte) else ""
    return "::".join((*scopes, *(_OPERATOR_BLANKS.sub("", part.strip()) for part in path))), is_const, *texts


def _specialized(unit: Unit, scope: Node) -> str:
    """Return the template arguments of a class that is a specialization: `<1>` for `struct Index<1>`."""
    name = scope.child_by_field_name("name")
    arguments = name.child_by_field_name("arguments") if name is not None and name.type == "template_type" else None
    return _BLANKS.sub("", unit.code[arguments.start_byte : arguments.end_byte]) if arguments is not None else ""


def _own_parameters(unit: Unit, owner: Node) -> frozenset[str]:
    """Return the words in the template parameters in front of a definition."""
    found: set[str] = set()
    around = unit.parent(owner)
    while around is not None and around.type == "template_declaration":
        head = around.child_by_field_name("parameters")
        found.update(_WORD.findall(unit.code, head.start_byte, head.end_byte) if head is not None else ())
        around = unit.parent(around)
    return frozenset(found)


def _numbered(unit: Unit, owner: Node) -> dict[str, str]:
    """Return names for the template parameters around a function by level and place, as `T` may be another's `U`."""
    heads: list[Node] = []
    around = unit.parent(owner)
    while around is not None:
        head = around.child_by_field_name("parameters") if around.type == "template_declaration" else None
        if head is not None and head.named_children:
            heads.insert(0, head)
        around = unit.parent(around)
    numbers: dict[str, str] = {}
    for level, head in enumerate(heads):
        for place, parameter in enumerate(head.named_children):
            front = unit.code[parameter.start_byte : parameter.end_byte].partition("=")[0]
            words = _WORD.findall(front)
            if words and words[-1] not in ("typename", "class"):
                numbers[words[-1]] = f"T{level}_{place}"
    return numbers


def _without(arguments: str, own: frozenset[str]) -> str:
    """Return template arguments in a name, without blanks; none if they are the function's own: `Box<T>::get`."""
    words = [word.strip().removesuffix("...") for word in arguments[1:-1].split(",")]
    return "" if own.issuperset(words) else _BLANKS.sub("", arguments)


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
