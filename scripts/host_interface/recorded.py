"""The file with the host interface of all recorded releases: each fact once for the releases that agree on it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scripts.host_interface.model import Function, Interface, Member, Record

PATH = Path(__file__).parents[2] / "tests" / "emulate" / "releases" / "interfaces.json"
_PARTS = ("enums", "records", "functions")


def load(path: Path = PATH) -> tuple[dict[str, str], dict[str, Interface]]:
    """Return the sources and the interfaces by release, in order: `5.2`."""
    document = json.loads(path.read_text(encoding="utf-8"))
    sources: dict[str, str] = document["releases"]
    found = {release: Interface() for release in sources}
    for part in _PARTS:
        for name, changes in document[part].items():
            current = None
            for release, interface in found.items():
                current = changes.get(release, current)
                if current is not None:
                    getattr(interface, part)[name] = _READ[part](current)
    return sources, found


def save(sources: Mapping[str, str], interfaces: Mapping[str, Interface], path: Path = PATH) -> None:
    """Write the file, with one line for each fact and the release since which it holds."""
    ordered = sorted(sources, key=lambda release: [int(part) for part in release.split(".")])
    parts = ["{", f' "releases": {json.dumps({each: sources[each] for each in ordered}, indent=2)},']
    for part in _PARTS:
        tables = [getattr(interfaces[release], part) for release in ordered]
        names = sorted({name for table in tables for name in table})
        rows = (_row(name, dict(_changes(name, ordered, tables))) for name in names)
        parts.append(f' "{part}": {{\n' + ",\n".join(rows) + ("\n }" if part == _PARTS[-1] else "\n },"))
    path.write_text("\n".join(parts) + "\n}\n", encoding="utf-8")


def _row(name: str, changes: Mapping[str, Any]) -> str:
    return f"  {json.dumps(name)}: {json.dumps(changes)}"


def _changes(name: str, releases: list[str], tables: list[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    before = None
    for release, table in zip(releases, tables, strict=True):
        now = _written(table[name]) if name in table else None
        if now != before:
            yield release, now
        before = now


def _written(fact: Any) -> Any:
    if isinstance(fact, Record):
        return [fact.size, {name: [member.offset, member.type] for name, member in fact.members.items()}]
    if isinstance(fact, Function):
        return [fact.result, *fact.parameters]
    return fact


def _record(written: Any) -> Record:
    return Record(written[0], {name: Member(*member) for name, member in written[1].items()})


_READ: dict[str, Callable[[Any], Any]] = {
    "enums": lambda written: written,
    "records": _record,
    "functions": lambda written: Function(written[0], tuple(written[1:])),
}
