"""The findings of the checks of a run: emulated, or of a program for the CPU that was built with --sanitize."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

Size = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class At:
    """A thread at an instruction, if it is known, or the host, which has no block.

    `line` is "file:line", or empty without line tables.
    """

    block: Size | None
    thread: Size | None
    instruction: str
    offset: str
    line: str

    def __str__(self) -> str:
        who = f"block {self.block}, thread {self.thread}" if self.block is not None else "on the host"
        what = f": {self.instruction} (byte {self.offset} of the code)" if self.instruction else ""
        return f"{self.line}, {who}{what}" if self.line else f"{who}{what}"


@dataclass(frozen=True, slots=True)
class AllocatedAt:
    """The allocation that a finding is about; `line` and `freed` say where, or are empty."""

    memory: str
    bytes: int
    line: str
    freed: str

    def lines(self) -> Iterator[str]:
        """Yield the allocation as text."""
        if self.line:
            yield f"  {self.bytes} bytes of {self.memory}, allocated at {self.line}"
        if self.freed:
            yield f"  freed at {self.freed}"


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
    allocation: AllocatedAt | None = None

    def lines(self) -> Iterator[str]:
        """Yield the finding as text."""
        place = self.at.line if self.at and self.at.line else self.kernel or "host"
        times = f" ({self.count} times)" if self.count > 1 else ""
        yield f"{place}: {self.kind}: {self.message}{times}"
        if self.at is not None:
            if self.kernel:
                yield f"  kernel {self.kernel} on {self.target}"
            yield f"  at {self.at}"
        if self.other is not None:
            yield f"  and {self.other}"
        if self.allocation is not None:
            yield from self.allocation.lines()


def read(records: Iterable[Mapping[str, Any]]) -> list[EmulatedFinding]:
    """Return the findings among a tool's records, with the counts that follow at the end of the run."""
    found: dict[int, EmulatedFinding] = {}
    missing = []
    for record in records:
        if "tool" in record:
            continue
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


def has_checks(records: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether the program had checks: those of the CPU target say so when they begin."""
    return any("tool" in record for record in records)


def _finding(record: Mapping[str, Any]) -> EmulatedFinding:
    at = _at(record) if "line" in record else None
    other = _at(record["other"]) if "other" in record else None
    kernel, target = str(record["kernel"]), str(record.get("target", ""))
    allocation = _allocation(record["allocation"]) if "allocation" in record else None
    return EmulatedFinding(str(record["kind"]), str(record["message"]), kernel, target, at, other, 1, allocation)


def _allocation(record: Mapping[str, Any]) -> AllocatedAt:
    return AllocatedAt(str(record["memory"]), int(record["bytes"]), str(record["line"]), str(record["freed"]))


def _at(record: Mapping[str, Any]) -> At:
    texts = (str(record[name]) for name in ("instruction", "offset", "line"))
    return At(_size(record, "block"), _size(record, "thread"), *texts)


def _size(record: Mapping[str, Any], name: str) -> Size | None:
    if name not in record:
        return None
    x, y, z = map(int, record[name])
    return x, y, z
