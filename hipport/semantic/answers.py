"""Answers from one translation unit about names in the project's files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from msgspec import Struct, field

from hipport.mappings.tables import Tables
from hipport.semantic.libclang import cursor_at, declarations

_FILE_SCOPE = frozenset({"TRANSLATION_UNIT", "LINKAGE_SPEC", "UNEXPOSED_DECL"})
_ALIASES = frozenset({"TYPEDEF_DECL", "TYPE_ALIAS_DECL"})
_FUNCTIONS = frozenset({"FUNCTION_DECL", "FUNCTION_TEMPLATE"})
_RECORDS = frozenset({"STRUCT_DECL", "UNION_DECL", "CLASS_DECL"})


class Problem(Struct, frozen=True):
    """An error that libclang reports."""

    line: int
    column: int
    message: str


class FileAnswers(Struct):
    """The answers of one unit for one file, by offset; `problems` are errors in the file itself."""

    cuda: set[int] = field(default_factory=set)
    own: set[int] = field(default_factory=set)
    members: dict[int, frozenset[str]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


class Places(Struct, frozen=True):
    """The names in a file to ask about: (name, offset) pairs, with offsets in the file on disk."""

    names: tuple[tuple[str, int], ...]
    members: tuple[tuple[str, int], ...]


class Reader(Struct, frozen=True):
    """Asks about one unit. `is_cuda` returns whether a file is one of CUDA's headers or a stub for one."""

    unit: Any
    tables: Tables
    is_cuda: Callable[[str], bool]

    def answers(self, file: Any, places: Places) -> FileAnswers:
        """Return the answers for all places of a file."""
        found = FileAnswers()
        for name, offset in places.names:
            verdict = self._verdict(name, cursor_at(self.unit, file, offset))
            if verdict is not None:
                (found.cuda if verdict else found.own).add(offset)
        for name, offset in places.members:
            owners = self._owners(name, cursor_at(self.unit, file, offset))
            if owners is not None:
                found.members[offset] = owners
        return found

    def _verdict(self, name: str, cursor: Any) -> bool | None:
        """Return whether a name refers to CUDA's entity; None if syntax has to decide."""
        if cursor is None:
            return None
        verdicts = {self._is_cudas(name, declaration) for declaration in declarations(cursor)}
        return verdicts.pop() if len(verdicts) == 1 else None

    def _is_cudas(self, name: str, declaration: Any) -> bool | None:
        if declaration.spelling != name:
            return self._is_constructor(name, declaration)
        first = declaration.canonical
        if self._is_in_cuda(first):
            return True
        parent = first.semantic_parent
        if parent is None or parent.kind.name in _FILE_SCOPE:
            return None if self._may_declare_cudas(first) else False
        return None if parent.spelling == "std" else False

    def _may_declare_cudas(self, declaration: Any) -> bool:
        """Return whether a declaration at file scope, outside CUDA's headers, may redeclare CUDA's entity.

        A prototype may, and so may an alias of a struct without a body: `typedef struct CUstream_st* cudaStream_t`. A
        C++ prototype may not, because its parameters are part of the linker name, while CUDA's functions have C
        linkage.
        """
        if declaration.kind.name in _FUNCTIONS and declaration.mangled_name != declaration.spelling:
            return False
        if declaration.kind.name not in _ALIASES:
            return declaration.get_definition() is None
        target = declaration.underlying_typedef_type.get_canonical()
        while target.kind.name == "POINTER":
            target = target.get_pointee()
        named = target.get_declaration()
        if named.kind.is_invalid():
            return False
        return named.get_definition() is None or self._is_in_cuda(named)

    def _is_constructor(self, name: str, declaration: Any) -> bool | None:
        parent = declaration.semantic_parent
        if declaration.kind.name not in ("CONSTRUCTOR", "FUNCTION_TEMPLATE") or parent is None:
            return None
        return self._is_cudas(name, parent) if parent.kind.name in _RECORDS and parent.spelling == name else None

    def _is_in_cuda(self, declaration: Any) -> bool:
        file = declaration.location.file
        return file is not None and self.is_cuda(os.path.realpath(file.name))

    def _owners(self, name: str, cursor: Any) -> frozenset[str] | None:
        """Return the types of the tables that a member may belong to; None if clang does not know the member."""
        field = cursor.referenced if cursor is not None else None
        if field is None or field.kind.name != "FIELD_DECL" or field.spelling != name:
            return None
        if not self._is_in_cuda(field):
            return frozenset()
        outer: set[str] = set()
        parent = field.semantic_parent
        while parent is not None and parent.kind.name in _RECORDS:
            outer |= {parent.spelling, parent.type.spelling.removeprefix("struct ").removeprefix("union ")}
            parent = parent.semantic_parent if not parent.spelling or parent.is_anonymous() else None
        return frozenset(member.owner for member in self.tables.members[name] if member.owner in outer)
