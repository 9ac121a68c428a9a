"""The declarations of each function of a file, with what tells it from other functions.

A family is one function: its declarations and its definition, found by scopes, name, types and `const`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.declarations import declaration
from hipport.translate.syntax.named_scopes import NAMED_SCOPES, scope_name
from hipport.translate.syntax.parameter_types import parameter_types
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.side_words import SIDES
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.syntax.words import SIDE_MACRO

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
_BEHIND = re.compile(r"\s*(?:[A-Z_][A-Z0-9_]+\b\s*)*")
"""Matches macros behind a declarator, such as `APP_NOEXCEPT`."""
_LONGEST = 400
"""Characters in front of a name among which its words for sides are."""
_FARTHEST = 120
"""Characters of a name among which its scopes are."""
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


def signature_text(signature: tuple[str, ...]) -> str:
    return ",".join(signature).replace(";", "")


def subject_of(name: str) -> str:
    """Return a function's name as the subject of a fact, an identifier: `operator_3d` for `operator=`."""
    return _SYMBOL.sub(lambda match: f"_{ord(match[0]):x}", _BLANKS.sub("", name))


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


def is_member(code: str, name: int) -> bool:
    """Return whether the name of a function has scopes, given where it begins: `app::f` counts, too."""
    return "::" in code[name : name + _FARTHEST].partition("(")[0]


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
        if around.type in ("compound_statement", "friend_declaration"):
            return None
        # Under an error scopes are not known, but for what is in no braces.
        if around.type == "ERROR" and unit.braces.around(Span(node.start_byte, node.start_byte + 1)) is not None:
            return None
        around = unit.parent(around)
    return node


def _declared(unit: Unit, declarator: Node, owner: Node) -> Declared | None:
    name = name_of(unit, declarator)
    is_definition = owner.type == "function_definition"
    return declared_at(unit, name.start, owner, is_definition) if name is not None else None


def declared_at(unit: Unit, name: int, owner: Node, is_definition: bool) -> Declared | None:
    """Return a declaration, given where its name begins; None for one that others cannot be compared with."""
    span = declaration(unit, name, owner.end_byte)
    if span is None or platform_at(unit, span.start) is Platform.NVIDIA:
        return None
    if unit.has_directive(Span(span.start, name)) or _OTHERWISE.search(unit.code, span.start, name):
        return None
    words = _SIDE.findall(unit.code, span.start, name)
    macros = SIDE_MACRO.findall(unit.code, span.start, name)
    sides = (*(word for word in SIDES if word in words), *macros)
    return Declared(span.start, owner.start_byte, name, sides, is_definition)


def signature_of(unit: Unit, declarator: Node, owner: Node) -> tuple[str, ...]:
    """Return what tells a function from others: scopes, name, types of the parameters, `const`."""
    name, parameters = name_of(unit, declarator), declarator.child_by_field_name("parameters")
    assert name is not None and parameters is not None
    path = generic_path(unit, owner, unit.code[name.start : name.end])
    spans = parameter_types(parameters)
    texts = [_BLANKS.sub(" ", unit.code[each.start : each.end]).strip() for each in spans]
    numbers = numbered_parameters(unit, owner) if texts else {}
    is_const = "const" if _CONST.search(unit.code, parameters.end_byte, declarator.end_byte) else ""
    scopes = enclosing_scopes(unit, owner)
    return "::".join((*scopes, *path)), is_const, *(with_numbers(each, numbers) for each in texts)


def enclosing_scopes(unit: Unit, owner: Node) -> list[str]:
    """Return the names of the namespaces and classes around a declaration, outer ones first."""
    scopes: list[str] = []
    node = unit.parent(owner)
    while node is not None:
        if node.type in NAMED_SCOPES:
            scopes.insert(0, scope_name(node) + _specialized(unit, node))
        node = unit.parent(node)
    return scopes


def generic_path(unit: Unit, owner: Node, name: str) -> list[str]:
    """Return the parts of a qualified name, without the arguments that are the parameters of its own templates."""
    own = _own_parameters(unit, owner)
    parts = _ARGUMENTS.sub(lambda match: _without(match[0], own), name).split("::")
    return [_OPERATOR_BLANKS.sub("", part.strip()) for part in parts]


def with_numbers(text: str, numbers: Mapping[str, str]) -> str:
    """Return a type with the parameters of templates by their places."""
    return _WORD.sub(lambda match: numbers.get(match[0], match[0]), text) if numbers else text


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


def numbered_parameters(unit: Unit, owner: Node) -> dict[str, str]:
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
