"""Declarations of a C or C++ header, from the grammar used for translation; best effort where macros confuse it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hipport.audit.headers.declaration import Declaration, HeaderText
from hipport.audit.headers.macros import Macro, decorations, expand, macros, scopes, stands_for, without
from hipport.errors import HipportError
from hipport.mappings.entry import Kind
from hipport.source import SourceFile
from hipport.translate.syntax.lexer import Lexed, directives, lex
from hipport.translate.syntax.shadow import make_shadow
from hipport.translate.syntax.unit import Node, Unit

_RECORDS = frozenset({"struct_specifier", "union_specifier", "class_specifier"})
_SPECIFIERS = _RECORDS | {"enum_specifier"}
_OPEN = frozenset({"translation_unit", "linkage_specification", "declaration_list", "ERROR", "template_declaration"})
_NAMES = frozenset({"identifier", "type_identifier", "field_identifier"})
_MACRO = re.compile(r"_[A-Z_]+\Z")
"""A namespace with such a name is a macro for an ABI version's namespace around everything."""


@dataclass(frozen=True, slots=True)
class LexedHeader:
    """A header before parsing, with its macros; the macros of all headers decide how to parse it."""

    header: str
    code: str
    macros: tuple[Macro, ...]


def lex_header(data: bytes, header: str) -> LexedHeader:
    """Blank comments and literals, and collect the macros."""
    code = lex(SourceFile.decode(data, header).text.decode("latin-1")).code
    return LexedHeader(header, code, tuple(macros(code, directives(code))))


@dataclass(frozen=True, slots=True)
class Shared:
    """The macros of all headers that affect parsing: decorations, and those that open or close namespaces."""

    noise: Mapping[str, bool]
    scopes: Mapping[str, str]


def shared_macros(headers: Sequence[LexedHeader]) -> Shared:
    """Collect the macros that affect parsing from headers that include each other."""
    found = [macro for header in headers for macro in header.macros]
    noise = decorations(found)
    return Shared(noise, scopes(found, noise))


def parse_header(lexed: LexedHeader, shared: Shared) -> HeaderText:
    """Return the declarations of a header, parsed with purely decorative macros removed."""
    code = without(expand(lexed.code, shared.scopes), shared.noise)
    lines = tuple(directives(code))
    unit = Unit(SourceFile(lexed.header, b""), Lexed(code, ()), lines, make_shadow(code, lines))
    reader = _Reader(lexed.header)
    try:
        reader.block(unit.tree, "")
    except RecursionError:
        hint = "CUDA and HIP have no such headers; leave this one out."
        raise HipportError(f"{lexed.header}: namespaces or structs are nested too deeply", hint=hint) from None
    aliases = {macro.name: name for macro in lexed.macros if (name := stands_for(macro)) and name != macro.name}
    found = [Declaration(macro.name, Kind.MACRO, lexed.header) for macro in lexed.macros]
    return HeaderText((*reader.found, *found), aliases, reader.members, reader.same)


