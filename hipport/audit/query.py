"""Look up names in the tables."""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from hipport.counts import count_of
from hipport.mappings.entry import Entry, Header, HipName, Kind
from hipport.mappings.loader import Tables
from hipport.mappings.rows import ArgRule, Library, Row

HEADER = "header"
_CLOSE = 5
_ALIKE = 0.72


class Answer(Struct, frozen=True):
    """The row that the tables have for a name, and its resolution for the chosen release.

    `kind` is that of a CUDA name, or "header". `declared` is the header that declares the name, `include` the header to
    include instead; both are empty if unknown.
    """

    row: Row
    kind: str
    library: str
    chosen: Entry | Header | None
    declared: str = ""
    include: str = ""


class Index(Struct, frozen=True):
    """Data to answer from: all rows, the tables for one release, and what returns the CUDA header of a name."""

    libraries: Sequence[Library]
    tables: Tables
    header_of: Callable[[str], str]

    def find(self, name: str) -> list[Answer]:
        """Return answers for a CUDA name or header, a shell pattern, or a name in a namespace: `cub::BlockReduce`."""
        matches = _matcher(name)
        found = [self._answer(library, row) for library, row in self._rows() if matches(row.name)]
        return found or self._in_namespace(name)

    def find_reverse(self, name: str) -> list[Answer]:
        """Return answers with a counterpart (of any release, HIP or roc) that is this name or matches the pattern."""
        matches = _matcher(name)
        return [
            self._answer(library, row)
            for library, row in self._rows()
            if any(matches(target.name) for target in (*row.hip, *row.roc))
        ]

    def near(self, name: str, *, reverse: bool = False) -> list[str]:
        """Return similarly spelled names, most similar first."""
        names = {row.name for _, row in self._rows()}
        if reverse:
            names = {target.name for _, row in self._rows() for target in (*row.hip, *row.roc)}
        return _near(name, names)

    def _rows(self) -> Iterable[tuple[Library, Row]]:
        return ((library, row) for library in self.libraries for row in (*library.names, *library.headers))

    def _answer(self, library: Library, row: Row) -> Answer:
        if row in library.headers:
            return Answer(row, HEADER, library.name, self.tables.headers.get(row.name))
        names = self.tables.namespaces if row.kind is Kind.NAMESPACE else self.tables.names
        declared = self.header_of(row.name)
        header = self.tables.headers.get(declared) if declared else None
        include = header.hip or "" if header is not None else ""
        return Answer(row, row.kind.value, library.name, names.get(row.name), declared, include)

    def _in_namespace(self, name: str) -> list[Answer]:
        """Answer a name by the row of its nearest namespace that has one, extended by the rest of the name."""
        scope = name.rpartition("::")[0]
        while scope:
            for library, row in self._rows():
                if row.name == scope and row.kind is Kind.NAMESPACE:
                    tail = name[len(scope) :]
                    whole = replace(row, name=name, hip=_inside(row.hip, tail), roc=_inside(row.roc, tail))
                    return [replace(self._answer(library, row), row=whole)]
            scope = scope.rpartition("::")[0]
        return []


def _inside(targets: Iterable[HipName], tail: str) -> tuple[HipName, ...]:
    return tuple(replace(target, name=target.name + tail) for target in targets)


def _matcher(name: str) -> Any:
    """Return a predicate that compares names with this one, or matches them if it contains `*`, `?` or `[`."""
    if not set(name) & set("*?["):
        return name.__eq__
    return lambda other: other == name or fnmatch.fnmatchcase(other, name)


def _near(name: str, names: Iterable[str]) -> list[str]:
    """Return similar names; compares only names of about the same length, since comparing all would take seconds."""
    lower = name.lower()
    same = {other for other in names if other.lower() == lower}
    about = [other for other in names if abs(len(other) - len(name)) <= 3 and other not in same]
    return [*sorted(same), *difflib.get_close_matches(name, about, n=_CLOSE - len(same), cutoff=_ALIKE)]


def changes(rules: Iterable[ArgRule]) -> list[str]:
    """Describe changes to the arguments in words."""
    return [_change(rule) for rule in rules]


def _change(rule: ArgRule) -> str:
    change = rule.change
    what = {
        "wrap": f"argument {change.at} becomes {change.before}...{change.after}",
        "insert": f"{change.text} is inserted as argument {change.at}",
        "append": f"{change.text} is appended",
        "remove": f"argument {change.at} is removed",
        "replace": f"argument {change.at} becomes {change.text}",
        "rename": f"the function becomes {change.text}",
        "refuse": f"no counterpart: {change.text}",
        "result": f"the result becomes {change.text}, where its sign matters",
    }[change.op]
    limits = [f"calls with {count_of(change.arity, 'argument')}"] if change.arity is not None else []
    limits += [f"ROCm before {_dotted(rule.before)}"] if rule.before else []
    limits += [f"sources of CUDA {_dotted(rule.cuda)} and later"] if rule.cuda else []
    return f"{what} ({', '.join(limits)})" if limits else what


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version)) + (".0" if len(version) == 1 else "")
