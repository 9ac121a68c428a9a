"""Numbers in braces that become numbers of a narrower type: `dim3 grid{n}`, `unsigned v[] = {n, m}` for an `int n`.

nvcc and GCC warn unless the value is constant; Clang rejects it, unless a pragma in front turns that off. One is
inserted into files with such a list, as far as the file shows the types. In `{{a, b}}`, an array in a class of another
file, the elements may be of any type; in `{x, n}` for a class of another file, all may be of the type of a float.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.dataflow import numbers
from hipport.translate.dataflow.function import text_of
from hipport.translate.dataflow.numbers import Number
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = (frozenset({"__device__", "__global__", "__host__", "dim3"}),)
_PRAGMA = '#pragma clang diagnostic ignored "-Wc++11-narrowing"'
_LIST = re.compile(r"\{[^{};A-Za-z_]*[A-Za-z_][^{};]*\}")
_IN_FRONT = re.compile(r"[\w>\])]\s*(?:=\s*)?\Z|[{,]\s*\Z")
_FARTHEST = 100
"""Characters in front of a list in which is looked for what it belongs to."""
_CONTAINER = re.compile(
    r"(?:(?:std|thrust|cuda::std)\s*::\s*)?(?:array|vector|initializer_list)\s*<([^<>,]*)(?:,[^<>]*)?>"
)
_CLASSES = ("struct_specifier", "class_specifier")


def run(work: Work) -> Iterator[Edit]:
    """Insert the pragma in front of the declaration with the first such list."""
    unit = work.unit
    if is_hip(work) or b"-Wc++11-narrowing" in unit.source.text or not _may_narrow(unit.code):
        return
    first = next((node for node in unit.all_of("initializer_list") if _is_rejected(work, node)), None)
    if first is not None:
        start = unit.code.rfind("\n", 0, _declaration(work, first).start_byte) + 1
        yield Replace(start, start, f"{_PRAGMA}{unit.source.newline}")


def _may_narrow(code: str) -> bool:
    """Return whether a file may have such a list; braces are fewer than what may be in front of them."""
    lists = (match.start() for match in _LIST.finditer(code))
    return any(_IN_FRONT.search(code, max(0, start - _FARTHEST), start) for start in lists)


def _is_rejected(work: Work, node: Node) -> bool:
    if not _is_outermost(work, node) or platform_at(work.unit, node.start_byte) is Platform.NVIDIA:
        return False
    return any(_narrows(work, *each) for each in _values(work, node))


def _is_outermost(work: Work, node: Node) -> bool:
    around = work.unit.parent(node)
    return around is not None and around.type not in ("initializer_list", "initializer_pair")


def _declaration(work: Work, node: Node) -> Node:
    """Return the declaration at file scope, or the namespace, around a node."""
    around = work.unit.parent(node)
    while around is not None and around.type != "translation_unit":
        node, around = around, work.unit.parent(around)
    return node


def _narrows(work: Work, value: Node, wanted: Number | None) -> bool:
    """Return whether a value in braces is of a type that does not fit; `wanted` is None for an unknown integer type."""
    if numbers.is_constant(value):
        return False
    given = numbers.of_expression(work.flow, value)
    if given is None:
        return False
    return given.kind == "i" and given.bits == 32 if wanted is None else numbers.narrows(given, wanted)


def _values(work: Work, node: Node) -> Iterator[tuple[Node, Number | None]]:
    """Yield the values of a list, each with the type of number that it initializes."""
    name, is_array = _type(work, node)
    container = _CONTAINER.fullmatch(name.strip())
    number = numbers.number(container[1] if container is not None else name)
    elements = [child for child in node.named_children if child.type != "comment"]
    members = _members(work, name)
    if number is not None:
        yield from ((leaf, number) for leaf in numbers.leaves(node))
    elif members and not is_array:
        for element, member in zip(elements, members, strict=False):
            for leaf in numbers.leaves(element) if element.type == "initializer_list" else (element,):
                wanted = numbers.number(member)
                if wanted is not None:
                    yield leaf, wanted
    elif len(elements) == 1 and elements[0].type == "initializer_list" and name and not members:
        inner = [child for child in elements[0].named_children if child.type != "comment"]
        if len(inner) > 1 and not is_array and all(child.type != "initializer_list" for child in inner):
            yield from ((leaf, None) for leaf in inner)
    elif name and not members and not is_array and container is None:
        yield from _beside_floats(work, elements)


def _beside_floats(work: Work, elements: Sequence[Node]) -> Iterator[tuple[Node, Number]]:
    """Yield the values in braces for a class of another file, as of floats, if one of them is: members may all be."""
    given = [numbers.of_expression(work.flow, each) for each in elements]
    floats = [number for number in given if number is not None and number.kind == "f"]
    yield from ((each, floats[0]) for each in elements if floats)


def _type(work: Work, node: Node) -> tuple[str, bool]:
    """Return the name of the type that a list initializes, empty if it is unknown, and whether it is an array."""
    around = work.unit.parent(node)
    if around is None:
        return "", False
    if around.type == "init_declarator":
        declaration, declarator = work.unit.parent(around), around.child_by_field_name("declarator")
        kind = declarator.type if declarator is not None else ""
        if declaration is None or kind not in ("identifier", "array_declarator"):
            return "", False
        return text_of(declaration.child_by_field_name("type")), kind == "array_declarator"
    if around.type == "compound_literal_expression":
        return text_of(around.child_by_field_name("type")), False
    if around.type == "field_initializer":
        return _member(work, around), False
    return "", False


def _members(work: Work, name: str) -> list[str]:
    """Return the types of the members of a class without constructors in this file, in order; none if it is unknown."""
    notes = work.unit.notes
    if "classes with members" not in notes:
        found = ((text_of(node.child_by_field_name("name")), node) for node in work.unit.all_of(*_CLASSES))
        notes["classes with members"] = {name: node for name, node in found if node.child_by_field_name("body")}
    node: Node | None = notes["classes with members"].get(name) if name else None
    body = node.child_by_field_name("body") if node is not None else None
    if node is None or body is None or f"{name}(" in text_of(body):
        return []
    has_base = any(child.type == "base_class_clause" for child in node.named_children)
    return [] if has_base else [kind for _, kind in _fields(body)]


def _fields(body: Node) -> Iterator[tuple[str, str]]:
    """Yield the names and types of the members of a class that are variables; pointers have no type."""
    for child in body.named_children:
        if child.type != "field_declaration" or text_of(child).startswith("static"):
            continue
        for declarator in child.children_by_field_name("declarator"):
            inner = declarator
            while inner.type == "array_declarator" and inner.named_child_count:
                inner = inner.named_children[0]
            plain = inner.type == "field_identifier"
            if declarator.type != "function_declarator":
                yield text_of(inner), text_of(child.child_by_field_name("type")) if plain else ""


def _member(work: Work, initializer: Node) -> str:
    """Return the type of the member that a constructor of the file's class initializes."""
    around = work.unit.parent(initializer)
    while around is not None and around.type != "field_declaration_list":
        around = work.unit.parent(around)
    name = text_of(initializer.named_children[0]) if initializer.named_child_count else ""
    return dict(_fields(around)).get(name, "") if around is not None else ""
