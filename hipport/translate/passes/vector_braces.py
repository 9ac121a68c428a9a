"""Braced initializers of vectors: `float4 v{2.f}`, `float4 v = {0}`, `float4 a[2] = {1, 2, 3, 4, 5, 6, 7, 8}`.

CUDA's vectors are aggregates, so missing components are 0, and braces around components can be left out. HIP's are
classes with a constructor for all components, and one that sets all of them to one number. So what is left out is
written, which means the same in CUDA.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span
from hipport.translate.dataflow.aggregates import COMPLEX_TYPES, UNKNOWN, VECTOR_TYPES, Aggregates, Kind, parameters
from hipport.translate.dataflow.function import first_child, text_of
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_IN_FRONT = re.compile(r"(?:=|\breturn|[(,{])\s*\Z")
_FARTHEST = 40
"""Characters in front of a brace in which is looked for what opens an initializer."""
_TYPED = re.compile(r"(?<![\w.>])(?:struct\s+)?[A-Za-z_]\w*(?:\s+[A-Za-z_]\w*(?:\s*\[[^][]*\])*)?\s*\{\s*[-+.\w(]")

_WITH_VECTOR = re.compile(
    r"\b([A-Za-z_]\w*)\s*<[^<>;(){}]*\b((?:u?(?:char|short|int|long|longlong)|float|double)[1-4])\b"
)
"""A template's name in front of arguments with a vector type."""
WORDS = (VECTOR_TYPES | COMPLEX_TYPES.keys(),)


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Complete the initializers of vectors, and report those that are unclear."""
    unit = work.unit
    if not (_has_list(unit.code) or _TYPED.search(unit.code)):
        return
    braces = _Braces(work)
    for node in unit.all_of("initializer_list"):
        if not braces.is_inner(node):
            yield from braces.complete(node)


def _has_list(code: str) -> bool:
    """Return whether a file has braces where an expression may be; braces are fewer than signs in front of them."""
    braces = (match.start() for match in _BRACE.finditer(code))
    return any(_IN_FRONT.search(code, max(0, start - _FARTHEST), start) for start in braces)


_BRACE = re.compile(r"\{")


class _Unclear(Exception):
    """An expression of which it is not known whether it is a vector or a number."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.node = node


