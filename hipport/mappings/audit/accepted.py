"""Names that headers need not declare, each with the reason, and how many names were found before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hipport.mappings.audit.patterns import Patterns
from hipport.mappings.audit.rules import known_folder, read_document
from hipport.mappings.document import Value, read

_FILE = "accepted.yaml"
_FLOORS = "floors.yaml"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Names that may be missing from the headers that `sources` (`CUDA`, `ROCm 5.2`, `hip-python`) begin to name."""

    names: Patterns
    sources: tuple[str, ...]
    reason: str
    line: int

    def concerns(self, source: str) -> bool:
        """Whether the exception is about headers of this description."""
        return any(source == one or source.startswith(f"{one} ") for one in self.sources)


def accepted() -> tuple[Acceptance, ...]:
    """The exceptions that ship."""
    return parse_accepted(read_document(known_folder() / _FILE), _FILE)


def parse_accepted(text: str, file: str) -> tuple[Acceptance, ...]:
    """Check a list of exceptions; HipportError names file, line and key of the first mistake."""
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
    """How many names of each library the headers of this description had when that was last recorded."""
    return parse_floors(read_document(known_folder() / _FLOORS), _FLOORS).get(source, {})


def parse_floors(text: str, file: str) -> dict[str, dict[str, int]]:
    """Check recorded floors."""
    return {
        source: {library: _number(count) for library, count in counts.members().items()}
        for source, counts in read(text, file).members().items()
    }


def _number(value: Value) -> int:
    if not value.text().isdecimal():
        value.fail(f"{value.text()!r} where a number of names is expected")
    return int(value.text())


def record_floors(found: Mapping[str, Mapping[str, int]], path: Path | None = None) -> Path:
    """Write what was found, by source and library; floors of other sources stay. Returns the file."""
    path = path or known_folder() / _FLOORS
    every = {
        **parse_floors(read_document(path), path.name),
        **{source: dict(counts) for source, counts in found.items()},
    }
    path.write_text("\n".join(_lines(every)) + "\n", encoding="utf-8")
    return path


def _lines(every: Mapping[str, Mapping[str, int]]) -> Iterable[str]:
    yield "# How many names of the tables each source declares, by library: less is a loss. Written by"
    yield "# `hipport mappings check --record`."
    for source, counts in sorted(every.items()):
        yield f'"{source}":'
        yield from (f"  {library}: {count}" for library, count in sorted(counts.items()))
