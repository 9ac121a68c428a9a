"""Measurements between the GPUs of a machine, and their JSON format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hipport.errors import HipportError
from hipport.files.documents import LARGEST_JSON, parse_json, read_text

FORMAT = 1
_MOST = 1e18
_HINT = "Create one with: hipport bench p2p --json FILE"

Matrix = tuple[tuple[float | None, ...], ...]
"""A value for each pair, row to column; None where there is none."""


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU: `bus` is its PCI bus address (0000:05:00.0), `memory_rate` the theoretical rate in bytes per second."""

    name: str
    architecture: str
    bus: str
    memory_rate: float


@dataclass(frozen=True, slots=True)
class Link:
    """A connection of two GPUs as the system names it: xGMI, NVLink, or a PCIe path; `count` is None if unknown."""

    kind: str
    count: int | None = None

    def __str__(self) -> str:
        return f"{self.count} {self.kind}" if self.count else self.kind


@dataclass(frozen=True, slots=True)
class Way:
    """One way of copying.

    `one_way` and `both_ways` are in bytes per second, from row to column and in both directions at once; `latency` is
    the time of a small copy in seconds.
    """

    name: str
    one_way: Matrix
    both_ways: Matrix
    latency: Matrix


@dataclass(frozen=True, slots=True)
class Measurements:
    """The measurement of one machine.

    `bytes` is the copy size, `small_bytes` that of small copies; `date` is in UTC.
    """

    target: str
    date: str
    bytes: int
    small_bytes: int
    devices: tuple[Device, ...]
    links: tuple[tuple[Link | None, ...], ...]
    ways: tuple[Way, ...]


def write_result(path: Path, result: Measurements) -> None:
    """Write a result as JSON. Raises `HipportError`."""
    text = json.dumps({"format": FORMAT, **asdict(result)}, indent=1)
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise HipportError(f"cannot write {path}: {error.strerror}") from None


def read_result(path: Path) -> Measurements:
    """Read a result written by `write_result`. Raises `HipportError` for anything else."""
    try:
        data = parse_json(read_text(path, LARGEST_JSON, _HINT), str(path), _HINT)
        if data["format"] != FORMAT:
            raise HipportError(f"{path}: unsupported format {data['format']!r}; this hipport reads {FORMAT}")
        return _result(data)
    except OSError as error:
        raise HipportError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise HipportError(f"{path} is not a result of hipport bench p2p: {error!r}", hint=_HINT) from None


def _result(data: Mapping[str, Any]) -> Measurements:
    devices = tuple(device_from(device) for device in data["devices"])
    links = tuple(tuple(_link(link) if link else None for link in row) for row in data["links"])
    if not devices or not _square(links, len(devices)):
        raise ValueError("expected links for every pair of GPUs")
    return Measurements(
        _word(data["target"]),
        _word(data["date"]),
        int(_number(data["bytes"])),
        int(_number(data["small_bytes"])),
        devices,
        links,
        tuple(_way(way, len(devices)) for way in data["ways"]),
    )


def device_from(data: Mapping[str, Any]) -> Device:
    """Return a device from the copy program's output or a stored result. Raises `ValueError`, KeyError, TypeError."""
    rate = _number(data["memory_rate"]) if data["memory_rate"] else 0.0
    return Device(_word(data["name"]), _word(data["architecture"]), _word(data["bus"]), rate)


def _link(data: Mapping[str, Any]) -> Link:
    count = data["count"]
    return Link(_word(data["kind"]), None if count is None else int(_number(count)))


def _way(data: Mapping[str, Any], size: int) -> Way:
    return way_from(_word(data["name"]), data, size)


def way_from(name: str, data: Mapping[str, Any], size: int) -> Way:
    """Return a way of copying with its measurements; raises as `device_from` does."""
    return Way(name, *(_matrix(data[kind], size) for kind in ("one_way", "both_ways", "latency")))


def _matrix(rows: Any, size: int) -> Matrix:
    found = tuple(tuple(None if value is None else _number(value) for value in row) for row in rows)
    if not _square(found, size):
        raise ValueError(f"expected {size} rows of {size} numbers")
    return found


def _square(rows: tuple[tuple[object, ...], ...], size: int) -> bool:
    return len(rows) == size and all(len(row) == size for row in rows)


def _number(value: Any) -> float:
    if isinstance(value, (int, float)) and 0 < value < _MOST:
        return float(value)
    raise ValueError(f"expected a positive number, not {value!r}")


def _word(value: Any) -> str:
    """Return a printable one-line string, safe for terminals and XML. Raises `ValueError` for anything else."""
    if isinstance(value, str) and value.isprintable():
        return value
    raise ValueError(f"expected a string of one line, not {value!r}")