@dataclass(slots=True)
class _Reader:
    header: str
    found: list[Declaration] = field(default_factory=list)
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)

    def block(self, node: Node, scope: str) -> None:
        """Read everything directly in a file, a namespace or an ERROR node."""
        for child in node.named_children:
            if child.type in _OPEN:
                self.block(child, scope)
            elif child.type == "namespace_definition":
                self._namespace(child, scope)
            elif child.type in _SPECIFIERS:
                self._specifier(child, scope)
            elif child.type in ("declaration", "type_definition", "function_definition"):
                self._declaration(child, scope)
            elif child.type == "alias_declaration":
                self._add(_text(child.child_by_field_name("name")), Kind.TYPE, scope)
            elif child.type == "function_declarator" and node.type == "ERROR":
                self._declarator(child, scope, Kind.VARIABLE)

    def _namespace(self, node: Node, scope: str) -> None:
        body, name = node.child_by_field_name("body"), _text(node.child_by_field_name("name"))
        if body is not None:
            inline = any(child.type == "inline" for child in node.children) or _MACRO.match(name)
            # CUDA opens `namespace std` in one `#if` and closes it in another; its contents are C's as well.
            hidden = inline or (name == "std" and not scope)
            self.block(body, scope if hidden else "::".join(part for part in (scope, name) if part))

    def _declaration(self, node: Node, scope: str) -> None:
        kind = Kind.TYPE if node.type == "type_definition" else Kind.VARIABLE
        specified = node.child_by_field_name("type")
        declarators = node.children_by_field_name("declarator")
        members: tuple[str, ...] | None = None
        if specified is not None and specified.type in _SPECIFIERS:
            members = self._specifier(specified, scope)
        for declarator in declarators:
            name = self._declarator(declarator, scope, kind)
            if kind is Kind.TYPE and name and declarator.type in _NAMES:
                self._named(name, members, specified)

    def _named(self, name: str, members: tuple[str, ...] | None, specified: Node | None) -> None:
        """Record the members or the type that a `typedef` names."""
        if members is not None:
            self.members[name] = members
        elif specified is not None:
            named = specified.child_by_field_name("name") if specified.type in _SPECIFIERS else specified
            self.same[name] = _text(named)

    def _declarator(self, node: Node, scope: str, kind: Kind) -> str:
        """Add the name that a declarator leads to and return it; empty for a member of a class."""
        parameters: Node | None = None
        while node.type not in _NAMES:
            if node.type == "function_declarator" and kind is Kind.VARIABLE and parameters is None:
                parameters = node.child_by_field_name("parameters")
            inner = node.child_by_field_name("declarator") or _only_declarator(node)
            if inner is None:
                return ""
            if node.type in ("pointer_declarator", "parenthesized_declarator") and parameters is not None:
                parameters = None if inner.type in _NAMES else parameters
            node = inner
        name = _text(node)
        if parameters is not None:
            self._add(name, Kind.FUNCTION, scope, _count(parameters))
        else:
            self._add(name, kind, scope)
        return name

    def _specifier(self, node: Node, scope: str) -> tuple[str, ...] | None:
        """Add a struct, union, class or enumeration; return its data members if it is a record with a body."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        plain = _text(name) if name is not None and name.type == "type_identifier" else ""
        self._add(plain, Kind.TYPE, scope)
        if body is None:
            return None
        if node.type == "enum_specifier":
            inner = f"{scope}::{plain}".strip(":") if _is_scoped(node) else scope
            for child in body.named_children:
                if child.type == "enumerator":
                    self._add(_text(child.child_by_field_name("name")), Kind.ENUMERATOR, inner)
            return None
        members = tuple(dict.fromkeys(self._members(body)))
        if plain:
            self.members[plain] = members
        return members

    def _members(self, body: Node) -> Iterator[str]:
        """Yield names of data members, including those of anonymous inner structs; inner named records are declared."""
        for child in body.named_children:
            if child.type != "field_declaration":
                continue
            specified = child.child_by_field_name("type")
            declarators = child.children_by_field_name("declarator")
            if specified is not None and specified.type in _RECORDS:
                yield from self._inner(specified, anonymous=not declarators)
            for declarator in declarators:
                name = _member_name(declarator)
                if name:
                    yield name

    def _inner(self, record: Node, *, anonymous: bool) -> Iterator[str]:
        """Read a record inside another.

        In C its name is visible outside as well; without a name its members are the outer record's.
        """
        if record.child_by_field_name("name") is not None:
            self._specifier(record, "")
        elif anonymous and (body := record.child_by_field_name("body")) is not None:
            yield from self._members(body)

    def _add(self, name: str, kind: Kind, scope: str, parameters: int | None = None) -> None:
        if name:
            self.found.append(Declaration(name, kind, self.header, scope, parameters))


def _text(node: Node | None) -> str:
    return node.text.decode() if node is not None and node.text is not None else ""


def _is_scoped(node: Node) -> bool:
    return any(child.type in ("class", "struct") for child in node.children)


def _only_declarator(node: Node) -> Node | None:
    """Return the declarator inside parentheses, references and attributes, which have no grammar field for it."""
    for child in node.named_children:
        if child.type in _NAMES or child.type.endswith("_declarator"):
            return child
    return None


def _member_name(node: Node) -> str:
    while node.type != "field_identifier":
        inner = node.child_by_field_name("declarator") or _only_declarator(node)
        if inner is None:
            return ""
        node = inner
    return _text(node)


def _count(parameters: Node) -> int | None:
    """Return the number of parameters; None if it is variable."""
    found = [child for child in parameters.named_children if child.type.endswith("parameter_declaration")]
    if any(child.type.startswith("variadic") or child.type == "..." for child in parameters.children):
        return None
    if len(found) == 1 and _text(found[0]) == "void":
        return 0
    return len(found)
