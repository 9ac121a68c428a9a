"""The widths of integer types as written, and the types of members."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from hipport import lazy_re as re
from hipport.translate.dataflow.function import text_of, walk
from hipport.translate.dataflow.told import NOTHING_TOLD, Told
from hipport.translate.syntax.unit import Node, Unit

_WIDE = re.compile(r"\b(?:long|u?int64_t|size_t|uint64|ull|auto|double)\b")
_NARROW = re.compile(r"\b(?:int|unsigned|u?int32_t|uint|short|char|u?int16_t|u?int8_t|uint32)\b")
_SIGNED = re.compile(r"(?:signed\s+)?(?:int|short|char|int32_t|int16_t|int8_t)(?:\s+int)?\Z")
_VECTOR = re.compile(r"u?int[1-4]\Z")
_ALIASES = re.compile(r"typedef(?<!\wtypedef)\s+([\w\s]+?)\s+(\w+)\s*;|using(?<!\wusing)\s+(\w+)\s*=\s*([\w\s]+?)\s*;")
_NAME = re.compile(r"[A-Za-z_]\w*")
_DEEPEST = 8  # aliases of aliases


class Types:
    """The integer types of a file: its aliases for them, and the members of its classes."""

    def __init__(self, unit: Unit, told: Told = NOTHING_TOLD) -> None:
        self._unit = unit
        self._told = told
        self._narrow: dict[str, bool] = {}

    def is_narrow(self, text: str) -> bool:
        """Return whether a type has 32 bits or fewer."""
        if text not in self._narrow:
            plain = self._plain(text)
            self._narrow[text] = not _WIDE.search(plain) and _NARROW.search(plain) is not None
        return self._narrow[text]

    def is_wide(self, text: str) -> bool:
        """Return whether a type has 64 bits for certain."""
        plain = self._plain(text)
        return _WIDE.search(plain) is not None and "auto" not in plain and "double" not in plain

    def is_signed(self, text: str) -> bool:
        """Return whether a type is signed and has 32 bits or fewer."""
        return _SIGNED.match(self._plain(text)) is not None

    def is_narrow_member(self, name: str) -> bool:
        """Return whether all members of that name in the file's classes have 32 bits or fewer."""
        types = self.members.get(name, ())
        return bool(types) and all(self.is_narrow(text) for text in types)

    @cached_property
    def members(self) -> Mapping[str, tuple[str, ...]]:
        """The types of the members of the file's classes, arrays and pointers by what they hold."""
        found: dict[str, tuple[str, ...]] = {}
        for members in self.classes.values():
            for name, kind in members:
                found[name] = (*found.get(name, ()), kind)
        return found

    @cached_property
    def classes(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """Name and type of each member of a class, in order, by the name of the class."""
        found = dict(self._told.classes)
        for node in self._unit.all_of("struct_specifier", "class_specifier", "union_specifier"):
            body = node.child_by_field_name("body")
            if body is not None:
                found[text_of(node.child_by_field_name("name"))] = tuple(_members(body))
        return found

    def is_vector(self, text: str) -> bool:
        """Return whether a type is one of CUDA's vectors of 32-bit integers."""
        return _VECTOR.match(text) is not None

    def _plain(self, text: str) -> str:
        for _ in range(_DEEPEST):
            if _NARROW.search(text) or _WIDE.search(text):
                break
            name = next((name for name in _NAME.findall(text) if name in self._aliases), None)
            if name is None:
                break
            text = self._aliases[name]
        return text

    @cached_property
    def _aliases(self) -> Mapping[str, str]:
        code = self._unit.code
        found = {match[2] or match[3]: match[1] or match[4] for match in _ALIASES.finditer(code)}
        bodies = {name: code[spans[0].start : spans[0].end] for name, spans in self._unit.macros.items()}
        macros = {name: body for name, body in bodies.items() if _NARROW.search(body) and "(" not in body}
        return {**self._told.aliases, **macros, **found}


def _members(body: Node) -> list[tuple[str, str]]:
    found = []
    for field in body.named_children:
        if field.type == "field_declaration":
            kind = text_of(field.child_by_field_name("type"))
            for declarator in field.children_by_field_name("declarator"):
                name = next((text_of(node) for node in walk(declarator) if node.type == "field_identifier"), "")
                if "function" not in declarator.type:
                    found.append((name, kind))
    return found
