"""Insert new lines into a table in sorted order; everything else stays byte for byte."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hipport.audit.sync import SECTIONS, Proposal
from hipport.errors import HipportError

_SECTION = re.compile(r"^([a-z]+):\s*$")
_KEY = re.compile(r"^  ([A-Za-z_][\w:]*?):(?: |$)")
_ORDER = ("library", *SECTIONS.values(), "namespaces", "headers", "members", "groups")


@dataclass(frozen=True, slots=True)
class Place:
    """A name in a section, and the index of its first line, including the comments above it."""

    name: str
    line: int


def insert(text: str, proposals: Iterable[Proposal], source: str) -> str:
    """Return the table with new lines, under a comment that names their source.

    HipportError if one of the names is already there: nothing is overwritten.
    """
    lines = text.splitlines()
    by_section: dict[str, list[Proposal]] = {}
    for proposal in proposals:
        by_section.setdefault(proposal.section, []).append(proposal)
    for section, new in by_section.items():
        lines = _with(lines, section, sorted(new, key=lambda one: one.name), source)
    return "\n".join(lines) + "\n"


def _with(lines: Sequence[str], section: str, new: Sequence[Proposal], source: str) -> list[str]:
    start = _start(lines, section)
    if start is None:
        lines, start = _with_section(lines, section)
    end = _end(lines, start)
    places = _places(lines, start, end)
    names = [place.name for place in places]
    taken = [one for one in new if one.name in names]
    if taken:
        raise HipportError(
            f"{taken[0].file}: {section}.{taken[0].name}: is already in the table",
            hint="Nothing was written; edit the line by hand.",
        )
    runs: dict[int, list[Proposal]] = {}
    for one in new:
        position = bisect.bisect_left(names, one.name)
        runs.setdefault(places[position].line if position < len(places) else end, []).append(one)
    return _merged(lines, runs, source)


def _merged(lines: Sequence[str], runs: dict[int, list[Proposal]], source: str) -> list[str]:
    merged: list[str] = []
    for number, line in enumerate([*lines, ""]):
        if run := runs.get(number):
            merged += [_comment(len(run), source), *(line for one in run for line in one.lines)]
        merged.append(line)
    return merged[:-1]


def _comment(count: int, source: str) -> str:
    return f"  # from {source} headers" + (f": {count} names" if count > 1 else "")


def _start(lines: Sequence[str], section: str) -> int | None:
    """Return the index of the line after the section's heading, such as `functions:`; None without that section."""
    return next((number + 1 for number, line in enumerate(lines) if line.rstrip() == f"{section}:"), None)


def _with_section(lines: Sequence[str], section: str) -> tuple[list[str], int]:
    """Return the table with an empty section inserted as in `_ORDER`, and the index of the line after its heading."""
    later = set(_ORDER[_ORDER.index(section) + 1 :])
    heads = [number for number, line in enumerate(lines) if (match := _SECTION.match(line)) and match[1] in later]
    at = heads[0] if heads else len(lines)
    while heads and at and lines[at - 1].startswith("#"):
        at -= 1
    before, after = list(lines[:at]), list(lines[at:])
    while before and not before[-1]:
        before.pop()
    return [*before, "", f"{section}:", *([""] if after else []), *after], len(before) + 2


def _end(lines: Sequence[str], start: int) -> int:
    """Return the end of a section: the index after its last indented line."""
    end = start
    for number in range(start, len(lines)):
        if lines[number] and not lines[number].startswith(" "):
            break
        if lines[number]:
            end = number + 1
    return end


def _places(lines: Sequence[str], start: int, end: int) -> list[Place]:
    places = []
    first = start
    for number in range(start, end):
        if match := _KEY.match(lines[number]):
            places.append(Place(match[1], first))
        if not lines[number].startswith("  #"):
            first = number + 1
    return places
