"""Compare files without numpy: detect .npy files and find differing bytes."""

from __future__ import annotations

from operator import ne

from hipport.verify.model import Comparison, Difference

_NPY_MAGIC = b"\x93NUMPY"


def is_npy(data: bytes) -> bool:
    return data.startswith(_NPY_MAGIC)


def compare_bytes(name: str, original: bytes, port: bytes, why: str) -> Comparison:
    """Compare byte by byte; `why` is added as a note if they differ."""
    if original == port:
        return Comparison(name, "bytes")
    if len(original) != len(port):
        sizes = [f"{len(data):,} bytes" for data in (original, port)]
        return Comparison(name, "bytes", (Difference("size", *sizes),), 1, None, why)
    place = next(place for place, (old, new) in enumerate(zip(original, port, strict=True)) if old != new)
    first = Difference(f"[{place}]", str(original[place]), str(port[place]))
    return Comparison(name, "bytes", (first,), sum(map(ne, original, port)), None, why)
