"""Read the GPU architectures in a program built by nvcc."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

_MAGIC = struct.pack("<I", 0xBA55ED50)
_HEADER = struct.Struct("<IHHQ")
_ENTRY = struct.Struct("<HHIQ")
_NUMBER_AT = 28
_KINDS = {1: "compute", 2: "sm"}


def architectures(path: Path) -> tuple[str, ...]:
    """Return `sm_90` for machine code and `compute_90` for PTX, unique and sorted; empty for a file without GPU code.

    A fat binary is a header followed by entries, each with its kind and architecture, in a section of the program or
    in a separate file.
    """
    data = path.read_bytes()
    return tuple(sorted({name for start in _starts(data) for name in _entries(data, start)}))


def _starts(data: bytes) -> Iterator[int]:
    start = data.find(_MAGIC)
    while start >= 0:
        yield start
        start = data.find(_MAGIC, start + len(_MAGIC))


def _entries(data: bytes, start: int) -> Iterator[str]:
    if start + _HEADER.size > len(data):
        return
    _, _, header, size = _HEADER.unpack_from(data, start)
    at, end = start + header, min(start + header + size, len(data))
    while at + _NUMBER_AT + 4 <= end:
        kind, _, length, payload = _ENTRY.unpack_from(data, at)
        (number,) = struct.unpack_from("<I", data, at + _NUMBER_AT)
        if kind not in _KINDS or length < _NUMBER_AT or not 20 <= number < 1000:
            return
        yield f"{_KINDS[kind]}_{number}"
        at += length + payload
