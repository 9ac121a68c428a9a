"""Check a mapping table and parse it into rows; `docs/mappings.md` describes the notation."""

from __future__ import annotations

from collections.abc import Iterable

from hipport import lazy_re as re
from hipport.errors import HipportError
from hipport.mappings.arguments import parse_arg_change
from hipport.mappings.document import Value, read
from hipport.mappings.entry import HipName, Kind, Life
from hipport.mappings.groups import Explainer
from hipport.mappings.life import parse_life, parse_target
from hipport.mappings.rows import Group, Library, Row

SECTIONS = {
    "functions": Kind.FUNCTION,
    "types": Kind.TYPE,
    "enumerators": Kind.ENUMERATOR,
    "macros": Kind.MACRO,
    "variables": Kind.VARIABLE,
    "namespaces": Kind.NAMESPACE,
}

NAME = re.compile(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)*(<\w+>)?\Z")
MEMBER = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z")
CUDA_NAME = re.compile(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)*\Z")
HEADER = re.compile(r"[\w.*+-]+(/[\w.*+-]+)*\Z")
_ADVICE = frozenset({"reason", "alternative"})
_TARGETS = frozenset({"hip", "roc"}) | _ADVICE | {"note"}
ENTRY_KEYS = _TARGETS | {"cuda", "args", "ordinary", "drop", "typedef"}
HEADER_KEYS = _TARGETS | {"drop"}
MEMBER_KEYS = _ADVICE | {"hip"}
GROUP_KEYS = _ADVICE | {"match"}
_KEYS = frozenset({"library", "versions", "headers", "members", "groups", *SECTIONS})
_DROP = "drop"


def parse_library(text: str, file: str) -> Library:
    """Parse and check one table; HipportError names file, line and key of the first error."""
    root = read(text, file)
    parts = root.members(_KEYS)
    if "library" not in parts:
        root.fail("the key 'library' is missing")
    return _library(parts, parts["library"].text(), file)


def parse_overlay(text: str, file: str) -> tuple[Library, tuple[Value, ...]]:
    """Parse and check a project's own table; also return the names of the files that it extends."""
    parts = read(text, file).members(_KEYS | {"extends"})
    name = parts["library"].text() if "library" in parts else file
    return _library(parts, name, file), tuple(parts["extends"].items()) if "extends" in parts else ()


def _library(parts: dict[str, Value], name: str, file: str) -> Library:
    groups = tuple(_group(value) for value in parts["groups"].items()) if "groups" in parts else ()
    explainer = Explainer(file, groups)
    library = Library(
        name=name,
        file=file,
        names=tuple(explainer.explained(row) for row in _unique(_names(parts), file)),
        headers=tuple(explainer.explained(_header(name, value)) for name, value in _section(parts, "headers").items()),
        members=tuple(explainer.explained(row) for row in _members(_section(parts, "members"))),
        groups=groups,
        versions=parts["versions"].text() if "versions" in parts else "",
    )
    explainer.check_all_used()
    return library


def parse_release(value: Value) -> Life:
    """Parse a life; errors name the place."""
    return value.parsed(parse_life)


def _section(parts: dict[str, Value], key: str) -> dict[str, Value]:
    return parts[key].members() if key in parts else {}


def _names(parts: dict[str, Value]) -> Iterable[Row]:
    for section, kind in SECTIONS.items():
        for name, value in _section(parts, section).items():
            if not CUDA_NAME.match(name):
                value.fail(f"{name!r} is not a C++ name")
            yield _entry(name, kind, value)


def _unique(rows: Iterable[Row], file: str) -> Iterable[Row]:
    seen: dict[str, int] = {}
    for row in rows:
        if row.name in seen:
            raise HipportError(f"{file}:{row.line}: {row.name}: duplicate; first given in line {seen[row.name]}")
        seen[row.name] = row.line
        yield row


def _entry(name: str, kind: Kind, value: Value) -> Row:
    if not value.is_mapping:
        drop = value.says(_DROP)
        return Row(name, value.line, () if drop else _targets(value, NAME), kind=kind, drop=drop)
    parts = value.members(ENTRY_KEYS)
    return Row(
        *_common(name, value, parts, NAME),
        kind=kind,
        cuda=parse_release(parts["cuda"]) if "cuda" in parts else Life(),
        args=tuple(parse_arg_change(item) for item in parts["args"].items()) if "args" in parts else (),
        ordinary="ordinary" in parts and parts["ordinary"].flag(),
        drop=_dropped(value, parts),
        tag=_tag(parts["typedef"]) if "typedef" in parts else None,
    )


def _tag(value: Value) -> str | None:
    """Return the tag of a typedef: None for `false`, "" for `true`, which says that it is not known."""
    if value.text() in ("true", "false"):
        return "" if value.flag() else None
    if not CUDA_NAME.match(value.text()):
        value.fail(f"{value.text()!r} is neither true, false nor the tag of a struct, union or enum")
    return value.text()


def _header(name: str, value: Value) -> Row:
    if not HEADER.match(name):
        value.fail(f"{name!r} is not a header such as cuda_runtime.h or cub/*")
    if not value.is_mapping:
        drop = value.says(_DROP)
        return Row(name, value.line, () if drop else _targets(value, HEADER), drop=drop)
    parts = value.members(HEADER_KEYS)
    return Row(*_common(name, value, parts, HEADER), drop=_dropped(value, parts))


def _dropped(value: Value, parts: dict[str, Value]) -> bool:
    drop = _DROP in parts and parts[_DROP].flag()
    if drop and "hip" in parts:
        value.fail("both 'hip' and 'drop'")
    return drop


def _members(owners: dict[str, Value]) -> Iterable[Row]:
    for owner, names in owners.items():
        for name, value in names.members().items():
            if not value.is_mapping:
                yield Row(name, value.line, _targets(value, MEMBER), owner=owner)
                continue
            parts = value.members(MEMBER_KEYS)
            yield Row(*_common(name, value, parts, MEMBER), owner=owner)


def _group(value: Value) -> Group:
    parts = value.members(GROUP_KEYS)
    for key in ("match", "reason", "alternative"):
        if key not in parts:
            value.fail(f"the key {key!r} is missing")
    patterns = tuple(item.text() for item in parts["match"].items())
    return Group(patterns, value.line, parts["reason"].text(), parts["alternative"].text())


_Common = tuple[str, int, tuple[HipName, ...], tuple[HipName, ...], str, str, str]


def _common(name: str, value: Value, parts: dict[str, Value], pattern: re.Pattern[str]) -> _Common:
    """Return the fields that names, headers and members share, in the order of `Row`."""
    hip, roc = (_targets(parts[key], pattern) if key in parts else () for key in ("hip", "roc"))
    reason, alternative, note = (parts[key].text() if key in parts else "" for key in ("reason", "alternative", "note"))
    return name, value.line, hip, roc, reason, alternative, note


def _targets(value: Value, pattern: re.Pattern[str]) -> tuple[HipName, ...]:
    if value.is_null:
        return ()
    targets = tuple(item.parsed(parse_target) for item in value.items())
    for target in targets:
        if not pattern.match(target.name):
            value.fail(f"{target.name!r} cannot be the name of a counterpart")
    return targets
