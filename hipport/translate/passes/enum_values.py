"""Types, enumerators, variables and members of enumerations whose numbers differ in HIP."""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.dataflow.function import bare, text_of
from hipport.translate.passes import enum_told
from hipport.translate.passes.enum_told import Told
from hipport.translate.passes.enumerators import ALIASES, TYPES
from hipport.translate.syntax.brackets import matching_close, skip_blanks
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.unit import Node, Unit

OWNER = {name: type_ for type_, rows in TYPES.items() for name in rows}
"""The types of the enumerators."""
_COPIES = ("CUDA_MEMCPY2D", "CUDA_MEMCPY2D_st", "CUDA_MEMCPY3D", "CUDA_MEMCPY3D_st", "CUDA_MEMCPY3D_PEER")
STRUCTS = {
    "type": {
        "cudaPointerAttributes": "cudaMemoryType",
        "cudaGraphNodeParams": "cudaGraphNodeType",
        "CUgraphNodeParams": "CUgraphNodeType_enum",
    },
    "srcMemoryType": dict.fromkeys(_COPIES, "CUmemorytype_enum"),
    "dstMemoryType": dict.fromkeys(_COPIES, "CUmemorytype_enum"),
}
"""Members of CUDA's structs with one of the types, by name and struct (driver_types.h and cuda.h of CUDA 13.0)."""
_NOT_TYPES = frozenset(
    ("return", "else", "case", "new", "delete", "throw", "goto", "typename", "typedef", "using", "co_return", "sizeof")
)
_FOLLOWED = r"\s*(?=[;,=)\[{(:>])(?!::)"
_BEHIND = re.compile(_FOLLOWED)
_SPACE = r"\s*(?:\bconst\b\s*)?[*&\s]*"
_NEXT = re.compile(r"(?:\s*=\s*[\w:]+)?\s*,\s*[*&]?\s*([A-Za-z_]\w*)(?=\s*[;,=])")
_IN_FRONT = re.compile(rf"\b([A-Za-z_]\w*)\b(?:\s*<[^<>;]*>)?{_SPACE}(?:[*&]?\w+\s*(?:=\s*[\w:]+\s*)?,\s*)*\Z")
_NEAREST = 64
"""Declarations of a name, in front of a use and behind it, that are looked at."""
_LONGEST = 200
"""Characters in front of a declared name among which its type is."""
_ALIAS = re.compile(r"\btypedef\s+(?:enum\s+)?(\w+)\s+(\w+)\s*;|\busing\s+(\w+)\s*=\s*(?:enum\s+)?(?:::\s*)?(\w+)\s*;")
_AUTO = re.compile(r"\bauto\s*&?\s+(\w+)\s*(?:=|\{|\()\s*(?:::\s*)?(\w+)\s*[;})]")
_AUTO_RESULT = re.compile(r"\bauto\b\s*&{0,2}\s*(\w+)\s*=\s*(?:::\s*)?(\w+)\s*(\()")
_PARAMETERS = frozenset({"parameter_list", "template_parameter_list"})
_PARAMETERIZED = frozenset(
    {"function_definition", "lambda_expression", "template_declaration", "declaration", "field_declaration"}
)
_BLOCKS = frozenset({"compound_statement", "field_declaration_list", "for_statement", "for_range_loop"})


class Declared(Struct, frozen=True):
    """A declaration of a name, and where it is visible; `member`: of a class."""

    at: int
    kind: str
    scope: Span
    member: bool


