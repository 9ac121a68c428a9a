"""The errors of a compiler, each with what hipport reported about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from hipport.port.remaining import source_lines
from scripts.measure_corpora.findings import WORD, bare
from scripts.measure_corpora.results import QUOTED, Error
from scripts.measure_corpora.translation import Translation

_PLACE = re.compile(
    r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):\d+: (?P<kind>(?:fatal )?error|note): (?P<text>.*)$", re.MULTILINE
)
_FROM = re.compile(r"^In file included from (?P<path>[^\n]+?):(?P<line>\d+):$", re.MULTILINE)


Place = tuple[str, int]


def errors(output: str, translation: Translation) -> Iterable[Error]:
    """Return the errors of a compiler, in order and once each, with what hipport reported about them."""
    seen = set[tuple[Place, str]]()
    for message, places in _grouped(output):
        if (places[0], message) not in seen:
            seen.add((places[0], message))
            path, line = places[0]
            yield Error(_relative(path, translation), line, message, _about(message, places, translation))


def _grouped(output: str) -> Iterable[tuple[str, list[Place]]]:
    """Return the messages with their places: that of the error, of the includes around it, and of its notes."""
    groups: list[tuple[str, list[Place]]] = []
    includes: list[Place] = []
    for line in output.split("\n"):
        if included := _FROM.match(line):
            includes.append((included["path"], int(included["line"])))
        elif match := _PLACE.match(line):
            place = match["path"], int(match["line"])
            if match["kind"] != "note":
                groups.append((match["text"], [place, *includes]))
                includes = []
            elif groups:
                groups[-1][1].append(place)
    return groups


def _relative(path: str, translation: Translation) -> str:
    """Return a path of the translation relative to its root."""
    found = Path(path).resolve()
    return str(found.relative_to(translation.out)) if found.is_relative_to(translation.out) else path


def _about(message: str, places: Sequence[Place], translation: Translation) -> str:
    """Return the code of a finding at one of the places or with a name from the message."""
    for path, number in places:
        target = Path(path).resolve()
        source = translation.origins.get(target)
        if source is None:
            continue
        for line in source_lines(str(source), str(target), number):
            if code := translation.findings.places.get((str(source), line)):
                return code
    for quoted in QUOTED.findall(message):
        for word in WORD.findall(quoted):
            if code := translation.findings.names.get(bare(word), ""):
                return code
    return ""
