"""Compare what a translated program printed with what its original printed twice."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import zip_longest

from scripts.corpus_programs import Result

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|nan|inf)(?![\w.])", re.IGNORECASE)
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}", re.IGNORECASE)
_MEASURED = re.compile(
    r"\btimes?\b|timing|\bsec\b|seconds?\b|\b[mun]?s\b|\d[mun]?s\b|elapsed|\btook\b|\bcosts?\b|cycles|clock|speed|faster"
    r"|[GMK]i?B(?:/s|ps)\b|flop|bandwidth|throughput|occupancy|latency|duration",
    re.IGNORECASE,
)
_PATH = re.compile(r"\S*/\S*/\S*")
_DEVICE = re.compile(r"nvidia \w+|gfx\w+ emulated by hipport")
_HIP = re.compile(r"hip", re.IGNORECASE)
_TOLERANCE = 1e-4
_SHOWN = 3
_NO_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:nan|inf)(?![\w.])")
"""Matches what is no number, in plain text; it counts wherever it is."""


def _plain(line: str) -> str:
    """Return a line without what depends on the machine: paths, the GPU's name, addresses."""
    text = " ".join(_PATH.sub("/", line.lower()).split())
    return _HIP.sub("cuda", _ADDRESS.sub("@", _DEVICE.sub("gpu", text)))


def _near(expected: str, found: str) -> bool:
    a, b = float(expected), float(found)
    return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=_TOLERANCE, abs_tol=1e-6)


def same_line(expected: str, again: str, found: str) -> bool:
    """Return whether a line is the original's, except for numbers that are measured or change from run to run."""
    expected, again, found = _plain(expected), _plain(again), _plain(found)
    if expected == found:
        return True
    if _NO_NUMBER.findall(expected) != _NO_NUMBER.findall(found):
        return False
    if _NUMBER.sub("#", expected) != _NUMBER.sub("#", found):
        return bool(_MEASURED.search(expected)) and bool(_MEASURED.search(found))
    if _MEASURED.search(expected):
        return True
    triples = zip_longest(*(_NUMBER.findall(line) for line in (expected, again, found)), fillvalue="0")
    return all(_near(first, third) or not _near(first, second) for first, second, third in triples)


def compared(name: str, expected: str, again: str, found: str) -> Result:
    """Judge what a port printed by what its original printed in two runs; show the first lines that differ."""
    pairs = differing(expected, again, found)
    shown = " | ".join(f"{a.strip()[:100]} <> {b.strip()[:100]}" for a, b in pairs[:_SHOWN])
    return Result(name, "differs" if pairs else "equal", shown)


def differing(expected: str, again: str, found: str) -> Sequence[tuple[str, str]]:
    """Return the pairs of lines, the original's and the translation's, that differ; their order does not count."""
    lines, others, own = ([line for line in text.splitlines() if line.strip()] for text in (expected, again, found))
    if sorted(map(_plain, lines)) == sorted(map(_plain, own)):
        return []
    if len(lines) != len(others):
        others = lines
    return [
        (first, third)
        for first, second, third in zip_longest(lines, others, own, fillvalue="")
        if not same_line(first, second, third)
    ]
