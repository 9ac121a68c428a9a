"""Declarations from Cython's `.pxd` files, which describe a C library to a Python wrapper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from hipport.audit.headers.declaration import Declaration, HeaderText
from hipport.mappings.entry import Kind

_COMMENT = re.compile(r"#.*")
_EXTERN = re.compile(r"\s*cdef\s+extern\s+from\s+[\"']<?([^\"'>]+)>?[\"']")
_TYPE = re.compile(r"\s*(?:cdef|ctypedef)\s+(?:public\s+|packed\s+)*(struct|union|enum|cppclass|class)\s*(\w*)\s*:?")
_FUNCTION = re.compile(r"\s*(?:cdef\s+)?[\w *&\[\],]+?[\s*&](\w+)\s*\((?!\s*\*)([^()]*(?:\([^()]*\)[^()]*)*)\)")
_CALLBACK = re.compile(r"\s*(?:ctypedef\s+)?[^(]*\(\s*\*+\s*(\w+)\s*\)\s*\(")
_ALIAS = re.compile(r"\s*ctypedef\s+(.*?)\s*[\s*](\w+)\s*(?:\[[^\]]*\]\s*)*$")
_VALUE = re.compile(r"\s*cdef\s+[\w *]+?[\s*](\w+)\s*(?:\[[^\]]*\]\s*)*$")
_FIELD = re.compile(r"\s*(?:[^()]*[\s*](\w+)\s*(?:\[[^\]]*\]\s*)*|[^(]*\(\s*\*+\s*(\w+)\s*\)\s*\(.*)$")
_ENUMERATOR = re.compile(r"\s*(\w+)\s*(?:=.*)?,?\s*$")
_SKIPPED = re.compile(r"\s*(?:from|import|cimport|cpdef|cdef\s+(?:extern|inline)|pass\b|@|$)")
_LONGEST = 10_000
"""Maximum length of a line in characters; longer lines are not declarations."""


def parse(data: bytes, file: str) -> HeaderText:
    """Return the names that a `.pxd` file declares, each in the C header of the last `extern from` before it.

    Names before any `extern from` get `file` as their header.
    """
    reader = _Reader(file)
    for line in data.decode("utf-8", "replace").splitlines():
        if len(line) < _LONGEST:
            reader.line(_COMMENT.sub("", line))
    members = {owner: tuple(names) for owner, names in reader.members.items()}
    return HeaderText(tuple(reader.found), {}, members, reader.same)


@dataclass(slots=True)
class _Reader:
    header: str
    found: list[Declaration] = field(default_factory=list)
    members: dict[str, list[str]] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    owner: str = ""
    inside: str = ""
    indent: int = 0

    def line(self, text: str) -> None:
        """Read one line; its indentation tells whether it belongs to a struct or enumeration."""
        depth = len(text) - len(text.lstrip())
        text = " ".join(text.split())
        if self.inside and text and depth <= self.indent:
            self.inside = ""
        if self.inside:
            self._body(text)
        elif match := _EXTERN.match(text):
            self.header = match[1]
        elif not _SKIPPED.match(text):
            self._declaration(text, depth)

    def _body(self, text: str) -> None:
        if self.inside == "enum":
            if (match := _ENUMERATOR.match(text)) and match[1] != "pass":
                self._add(match[1], Kind.ENUMERATOR)
        elif self.inside != "class" and (match := _FIELD.match(text)) and text.strip() != "pass":
            self.members[self.owner].append(match[1] or match[2])

    def _declaration(self, text: str, depth: int) -> None:
        if (match := _TYPE.match(text)) and text.endswith(":"):
            self.inside, self.owner, self.indent = match[1], match[2], depth
            if match[1] == "class":  # Python's, not C's
                return
            if match[1] != "enum":
                self.members[match[2]] = []
            self._add(match[2], Kind.TYPE)
        else:
            for declaration in self._line(text):
                self.found.append(declaration)

    def _line(self, text: str) -> Iterator[Declaration]:
        """Yield the declaration of a single line."""
        if match := _CALLBACK.match(text):
            yield Declaration(match[1], Kind.TYPE if "ctypedef" in text else Kind.VARIABLE, self.header)
        elif "ctypedef" not in text and (match := _FUNCTION.match(text)):
            yield Declaration(match[1], Kind.FUNCTION, self.header, parameters=_count(match[2]))
        elif match := _ALIAS.match(text):
            self.same[match[2]] = match[1].split()[-1].strip("* ")
            yield Declaration(match[2], Kind.TYPE, self.header)
        elif match := _VALUE.match(text):
            yield Declaration(match[1], Kind.VARIABLE, self.header)

    def _add(self, name: str, kind: Kind) -> None:
        if name:
            self.found.append(Declaration(name, kind, self.header))


def _count(parameters: str) -> int | None:
    """Return the number of parameters in a list; None if it is variable."""
    flat = re.sub(r"\([^()]*\)", "", parameters).strip()
    if "..." in flat:
        return None
    return 0 if flat in ("", "void") else flat.count(",") + 1
