"""Read and write `mappings/*.yaml` in their canonical form, so that a change to a table is a small diff."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

Spec = dict[str, Any]
"""The entry of one name, as spelled in a table: keys of the schema, strings, lists of strings."""

SECTIONS = ("functions", "types", "enumerators", "macros", "variables", "namespaces")
ORDER = ("library", *SECTIONS, "headers", "members", "groups")
_WIDTH = 120
_KEYS = ("cuda", "hip", "roc", "drop", "args", "reason", "alternative", "note", "ordinary", "typedef")
_PLAIN = re.compile(r"[A-Za-z0-9_(<=/](?:[^:#\n]|:(?! |\Z)|(?<! )#)*\Z")
_FLOW = re.compile(r"[,\[\]{}?]")
_COMMENT = re.compile(r"^( *)#.*$")
_KEY = re.compile(r"^( *)([^\s#:'\"{\[-][^\s:]*(?:::[^\s:]+)*):(?: |$)")


@dataclass(slots=True)
class TableFile:
    """One table. `sections` has the names by section; `rest` the other keys as loaded from YAML."""

    library: str
    versions: str = ""
    sections: dict[str, dict[str, Spec]] = field(default_factory=dict)
    rest: dict[str, Any] = field(default_factory=dict)
    comments: dict[str, list[str]] = field(default_factory=dict)

    def find(self, name: str) -> tuple[str, Spec] | None:
        """Return the section and the spec of a name."""
        for section, names in self.sections.items():
            if name in names:
                return section, names[name]
        return None


def load(path: Path) -> TableFile:
    """Read a table; all scalars stay strings."""
    text = path.read_text()
    data = yaml.load(text, Loader=yaml.CBaseLoader)
    table = TableFile(data.pop("library"), data.pop("versions", ""), comments=_comments(text))
    for section in SECTIONS:
        table.sections[section] = {name: _expand(value) for name, value in (data.pop(section, None) or {}).items()}
    table.rest = data
    return table


def dump(table: TableFile) -> str:
    """Return the canonical text of a table."""
    lines = [*table.comments.get("library", []), f"library: {table.library}"]
    lines += [*table.comments.get("versions", []), f"versions: {table.versions}"] if table.versions else []
    for section in ORDER[1:]:
        content: Any = table.sections.get(section) or table.rest.get(section)
        if not content:
            continue
        lines += ["", *table.comments.get(section, []), f"{section}:"]
        if section == "groups":
            lines += [line for group in content for line in _block(group, "  - ", "    ")]
        elif section == "members":
            lines += _members(content, table.comments)
        else:
            lines += _names(section, content, table.comments)
    return "\n".join(lines) + "\n"


def _names(section: str, content: dict[str, Any], comments: dict[str, list[str]]) -> list[str]:
    lines: list[str] = []
    for name in sorted(content):
        lines += comments.get(f"{section}.{name}", [])
        lines += _entry(name, _compress(_expand(content[name])), "  ")
    return lines


def _members(content: dict[str, Any], comments: dict[str, list[str]]) -> list[str]:
    lines: list[str] = []
    for owner in sorted(content):
        lines += [*comments.get(f"members.{owner}", []), f"  {owner}:"]
        for name in sorted(content[owner]):
            lines += comments.get(f"members.{owner}.{name}", [])
            lines += _entry(name, _compress(_expand(content[owner][name])), "    ")
    return lines


def _expand(value: Any) -> Spec:
    if isinstance(value, dict):
        return value
    if value == "drop":
        return {"drop": "true"}
    return {"hip": value} if value else {}


def _compress(spec: Spec) -> Spec | list[str] | str | None:
    """Return the shortest form: a string or list for a counterpart alone, nothing for a name without one."""
    if spec == {"drop": "true"}:
        return "drop"
    hip: list[str] | str = spec.get("hip", "")
    return hip if set(spec) == {"hip"} else spec or None


def _entry(name: str, value: Spec | list[str] | str | None, indent: str) -> list[str]:
    if value is None:
        return [f"{indent}{name}:"]
    line = f"{indent}{name}: {_flow(value)}"
    if not isinstance(value, dict) or len(line) <= _WIDTH:
        return [line]
    return [f"{indent}{name}:", *_block(value, indent + "  ", indent + "  ")]


def _block(spec: Spec, first: str, indent: str) -> list[str]:
    keys = [key for key in ("match", *_KEYS) if key in spec]
    return [(indent if number else first) + f"{key}: {_flow(spec[key])}" for number, key in enumerate(keys)]


def _flow(value: Spec | list[Any] | str, inside: bool = False) -> str:
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: _KEYS.index(key) if key in _KEYS else -1)
        return "{" + ", ".join(f"{key}: {_flow(value[key], inside=True)}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item, inside=True) for item in value) + "]"
    if _PLAIN.match(value) and not value.endswith(" ") and not (inside and _FLOW.search(value)):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _comments(text: str) -> dict[str, list[str]]:
    """Return comment lines by the key that they precede."""
    found: dict[str, list[str]] = {}
    pending: list[str] = []
    way: list[tuple[int, str]] = []
    for line in text.splitlines():
        if _COMMENT.match(line):
            pending.append(line)
        elif match := _KEY.match(line):
            indent = len(match[1])
            way = [step for step in way if step[0] < indent] + [(indent, match[2])]
            if pending:
                found[".".join(name for _, name in way)] = pending
                pending = []
    return found