class _Braces:
    """The initializer lists of a file."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.unit = work.unit

    @cached_property
    def types(self) -> Aggregates:
        return self.work.aggregates

    def is_inner(self, node: Node) -> bool:
        """Return whether a list is an element of another one, directly or behind a designator."""
        around = self.unit.parent(node)
        return around is not None and around.type in ("initializer_list", "initializer_pair")

    def complete(self, node: Node) -> list[Edit | Diagnostic]:
        """Return the edits for a list and those in it, or a finding if it is unclear."""
        if platform_at(self.unit, node.start_byte) is Platform.NVIDIA:
            return []
        kind, direct = self._wanted(node)
        if not kind.known and self._is_generic(node):
            return [unclear(self.work, Span(node.start_byte, node.end_byte))]
        try:
            return list(self._list(node, kind, direct=direct))
        except _Unclear as error:
            return [unclear(self.work, Span(error.node.start_byte, error.node.end_byte))]

    def _is_generic(self, node: Node) -> bool:
        """Return whether a list is for a parameter of a template that the file uses with a vector type."""
        around = self.unit.parent(node)
        while around is not None and around.type not in ("declaration", "compound_literal_expression"):
            around = self.unit.parent(around) if around.type == "init_declarator" else None
        name = text_of(around.child_by_field_name("type")) if around is not None else ""
        first = first_child(node)
        if around is None or first is None or name not in self._generic:
            return False
        widths = [width for span, width in self._generic[name] if span.start <= node.start_byte < span.end]
        count, direct = node.named_child_count, "=" not in self.unit.code[around.start_byte : node.start_byte]
        if first.type == "initializer_pair" or (count == 1 and not direct):
            return bool(widths)
        return any(count < width for width in widths) and not (count == 1 and text_of(first) == "0")

    @cached_property
    def _generic(self) -> dict[str, list[tuple[Span, int]]]:
        """The templates with a parameter of each name that the file uses with a vector type, and its width."""
        found: dict[str, list[tuple[Span, int]]] = {}
        for name, vector in {(match[1], match[2]) for match in _WITH_VECTOR.finditer(self.unit.code)}:
            for match in re.finditer(rf"\btemplate\s*<([^<>]*)>[^;{{}}]*\b{name}\b[^;{{}}]*\{{", self.unit.code):
                body = self.unit.braces.around(Span(match.end() - 1, match.end()))
                span = Span(match.start(), body.end if body else match.end())
                for parameter in re.findall(r"\b(?:typename|class)\s+(\w+)", match[1]):
                    found.setdefault(parameter, []).append((span, int(vector[-1])))
        return found

    def _wanted(self, node: Node) -> tuple[Kind, bool]:
        """Return the type that a list initializes, and whether it names it: `float4{1}`, `float4 v{1}`."""
        around = self.unit.parent(node)
        if around is None:
            return UNKNOWN, False
        if around.type == "init_declarator":
            declaration = self.unit.parent(around)
            _, kind = self.types.declarator(declaration, around) if declaration is not None else ("", UNKNOWN)
            return UNKNOWN if kind.scalar else kind, "=" not in _between(self.unit.code, around, node)
        if around.type == "compound_literal_expression":
            return self._literal(around, node)
        if around.type == "new_expression":
            return self.types.named(text_of(around.child_by_field_name("type"))), True
        if around.type == "field_declaration":
            kinds = [kind for _, kind in self.types.declared(around)]
            return kinds[-1] if kinds else UNKNOWN, "=" not in _between(self.unit.code, around, node)
        if around.type == "field_initializer":
            return self._member(around), True
        if around.type == "return_statement":
            return self._returned(around), False
        if around.type == "assignment_expression":
            kind = self.types.of(around.child_by_field_name("left"))
            return (kind if kind.width and text_of(around.child_by_field_name("operator")) == "=" else UNKNOWN), False
        return (self._argument(around, node), False) if around.type == "argument_list" else (UNKNOWN, False)

    def _literal(self, literal: Node, node: Node) -> tuple[Kind, bool]:
        around = self.unit.parent(literal)
        name = text_of(literal.child_by_field_name("type"))
        if not name.strip() and around is not None and around.type == "optional_parameter_declaration":
            return self._parameter(around), False
        return self.types.named(name), True

    def _parameter(self, node: Node) -> Kind:
        """Return the type of a parameter; unknown for a pointer."""
        declarator = node.child_by_field_name("declarator")
        if declarator is None or declarator.type == "abstract_reference_declarator":
            return self.types.named(text_of(node.child_by_field_name("type")))
        kind = self.types.declarator(node, declarator)[1]
        return UNKNOWN if kind.scalar or kind.element else kind

    def _member(self, initializer: Node) -> Kind:
        name = text_of(first_child(initializer))
        around = self.unit.parent(initializer)
        while around is not None and around.type != "field_declaration_list":
            around = self.unit.parent(around)
        fields = around.named_children if around is not None else []
        kinds = [dict(self.types.declared(field)) for field in fields if field.type == "field_declaration"]
        return next((found[name] for found in kinds if name in found), UNKNOWN)

    def _returned(self, statement: Node) -> Kind:
        around = self.unit.parent(statement)
        while around is not None and around.type not in ("function_definition", "lambda_expression"):
            around = self.unit.parent(around)
        return self.types.returned(around) if around is not None else UNKNOWN

    def _argument(self, arguments: Node, node: Node) -> Kind:
        """Return the type of the parameter if all functions of that name in the file agree."""
        call = self.unit.parent(arguments)
        if call is None or call.type != "call_expression":
            return UNKNOWN
        index = arguments.named_children.index(node)
        found = self.types.functions.get(text_of(call.child_by_field_name("function")), [])
        lists = [listed for listed in map(parameters, found) if len(listed) > index]
        kinds = {self._parameter(listed[index]) for listed in lists}
        return kinds.pop() if len(kinds) == 1 else UNKNOWN

    def _list(self, node: Node, kind: Kind, *, direct: bool = False) -> Iterator[Edit]:
        """Yield the edits for a braced list that initializes a value of a type."""
        elements = [child for child in node.named_children if child.type != "comment"]
        if kind.width:
            yield from self._vector(node, elements, kind, direct=direct)
        elif elements and elements[0].type == "initializer_pair":
            members = dict(kind.members)
            for element in elements:
                value = element.child_by_field_name("value")
                name = text_of(element.child_by_field_name("designator")).removeprefix(".")
                if value is not None and value.type == "initializer_list":
                    yield from self._list(value, members.get(name, UNKNOWN))
        elif kind.element is not None or kind.members:
            position = 0
            for part in _parts(kind, len(elements)):
                if position < len(elements):
                    edits, position = self._value(elements, position, part)
                    yield from edits

    def _value(self, elements: Sequence[Node], position: int, kind: Kind) -> tuple[list[Edit], int]:
        """Return the edits for one value of a type from a position on, and the position after it."""
        element = elements[position]
        if element.type == "initializer_list":
            return list(self._list(element, kind)), position + 1
        if not (kind.width or kind.members or kind.element) or kind.scalar:
            return [], position + 1
        given = self.types.of(element)
        if given.name and (given.name == kind.name or kind.element is None):
            return [], position + 1
        if not _has_vectors(kind) or _is_text(element, kind):
            return [], self._skip(elements, position, kind)
        if not given.known:
            raise _Unclear(element)
        return self._braced(elements, position, kind)

    def _skip(self, elements: Sequence[Node], position: int, kind: Kind) -> int:
        """Return the position after a value without vectors, whose braces may be left out."""
        if not (kind.members or kind.element) or kind.scalar or elements[position].type == "initializer_list":
            return position + 1
        if _is_text(elements[position], kind) or self.types.of(elements[position]).name == kind.name != "":
            return position + 1
        for part in _parts(kind, len(elements) - position):
            if position < len(elements):
                position = self._skip(elements, position, part)
        return position

    def _braced(self, elements: Sequence[Node], position: int, kind: Kind) -> tuple[list[Edit], int]:
        """Put braces around the elements of a value that has none."""
        first, edits = position, list[Edit]()
        if kind.width:
            position = min(position + kind.width, len(elements))
            inner = [*elements[first:position]]
            if any(self.types.of(each).width for each in inner):
                raise _Unclear(inner[0])
            missing = kind.width - len(inner)
        else:
            missing = 0
            for part in _parts(kind, len(elements) - position):
                if position < len(elements):
                    found, position = self._value(elements, position, part)
                    edits += found
        start, end = elements[first].start_byte, elements[position - 1].end_byte
        opening = f"{kind.name}{{" if kind.width == 1 else "{"
        return [Replace(start, start, opening), *edits, Replace(end, end, ", 0" * missing + "}")], position

    def _vector(self, node: Node, elements: list[Node], kind: Kind, *, direct: bool) -> Iterator[Edit]:
        """Write the components that are left out."""
        given = 0
        for element in elements:
            value = element.child_by_field_name("value") if element.type == "initializer_pair" else None
            if value is not None:
                component = text_of(element.child_by_field_name("designator")).removeprefix(".")
                at = "xyzw".find(component)
                if len(component) != 1 or at < given:
                    raise _Unclear(element)
                yield Replace(element.start_byte, value.start_byte, "0, " * (at - given))
                given = at
            given += 1
        if len(elements) == 1 and elements[0].type not in ("initializer_pair", "initializer_list"):
            found = self.types.of(elements[0])
            if found.width or found.members:
                return
            if not found.known and not (kind.width == 1 and direct):
                raise _Unclear(elements[0])
        if not direct and (kind.width == 1 or not elements):
            around = self.unit.parent(node)
            if elements or (around is not None and around.type == "assignment_expression"):
                yield Replace(node.start_byte, node.start_byte, kind.name)
        if 0 < given < kind.width:
            last = elements[-1].end_byte
            comma = self.unit.code.find(",", last, node.end_byte)
            at = last if comma < 0 else comma + 1
            text = ", 0" * (kind.width - given)
            yield Replace(at, at, text if comma < 0 else text[1:])


def _between(code: str, around: Node, node: Node) -> str:
    """Return the code between a declarator's name and its initializer."""
    text = code[around.start_byte : node.start_byte]
    return re.sub(r"\[[^][]*\]", "", text)


def _parts(kind: Kind, most: int) -> Iterator[Kind]:
    """Yield the types of the elements of an array, at most as many as given, or of the members of a struct."""
    if kind.element is not None:
        yield from (kind.element for _ in range(most if kind.length is None else min(kind.length, most)))
    elif kind.width:
        yield from (Kind(scalar=True) for _ in range(kind.width))
    else:
        yield from (member for _, member in kind.members)


def _has_vectors(kind: Kind) -> bool:
    if kind.element is not None:
        return not kind.scalar and _has_vectors(kind.element)
    return bool(kind.width) or any(_has_vectors(member) for _, member in kind.members)


def _is_text(node: Node, kind: Kind) -> bool:
    """Return whether a string initializes an array of characters."""
    return node.type in ("string_literal", "concatenated_string") and kind.element is not None


def unclear(work: Work, place: Span) -> Diagnostic:
    """Return the finding for a number or vector in braces."""
    message = "a number in braces may set all components of HIP's vectors, or not compile, where CUDA sets one"
    advice = "If this is a number, write all components, each vector in braces of its own."
    return work.report(place, "HP115", Severity.WARNING, message, advice)
