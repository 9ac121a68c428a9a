"""Which names depend on template parameters, or on parameters declared `auto`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.brackets import skip_blanks_back, split_arguments, template_close
from hipport.translate.syntax.unit import Node, Unit

_WORD = re.compile(r"[A-Za-z_]\w*")
_PARAMETER = re.compile(r"([A-Za-z_]\w*)\s*(?:=|\Z)")
_INFERRED = re.compile(r"\b(?:auto|const|constexpr)\b")
_AUTO = re.compile(r"\bauto\b")
_CLASS = frozenset({"class_specifier", "struct_specifier", "union_specifier"})
_SCOPES = frozenset({"template_declaration", "function_definition", "lambda_expression"})
_DECLARATIONS = (
    "parameter_declaration",
    "optional_parameter_declaration",
    "variadic_parameter_declaration",
    "declaration",
    "field_declaration",
    "for_range_loop",
    "alias_declaration",
    "type_definition",
    "enumerator",
)
_SCOPE = re.compile(r"\s*::")
_OF_NAMESPACE = re.compile(r"\bnamespace\s[\w\s:=]*\Z")
_LOOKED_BACK = 100
"""Characters in front of a name among which `namespace` is."""
_NAMES = frozenset({"identifier", "field_identifier", "type_identifier"})


class Dependence:
    """Tells for a place in a unit which names depend on template parameters there."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._found: dict[int, frozenset[str]] = {}
        self._starts: dict[tuple[str, ...], list[int]] = {}
        self._declared: dict[str, bool] = {}

    def may_depend(self, span: Span) -> bool:
        """Return whether an expression or type may depend on template parameters, by the text: no tree is needed.

        A name that is only in front of `::`, or that of a namespace, is nothing that the file declares.
        """
        return any(map(self._may_be_declared, _WORD.findall(self._unit.code, span.start, span.end)))

    def _may_be_declared(self, name: str) -> bool:
        if name not in self._declared:
            code, length = self._unit.code, len(name)
            self._declared[name] = any(
                not _SCOPE.match(code, at + length) and not _OF_NAMESPACE.search(code, max(0, at - _LOOKED_BACK), at)
                for _, at in self._unit.occurrences(frozenset({name}))
            )
        return self._declared[name]

    def depends(self, node: Node, span: Span) -> bool:
        """Return whether an expression or type beside a node depends on template parameters.

        The class itself that a node is in is known, however its parameters are written: it depends on nothing.
        """
        scope, classes = self._around(node)
        words = _WORD.findall(self._unit.code, span.start, span.end)
        if scope is None or (words[:1] and words[0] in classes and self._is_whole(span)):
            return False
        return any(not self._names(each).isdisjoint(words) for each in (scope, *self._definitions(classes)))

    def _is_whole(self, span: Span) -> bool:
        """Return whether a range is one name, which template arguments may follow."""
        opening = self._unit.code.find("<", span.start, span.end)
        name = self._unit.code[span.start : span.end if opening < 0 else opening].strip()
        closed = template_close(self._unit.code, opening, span.end) if opening >= 0 else None
        return name.isidentifier() and (opening < 0 or closed == skip_blanks_back(self._unit.code, span.end) - 1)

    def _definitions(self, classes: set[str]) -> Iterator[Node]:
        """Yield the templates that define classes, whose members other functions are."""
        for name in classes:
            yield from self._templates.get(name, ())

    @cached_property
    def _templates(self) -> Mapping[str, list[Node]]:
        """The templates that define classes, by name."""
        found: dict[str, list[Node]] = {}
        for each in self._unit.all_of(*_CLASS):
            name, template = each.child_by_field_name("name"), self._unit.parent(each)
            if name is not None and template is not None and template.type == "template_declaration":
                found.setdefault(_text(name), []).append(template)
        return found

    def _around(self, node: Node) -> tuple[Node | None, set[str]]:
        """Return the outermost template or function with `auto` around a node, and the classes around it."""
        scope, classes = None, set()
        at: Node | None = node
        while at is not None:
            if at.type in _SCOPES:
                scope = at
                classes |= set(self._qualifiers(at))
            elif at.type in _CLASS:
                classes |= {_text(name) for name in [at.child_by_field_name("name")] if name is not None}
            at = self._unit.parent(at)
        return scope, classes

    def _qualifiers(self, scope: Node) -> Iterator[str]:
        """Yield the class whose member a function is, where it is defined outside of it."""
        at = scope.child_by_field_name("declarator")
        while at is not None and at.type != "qualified_identifier":
            at = at.child_by_field_name("declarator")
        while at is not None and at.type == "qualified_identifier":
            inner = at.child_by_field_name("scope")
            yield from _WORD.findall(_text(inner))[:1] if inner is not None else ()
            at = at.child_by_field_name("name")

    def _names(self, scope: Node) -> frozenset[str]:
        if scope.start_byte not in self._found:
            self._found[scope.start_byte] = self._collect(scope)
        return self._found[scope.start_byte]

    def _collect(self, scope: Node) -> frozenset[str]:
        names = set(self._parameters(scope))
        declarations = list(self._inside(scope, *_DECLARATIONS))
        names |= {name for each in declarations if _is_generic(each) for name in _declared(each)}
        while names:
            more = {name for each in declarations if not names.isdisjoint(_decides(each)) for name in _declared(each)}
            if more <= names:
                break
            names |= more
        return frozenset(names)

    def _parameters(self, scope: Node) -> Iterator[str]:
        code = self._unit.code
        for head in self._inside(scope, "template_parameter_list"):
            for part in split_arguments(code, head.start_byte + 1, head.end_byte - 1):
                match = _PARAMETER.search(code, part.start, part.end)
                if match:
                    yield match[1]

    def _inside(self, scope: Node, *kinds: str) -> Iterator[Node]:
        """Yield the nodes of some types within a scope."""
        nodes = self._unit.all_of(*kinds)
        if kinds not in self._starts:
            self._starts[kinds] = [node.start_byte for node in nodes]
        starts = self._starts[kinds]
        for index in range(bisect_left(starts, scope.start_byte), bisect_left(starts, scope.end_byte)):
            if nodes[index].end_byte <= scope.end_byte:
                yield nodes[index]


def _text(node: Node) -> str:
    return node.text.decode("latin-1") if node.text is not None else ""


def _is_generic(declaration: Node) -> bool:
    """Return whether a parameter is declared `auto`."""
    kind = declaration.child_by_field_name("type")
    return "parameter" in declaration.type and kind is not None and bool(_AUTO.search(_text(kind)))


def _decides(declaration: Node) -> list[str]:
    """Return the words that decide on the type of what is declared, or on the value of a constant."""
    kind = declaration.child_by_field_name("type")
    whole = _text(declaration)
    if kind is None or declaration.type == "for_range_loop" or _INFERRED.search(whole):
        return _WORD.findall(whole)
    return _WORD.findall(_text(kind))


def _declared(declaration: Node) -> Iterator[str]:
    """Yield the names that a declaration declares, but for scopes: behind a macro, `app::f` may be parsed as `app`."""
    for field in ("declarator", "name"):
        for declarator in declaration.children_by_field_name(field):
            name = _first_name(declarator)
            if name is None or _text(declaration)[name.end_byte - declaration.start_byte :].lstrip().startswith("::"):
                continue
            yield _text(name)


def _first_name(node: Node) -> Node | None:
    if node.type in _NAMES:
        return node
    return next((found for child in node.named_children if (found := _first_name(child)) is not None), None)
