"""Constructors with `__device__` alone that the host calls, in function templates or without their names.

nvcc keeps their bodies for the host and checks neither calls from templates nor `return {1, 2};`, `new Hit(1, 2)` and
initializers of members, so such programs work. HIP's compilers reject the call. The constructors get `__host__`: Clang
reports device-only calls in them only if the host needs them.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.runtime_include import named_sides
from hipport.translate.syntax.declarations import host_function, specifiers
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.side_words import sides_in
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_CLASSES = ("struct_specifier", "class_specifier")
_FUNCTIONS = ("function_definition", "declaration")
_OF_DEVICE = frozenset({"__device__", "__global__"})
_OBJECT = re.compile(r"\s*(?:<[^;{}()]{0,200}>)?\s*(?:[A-Za-z_]\w*\s*)?[({]")
"""Matches behind the name of a class whose object is made."""
_ALIAS = re.compile(
    r"\busing\s+(?P<new>[A-Za-z_]\w*)\s*=\s*(?:typename\s+)?(?P<used>[A-Za-z_]\w*)\b"
    r"|\btypedef\s+(?P<old>[A-Za-z_]\w*)\s*(?:<[^;{}()]{0,200}>)?\s*(?P<given>[A-Za-z_]\w*)\s*;"
)
_HOST, _DEVICE = frozenset({"__host__"}), frozenset({"__device__"})
_NEW = re.compile(r"\bnew\s+\Z")
_RETURNED = re.compile(r"\breturn\s*\{")
_MEMBER = re.compile(r"\s+([A-Za-z_]\w*)\s*[;,\[]")
WORDS = (frozenset({"__device__"}),)


def run(work: Work) -> Iterator[Edit]:
    """Insert `__host__` in front of the `__device__` of such constructors."""
    unit = work.unit
    if is_hip(work):
        return
    constructors = _constructors(unit)
    made = {name for name in constructors if _is_made(unit, name) or _is_made_without_its_name(unit, name)}
    for name in sorted(made):
        for front in constructors[name]:
            at = next((place for place, sides in sides_in(unit, front) if sides == _DEVICE), None)
            if at is not None and platform_at(unit, at) is not Platform.NVIDIA:
                yield Replace(at, at, f"{named_sides(work, _HOST)[0]} ")


def _constructors(unit: Unit) -> dict[str, list[Span]]:
    """Return the ranges in front of the names of each class's device-only constructors.

    Classes are left out if a constructor for the host has the same parameters: the two are overloads.
    """
    found: dict[str, list[Span]] = {}
    for kind in _CLASSES:
        for node in unit.all_of(kind):
            name = _class_name(unit, node)
            body = node.child_by_field_name("body")
            if not name or body is None or name not in unit.words:
                continue
            kinds = dict(_of_class(unit, body, name))
            device = {span: parameters for span, (words, parameters) in kinds.items() if _is_device_only(words)}
            other = {parameters for words, parameters in kinds.values() if not _is_device_only(words)}
            found.setdefault(name, []).extend(span for span, parameters in device.items() if parameters not in other)
    return {name: places for name, places in found.items() if places}


def _is_device_only(words: frozenset[str]) -> bool:
    return "__device__" in words and "__host__" not in words


def _class_name(unit: Unit, node: Node) -> str:
    name = node.child_by_field_name("name")
    if name is not None and name.type == "template_type":
        name = name.child_by_field_name("name")
    return unit.code[name.start_byte : name.end_byte] if name is not None and name.type == "type_identifier" else ""


def _of_class(unit: Unit, body: Node, name: str) -> Iterator[tuple[Span, tuple[frozenset[str], str]]]:
    """Yield the constructors of a class: the range up to the name, the specifiers and the text of the parameters."""
    for member in body.named_children:
        inner = member.named_children[-1] if member.type == "template_declaration" and member.named_children else member
        declarator = inner.child_by_field_name("declarator") if inner.type in _FUNCTIONS else None
        if declarator is None or declarator.type != "function_declarator":
            continue
        called = declarator.child_by_field_name("declarator")
        parameters = declarator.child_by_field_name("parameters")
        if called is None or parameters is None or unit.code[called.start_byte : called.end_byte] != name:
            continue
        words = specifiers(unit, called.start_byte, called.start_byte)
        start = max(unit.code.rfind(end, 0, called.start_byte) for end in ";{}:") + 1
        text = " ".join(unit.code[parameters.start_byte : parameters.end_byte].split())
        yield Span(start, called.start_byte), (words, text)


@functools.lru_cache(maxsize=2)
def _aliases(code: str) -> tuple[tuple[str, str], ...]:
    """Return the aliases of classes, each with the name that it stands for."""
    return tuple((found["new"] or found["given"], found["used"] or found["old"]) for found in _ALIAS.finditer(code))


def _is_made(unit: Unit, name: str) -> bool:
    """Return whether a function template for the host makes an object of the class, by its name or an alias."""
    names = {name} | {alias for alias, of in _aliases(unit.code) if of == name}
    for each, offset in unit.occurrences(frozenset(names)):
        if _OBJECT.match(unit.code, offset + len(each)) is not None and _in_host_template(unit, offset):
            return True
    return False


def _is_made_without_its_name(unit: Unit, name: str) -> bool:
    """Return whether the host makes an object of the class in a way that nvcc does not check."""
    for _, offset in unit.occurrences(frozenset({name})):
        if _NEW.search(unit.code, max(0, offset - 16), offset):
            found = host_function(unit, offset) is not None
        else:
            found = _is_returned(unit, Span(offset, offset + len(name))) or _is_member(unit, offset + len(name))
        if found:
            return True
    return False


def _is_returned(unit: Unit, span: Span) -> bool:
    """Return whether the class in a range is what a function for the host returns by `return {...}`."""
    function = host_function(unit, span.start)
    type_ = function.child_by_field_name("type") if function is not None else None
    body = function.child_by_field_name("body") if function is not None else None
    declarator = function.child_by_field_name("declarator") if function is not None else None
    if type_ is None or body is None or declarator is None or declarator.type != "function_declarator":
        return False
    is_type = type_.start_byte <= span.start and span.end == type_.end_byte
    return is_type and _RETURNED.search(unit.code, body.start_byte, body.end_byte) is not None


def _is_member(unit: Unit, end: int) -> bool:
    """Return whether a constructor for the host initializes a member whose type ends at an offset."""
    member = _MEMBER.match(unit.code, end)
    if member is None:
        return False
    node = unit.node_at(Span(*member.span(1)))
    if node is None or node.type != "field_identifier":
        return False
    initialized = re.build(rf"\)\s*(?:noexcept\s*)?:(?!:)[^;{{}}]*?\b({member[1]})\s*[({{]")
    return any(host_function(unit, each.start(1)) is not None for each in initialized.finditer(unit.code))


def _in_host_template(unit: Unit, offset: int) -> bool:
    node: Node | None = unit.node_at(Span(offset, offset + 1))
    in_body = False
    while node is not None:
        if node.type == "compound_statement":
            in_body = True
        elif node.type in ("function_definition", "lambda_expression") and in_body:
            declarator = node.child_by_field_name("declarator")
            end = declarator.start_byte if declarator is not None else node.start_byte
            if node.type == "lambda_expression" or not specifiers(unit, end, end).isdisjoint(_OF_DEVICE):
                return False
            return _is_template(unit, node)
        node = unit.parent(node)
    return False


def _is_template(unit: Unit, function: Node) -> bool:
    around = unit.parent(function)
    while around is not None and around.type != "template_declaration":
        if around.type == "compound_statement":
            return False
        around = unit.parent(around)
    return around is not None