class Values(Struct, frozen=True, dict=True):
    """The names in a file that stand for types, enumerators and variables; `own` are names that the project defines.

    `told` is what other files say about names of theirs, and `results` the types that CUDA's functions return.
    """

    unit: Unit
    own: frozenset[str]
    told: Told = Told()
    results: Mapping[str, str] = {}

    @cached_property
    def types(self) -> dict[str, list[tuple[int, str]]]:
        """Names of types, and of aliases and macros for them: where each gets a meaning, and the type in `TYPES`."""
        words = self.unit.words - self.own
        found = {word: [(0, ALIASES.get(word, word))] for word in words if word in TYPES or word in ALIASES}
        found |= {word: [(0, type_)] for word, type_ in self.told.meanings(enum_told.TYPE).items() if word in words}
        for match in _ALIAS.finditer(self.unit.code) if found else ():
            type_, name = (match[1], match[2]) if match[1] else (match[4], match[3])
            if name not in ALIASES:
                _add(found, name, type_, match.start())
        for name, body, at in self._macros:
            _add(found, name, body, at)
        return found

    @cached_property
    def enumerators(self) -> dict[str, list[tuple[int, str]]]:
        """Names of enumerators, and of macros for them: where each gets a meaning, and the enumerator in `TYPES`."""
        words = self.unit.words - self.own
        found = {word: [(0, word)] for word in words if word in OWNER}
        told = self.told.meanings(enum_told.ENUMERATOR)
        found |= {word: [(0, enumerator)] for word, enumerator in told.items() if word in words}
        for name, body, at in self._macros:
            _add(found, name, body, at)
        return found

    def type_at(self, name: str, offset: int) -> str:
        """Return the type in `TYPES` that a name stands for at an offset; empty if it is not one."""
        return _meant(self.types, name, offset)

    def enumerator_at(self, name: str, offset: int) -> str:
        """Return the enumerator in `TYPES` that a name stands for at an offset; empty if it is not one."""
        return _meant(self.enumerators, name, offset)

    @cached_property
    def _macros(self) -> list[tuple[str, str, int]]:
        code, lines = self.unit.code, self.unit.directives
        defined = (line for line in lines if line.kind is DirectiveKind.DEFINE and line.name not in self.own)
        return [
            (each.name, code[each.body.start : each.body.end].strip("() \t\r\n"), each.span.start) for each in defined
        ]

    @cached_property
    def variables(self) -> frozenset[str]:
        """The names that some declaration gives one of the types: variables, members, functions."""
        code, found = self.unit.code, set[str]()
        if self.types:
            for match in re.build(rf"\b(?:{'|'.join(self.types)})\b{_SPACE}([A-Za-z_]\w*){_FOLLOWED}").finditer(code):
                found.add(match[1])
                after = _NEXT.match(code, match.end(1))
                while after is not None:
                    found.add(after[1])
                    after = _NEXT.match(code, after.end(1))
        found.update(match[1] for match in _AUTO.finditer(code) if match[2] in self.enumerators)
        found.update(match[1] for match in _AUTO_RESULT.finditer(code) if match[2] in self.results)
        found.update(self.results)
        found |= self.unit.words & (self.told.variables.keys() | self.told.members.keys())
        words = self.unit.words
        found.update(name for name, structs in STRUCTS.items() if name in words and not words.isdisjoint(structs))
        return frozenset(found - self.types.keys() - self.enumerators.keys() - self.own)

    @cached_property
    def _declared(self) -> dict[str, list[Declared]]:
        return {}

    def declarations(self, name: str) -> list[Declared]:
        """Return where a name is declared, with the type that each declaration gives it, and where that is visible."""
        if name not in self._declared:
            places = [(at, self._declaring(name, at)) for _, at in self.unit.occurrences(frozenset({name}))]
            self._declared[name] = [Declared(at, kind, *self._scope(at)) for at, kind in places if kind]
        return self._declared[name]

    def _scope(self, at: int) -> tuple[Span, bool]:
        """Return where a name is visible that is declared at an offset, and whether it is a member."""
        node, parameter = self.unit.node_at(Span(at, at + 1)), False
        while node is not None:
            if node.type in _PARAMETERS:
                parameter = True
            elif node.type in (_PARAMETERIZED if parameter else _BLOCKS):
                return Span(node.start_byte, node.end_byte), node.type == "field_declaration_list"
            node = self.unit.parent(node)
        return Span(0, len(self.unit.code)), False

    def _declaring(self, name: str, at: int) -> str:
        """Return the type in front of a name that is declared at an offset; empty if none is."""
        code = self.unit.code
        if not _BEHIND.match(code, at + len(name)):
            return ""
        match = _IN_FRONT.search(code, max(0, at - _LONGEST), at)
        if match is None or match[1] in _NOT_TYPES or match.end(1) == at:
            return ""
        if match[1] == "auto":
            if (result := _AUTO_RESULT.match(code, match.start())) is not None and self._is_whole(result.start(3)):
                return self.results.get(result[2], "auto")
            value = _AUTO.match(code, match.start())
            return OWNER.get(self.enumerator_at(value[2], at), "auto") if value else "auto"
        compared = code.startswith(">", skip_blanks(code, at + len(name)))  # unless it is `template <T name>`
        if compared and not code[match.end(1) : at].isspace():
            return ""
        return self.type_at(match[1], at) or match[1]

    def _is_whole(self, arguments: int) -> bool:
        """Return whether a call whose arguments begin at an offset is all that a variable is initialized with."""
        close = matching_close(self.unit.code, arguments)
        return close is not None and self.unit.code.startswith((";", ",", ")"), skip_blanks(self.unit.code, close + 1))

    def _visible(self, name: str, offset: int) -> Declared | None:
        """Return the declaration of what a name stands for at an offset, unless it is a member of a class elsewhere."""
        found = self.declarations(name)
        before = bisect.bisect_right(found, offset, key=lambda each: each.at)
        # Scopes nest, so the last visible declaration in front is the innermost; members may be declared behind.
        for each in (*reversed(found[max(0, before - _NEAREST) : before]), *found[before : before + _NEAREST]):
            if each.scope.start <= offset < each.scope.end:
                return each
        return None

    def declared_as(self, name: str, offset: int) -> str:
        """Return the type that a name has at an offset: one of `TYPES`, or the last word of its type; maybe empty."""
        if (declared := self._visible(name, offset)) is not None:
            return declared.kind
        # Maybe a member, in a function outside its class.
        members = {each.kind for each in self._members(name)}
        return min(members) if len(members) == 1 else ""

    def scope_of(self, name: str, offset: int) -> Span | None:
        """Return where the variable is visible that a name stands for at an offset; None if the file does not say."""
        declared = self._visible(name, offset)
        return declared.scope if declared is not None and not declared.member else None

    def _members(self, name: str) -> list[Declared]:
        if name not in self._of_classes:
            self._of_classes[name] = [each for each in self.declarations(name) if each.member]
        return self._of_classes[name]

    @cached_property
    def _of_classes(self) -> dict[str, list[Declared]]:
        return {}

    def _member(self, node: Node, name: str) -> str:
        """Return the type of a member: that which all classes give it, or the class of the variable in front."""
        members = self._members(name)
        if len({each.kind for each in members}) <= 1:
            return members[0].kind if members else ""
        held = text_of(node.child_by_field_name("argument"))
        class_ = self.declared_as(held, node.start_byte) if held.isidentifier() else ""
        head = rf"\b(?:struct|class)\s+{class_}\b[^;{{}}]*\{{"
        bodies = [each.end() for each in re.build(head).finditer(self.unit.code, 0, node.start_byte)] if class_ else []
        inside = {each.kind for each in members if bodies and each.scope.start == bodies[-1] - 1}
        return inside.pop() if len(inside) == 1 else ""

    def type_of(self, node: Node) -> str:
        """Return the type in `TYPES` that an expression has; empty for another one."""
        node = bare(node)
        member = node.type == "field_expression"
        if node.type == "call_expression":
            callee = node.child_by_field_name("function")
            return self.type_of(callee) if callee is not None and callee.type != "template_function" else ""
        if node.type == "cast_expression":
            return self.type_at(text_of(node.child_by_field_name("type")).strip(), node.start_byte)
        name = text_of(node.child_by_field_name("field") if member else node).rpartition("::")[2].strip()
        if enumerator := self.enumerator_at(name, node.start_byte):
            return OWNER[enumerator]
        if not name.isidentifier() or name not in self.variables:
            return ""
        if member and name in STRUCTS and (kind := self._cuda_member(node, name)):
            return kind
        kind = self._member(node, name) if member else self.declared_as(name, node.start_byte)
        kind = kind or (self._told_member(node, name) if member else self._told_variable(node, name))
        kind = kind or ("" if member else self.results.get(name, ""))
        return kind if kind in TYPES else ""

    def _cuda_member(self, node: Node, name: str) -> str:
        """Return the type of a member of a CUDA struct; empty if what holds it is not visibly one."""
        held = (self._held_type(node) or frozenset()) - self.own
        return next((type_ for struct, type_ in STRUCTS[name].items() if struct in held), "")

    def _told_member(self, node: Node, name: str) -> str:
        """Return the type of a member of a class in another file; of an unknown class, if all say the same."""
        classes = self.told.members.get(name, {})
        held = self._held_type(node) if classes else None
        kinds = {kind for class_, kind in classes.items() if held is None or class_ in held}
        return kinds.pop() if len(kinds) == 1 else ""

    def is_certain(self, node: Node) -> bool:
        """Return whether the class is known of which an expression names a member."""
        node = bare(node)
        callee = node.child_by_field_name("function") if node.type == "call_expression" else None
        node = callee if callee is not None else node
        if node.type != "field_expression":
            return True
        name = text_of(node.child_by_field_name("field"))
        return bool(self._member(node, name)) or self._held_type(node) is not None

    def _held_type(self, node: Node) -> frozenset[str] | None:
        """Return the words of the type of what a member is accessed in; None if the file does not say it."""
        held = node.child_by_field_name("argument")
        if text_of(held) == "this":
            return frozenset(enum_told.classes_around(self.unit, node))
        while held is not None and held.type in ("subscript_expression", "parenthesized_expression"):
            held = held.child_by_field_name("argument") or held.named_child(0)
        name = text_of(held)
        kind = self.declared_as(name, node.start_byte) if name.isidentifier() else ""
        if not kind or kind == "auto":
            return None
        heads = rf"\b(?:struct|class)\s+{kind}\b([^;{{}}()]*)\{{"
        bases = " ".join(match[1] for match in re.build(heads).finditer(self.unit.code))
        held_in = rf"\b{kind}\s*<([^;{{}}()]*)>\s*[*&]?\s*{name}\b"
        inner = " ".join(match[1] for match in re.build(held_in).finditer(self.unit.code))
        return frozenset({kind, *re.findall(r"\w+", bases), *re.findall(r"\w+", inner)})

    def _told_variable(self, node: Node, name: str) -> str:
        """Return the type that another file gives a name which the file itself does not declare at a place."""
        if self.declarations(name):
            return ""
        classes = self.told.members.get(name, {})
        around = (classes[class_] for class_ in enum_told.classes_around(self.unit, node) if class_ in classes)
        return next(around, "") or self.told.variables.get(name, "")


def _add(found: dict[str, list[tuple[int, str]]], name: str, meant: str, at: int) -> None:
    """Give a name the meaning that another name has; one that means something else in between loses its meaning."""
    meaning = _meant(found, meant, at)
    if meaning or name in found:
        found.setdefault(name, []).append((at, meaning))


def _meant(found: dict[str, list[tuple[int, str]]], name: str, offset: int) -> str:
    meanings = found.get(name, ())
    return next((meaning for at, meaning in reversed(meanings) if at <= offset), "")
