"""Read accepted exceptions (names that headers need not declare, with reasons) and recorded counts of found names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hipport.audit.patterns import Patterns
from hipport.audit.rules import known_folder, read_document
from hipport.mappings.document import Value, read

_FILE = "accepted.yaml"
_FLOORS = "floors.yaml"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Names that may be missing from certain headers.

    `sources` are prefixes of the descriptions of these headers: `CUDA`, `ROCm 5.2`, `hip-python`.
    """

    names: Patterns
    sources: tuple[str, ...]
    reason: str
    line: int

    def concerns(self, source: str) -> bool:
        """Return whether the exception applies to headers with this description."""
        return any(source == one or source.startswith(f"{one} ") for one in self.sources)


def accepted() -> tuple[Acceptance, ...]:
    """Return the exceptions that ship with hipport."""
    return parse_accepted(read_document(known_folder() / _FILE), _FILE)


def parse_accepted(text: str, file: str) -> tuple[Acceptance, ...]:
    """Parse and check a list of exceptions; HipportError names file, line and key of the first error."""
    parts = read(text, file).members({"accepted"})
    return tuple(_exception(value) for value in (parts["accepted"].items() if "accepted" in parts else ()))


def _exception(value: Value) -> Acceptance:
    keys = ("names", "of", "reason")
    parts = value.members(keys)
    for key in keys:
        if key not in parts:
            value.fail(f"the key {key!r} is missing")
    names, sources = (tuple(item.text() for item in parts[key].items()) for key in ("names", "of"))
    return Acceptance(Patterns(names), sources, parts["reason"].text(), value.line)


def floors(source: str) -> dict[str, int]:
    """Return the recorded number of names found per library in the headers with this description."""
    return parse_floors(read_document(known_folder() / _FLOORS), _FLOORS).get(source, {})


def parse_floors(text: str, file: str) -> dict[str, dict[str, int]]:
    """Parse and check recorded floors: source to library to number of names."""
    return {
        source: {library: _number(count) for library, count in counts.members().items()}
        for source, counts in read(text, file).members().items()
    }


def _number(value: Value) -> int:
    if not value.text().isdecimal():
        value.fail(f"{value.text()!r} is not a number of names")
    return int(value.text())


def record_floors(found: Mapping[str, Mapping[str, int]], path: Path | None = None) -> Path:
    """Record the numbers found, by source and library, and return the file; floors of other sources are kept."""
    path = path or known_folder() / _FLOORS
    every = {
        **parse_floors(read_document(path), path.name),
        **{source: dict(counts) for source, counts in found.items()},
    }
    path.write_text("\n".join(_lines(every)) + "\n", encoding="utf-8")
    return path


def _lines(every: Mapping[str, Mapping[str, int]]) -> Iterable[str]:
    yield "# Number of table names that each source declares, by library; checks fail below it. Written by"
    yield "# `hipport mappings check --record`."
    for source, counts in sorted(every.items()):
        yield f'"{source}":'
        yield from (f"  {library}: {count}" for library, count in sorted(counts.items()))
