"""Checks a mapping table and turns it into rows. `docs/mappings.md` describes the notation."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from hipport.errors import HipportError
from hipport.mappings.document import Value, read
from hipport.mappings.life import parse_life, parse_target, release
from hipport.mappings.model import ArgChange, Kind, Life, Target

SECTIONS = {
    "functions": Kind.FUNCTION,
    "types": Kind.TYPE,
    "enumerators": Kind.ENUMERATOR,
    "macros": Kind.MACRO,
    "variables": Kind.VARIABLE,
    "namespaces": Kind.NAMESPACE,
}
HOLE = "..."
"""Stands for the argument in the text of a `wrap`."""

_NAME = re.compile(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)*(<\w+>)?\Z")
_MEMBER = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z")
_CUDA_NAME = re.compile(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)*\Z")
_HEADER = re.compile(r"[\w.*+-]+(/[\w.*+-]+)*\Z")
_OPERATIONS = ("wrap", "insert", "append", "remove", "replace")
_OPTIONS = frozenset({"arity", "before"})
_ADVICE = frozenset({"reason", "alternative"})
_TARGETS = frozenset({"hip", "roc"}) | _ADVICE | {"note"}
_ENTRY_KEYS = _TARGETS | {"cuda", "args", "ordinary", "drop"}
_HEADER_KEYS = _TARGETS | {"drop"}
_DROP = "drop"

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ArgRule:
    """A change to the arguments, for ROCm releases before `before` or for all."""

    change: ArgChange
    before: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One CUDA name, header or member as its table has it: counterparts of every release, the preferred first."""

    name: str
    line: int
    hip: tuple[Target, ...] = ()
    roc: tuple[Target, ...] = ()
    reason: str = ""
    alternative: str = ""
    note: str = ""
    kind: Kind = Kind.FUNCTION
    cuda: Life = field(default_factory=Life)
    args: tuple[ArgRule, ...] = ()
    ordinary: bool = False
    drop: bool = False
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The reason that names of a pattern without a counterpart share."""

    patterns: tuple[str, ...]
    line: int
    reason: str
    alternative: str


@dataclass(frozen=True, slots=True)
class Library:
    """One checked table."""

    name: str
    file: str
    names: tuple[Row, ...] = ()
    headers: tuple[Row, ...] = ()
    members: tuple[Row, ...] = ()
    groups: tuple[Group, ...] = field(default=())


def parse_library(text: str, file: str) -> Library:
    """Check one table; HipportError names file, line and key of the first mistake."""
    root = read(text, file)
    parts = root.members({"library", "headers", "members", "groups", *SECTIONS})
    if "library" not in parts:
        root.fail("the key 'library' is missing")
    groups = tuple(_group(value) for value in parts["groups"].items()) if "groups" in parts else ()
    explain = _Explainer(file, groups)
    library = Library(
        name=parts["library"].text(),
        file=file,
        names=tuple(explain(row) for row in _unique(_names(parts), file)),
        headers=tuple(explain(_header(name, value)) for name, value in _section(parts, "headers").items()),
        members=tuple(explain(row) for row in _members(_section(parts, "members"))),
        groups=groups,
    )
    explain.check_all_used()
    return library


def parse_release(value: Value) -> Life:
    """A life, with errors that name the place."""
    return _checked(value, parse_life)


class _Explainer:
    """Gives rows without a counterpart the reason of the first group that matches."""

    def __init__(self, file: str, groups: tuple[Group, ...]) -> None:
        self._file = file
        self._rules = [(re.compile("|".join(map(fnmatch.translate, g.patterns))), g) for g in groups]
        self._unused = set(groups)

    def __call__(self, row: Row) -> Row:
        if row.hip or row.drop:
            return row
        if not (row.reason and row.alternative):
            row = self._from_group(row)
        if not (row.reason and row.alternative):
            raise HipportError(
                f"{self._file}:{row.line}: {row.name}: has no counterpart and no reason or alternative",
                hint="give the name a 'reason' and an 'alternative', or add a pattern to 'groups'",
            )
        return row

    def check_all_used(self) -> None:
        """A group that explains nothing is a mistake."""
        if self._unused:
            group = min(self._unused, key=lambda group: group.line)
            raise HipportError(
                f"{self._file}:{group.line}: groups: no name without a counterpart matches {', '.join(group.patterns)}",
                hint="remove the group or correct its patterns; the first group that matches a name wins",
            )

    def _from_group(self, row: Row) -> Row:
        name = f"{row.owner}.{row.name}" if row.owner else row.name
        for pattern, group in self._rules:
            if pattern.match(name):
                self._unused.discard(group)
                reason, alternative = row.reason or group.reason, row.alternative or group.alternative
                return replace(row, reason=reason, alternative=alternative)
        return row


def _section(parts: dict[str, Value], key: str) -> dict[str, Value]:
    return parts[key].members() if key in parts else {}


def _names(parts: dict[str, Value]) -> Iterable[Row]:
    for section, kind in SECTIONS.items():
        for name, value in _section(parts, section).items():
            if not _CUDA_NAME.match(name):
                value.fail(f"{name!r} is not a C++ name")
            yield _entry(name, kind, value)


def _unique(rows: Iterable[Row], file: str) -> Iterable[Row]:
    seen: dict[str, int] = {}
    for row in rows:
        if row.name in seen:
            raise HipportError(f"{file}:{row.line}: {row.name}: given twice, first in line {seen[row.name]}")
        seen[row.name] = row.line
        yield row


def _entry(name: str, kind: Kind, value: Value) -> Row:
    if not value.is_mapping:
        drop = value.says(_DROP)
        return Row(name, value.line, () if drop else _targets(value, _NAME), kind=kind, drop=drop)
    parts = value.members(_ENTRY_KEYS)
    return Row(
        *_common(name, value, parts, _NAME),
        kind=kind,
        cuda=parse_release(parts["cuda"]) if "cuda" in parts else Life(),
        args=tuple(_arg_change(item) for item in parts["args"].items()) if "args" in parts else (),
        ordinary="ordinary" in parts and parts["ordinary"].flag(),
        drop=_dropped(value, parts),
    )


def _header(name: str, value: Value) -> Row:
    if not _HEADER.match(name):
        value.fail(f"{name!r} is not a header such as cuda_runtime.h or cub/*")
    if not value.is_mapping:
        drop = value.says(_DROP)
        return Row(name, value.line, () if drop else _targets(value, _HEADER), drop=drop)
    parts = value.members(_HEADER_KEYS)
    return Row(*_common(name, value, parts, _HEADER), drop=_dropped(value, parts))


def _dropped(value: Value, parts: dict[str, Value]) -> bool:
    drop = _DROP in parts and parts[_DROP].flag()
    if drop and "hip" in parts:
        value.fail("both 'hip' and 'drop'")
    return drop


def _members(owners: dict[str, Value]) -> Iterable[Row]:
    for owner, names in owners.items():
        for name, value in names.members().items():
            if not value.is_mapping:
                yield Row(name, value.line, _targets(value, _MEMBER), owner=owner)
                continue
            parts = value.members({"hip"} | _ADVICE)
            yield Row(*_common(name, value, parts, _MEMBER), owner=owner)


def _group(value: Value) -> Group:
    parts = value.members({"match"} | _ADVICE)
    for key in ("match", "reason", "alternative"):
        if key not in parts:
            value.fail(f"the key {key!r} is missing")
    patterns = tuple(item.text() for item in parts["match"].items())
    return Group(patterns, value.line, parts["reason"].text(), parts["alternative"].text())


_Common = tuple[str, int, tuple[Target, ...], tuple[Target, ...], str, str, str]


def _common(name: str, value: Value, parts: dict[str, Value], pattern: re.Pattern[str]) -> _Common:
    """The fields that names, headers and members share, in the order of `Row`."""
    hip, roc = (_targets(parts[key], pattern) if key in parts else () for key in ("hip", "roc"))
    reason, alternative, note = (parts[key].text() if key in parts else "" for key in ("reason", "alternative", "note"))
    return name, value.line, hip, roc, reason, alternative, note


def _targets(value: Value, pattern: re.Pattern[str]) -> tuple[Target, ...]:
    if value.is_null:
        return ()
    targets = tuple(_checked(item, parse_target) for item in value.items())
    for target in targets:
        if not pattern.match(target.name):
            value.fail(f"{target.name!r} cannot be the name of a counterpart")
    return targets


def _checked(value: Value, parse: Callable[[str], _T]) -> _T:
    try:
        return parse(value.text())
    except ValueError as error:
        value.fail(str(error), "the notation is: NAME ADDED deprecated VERSION changed VERSION removed VERSION")


def _arg_change(value: Value) -> ArgRule:
    """`{wrap: 0, with: HIP_SYMBOL(...)}`, `{append: text, arity: 2}` and so on."""
    parts = value.members({*_OPERATIONS, *_OPTIONS, "with", "at"})
    operations = [op for op in _OPERATIONS if op in parts]
    if len(operations) != 1:
        value.fail(f"exactly one of {', '.join(_OPERATIONS)} is expected")
    op = operations[0]
    needed = {"wrap": {"with"}, "replace": {"with"}, "insert": {"at"}}.get(op, set())
    if set(parts) - {op} - _OPTIONS != needed:
        value.fail(
            f"{op} takes " + (f"{', '.join(sorted(needed))} and " if needed else "") + "optionally arity, before"
        )
    arity = _number(parts["arity"]) if "arity" in parts else None
    change = _change(op, parts)
    if arity is not None and change.at >= arity + (op == "insert"):
        value.fail(f"a call with {arity} arguments has no argument {change.at}; positions count from 0")
    before = _checked(parts["before"], release) if "before" in parts else None
    return ArgRule(replace(change, arity=arity), before)


def _change(op: str, parts: dict[str, Value]) -> ArgChange:
    if op == "append":
        return ArgChange(op, text=parts[op].text())
    if op == "insert":
        return ArgChange(op, at=_number(parts["at"]), text=parts[op].text())
    at = _number(parts[op])
    if op == "remove":
        return ArgChange(op, at=at)
    text = parts["with"].text()
    if op == "replace":
        return ArgChange(op, at=at, text=text)
    if text.count(HOLE) != 1:
        parts["with"].fail(f"{HOLE} must stand once, where the argument goes")
    before, after = text.split(HOLE)
    return ArgChange(op, at=at, before=before, after=after)


def _number(value: Value) -> int:
    if not value.text().isdecimal():
        value.fail(f"{value.text()!r} where a number from 0 is expected")
    return int(value.text())
