"""The findings of the checks of an emulated run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

Size = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class At:
    """A thread at an instruction; `line` is "file:line", or empty without line tables in the code object."""

    block: Size
    thread: Size
    instruction: str
    offset: str
    line: str

    def __str__(self) -> str:
        place = f"{self.line}, " if self.line else ""
        return f"{place}block {self.block}, thread {self.thread}: {self.instruction} (byte {self.offset} of the code)"


@dataclass(frozen=True, slots=True)
class EmulatedFinding:
    """A defect: what kind, where it was seen first, and how often. `other` is the access that it conflicts with."""

    kind: str
    message: str
    kernel: str
    target: str
    at: At | None
    other: At | None
    count: int

    def lines(self) -> Iterator[str]:
        """Yield the finding as text."""
        place = self.at.line if self.at and self.at.line else self.kernel
        times = f" ({self.count} times)" if self.count > 1 else ""
        yield f"{place}: {self.kind}: {self.message}{times}"
        if self.at is not None:
            yield f"  kernel {self.kernel} on {self.target}"
            yield f"  at {self.at}"
        if self.other is not None:
            yield f"  and {self.other}"


def read(records: Iterable[Mapping[str, Any]]) -> list[EmulatedFinding]:
    """Return the findings among a tool's records, with the counts that follow at the end of the run."""
    found: dict[int, EmulatedFinding] = {}
    missing = []
    for record in records:
        number = int(record["number"])
        if "count" in record:
            if number in found:
                found[number] = replace(found[number], count=int(record["count"]))
        elif number < 0:
            missing.append(_finding(record))
        else:
            found[number] = _finding(record)
    return [*found.values(), *missing]


def to_json(findings: Iterable[EmulatedFinding]) -> dict[str, Any]:
    """Return the findings as a JSON document."""
    return {"version": 1, "findings": [asdict(finding) for finding in findings]}


def _finding(record: Mapping[str, Any]) -> EmulatedFinding:
    at = _at(record) if "block" in record else None
    other = _at(record["other"]) if "other" in record else None
    kernel, target = str(record["kernel"]), str(record.get("target", ""))
    return EmulatedFinding(str(record["kind"]), str(record["message"]), kernel, target, at, other, 1)


def _at(record: Mapping[str, Any]) -> At:
    block, thread = (tuple(map(int, record[name])) for name in ("block", "thread"))
    texts = (str(record[name]) for name in ("instruction", "offset", "line"))
    return At((block[0], block[1], block[2]), (thread[0], thread[1], thread[2]), *texts)
