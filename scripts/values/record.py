"""CUDA's results as recorded: words of every function's results, in the order of the functions and their inputs."""

from __future__ import annotations

import lzma
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.values import recorder
from scripts.values.signatures import Signature, read

Numbers = tuple[int, ...]
"""The numbers that make up a function's results: two for a pair, one for each output."""


@dataclass(frozen=True, slots=True)
class Record:
    """The functions, and for each of them the results at each of its inputs."""

    signatures: tuple[Signature, ...]
    results: tuple[tuple[Numbers, ...], ...]


def load(folder: Path) -> Record:
    """Read `signatures.txt` and `cuda.bin.xz` of a folder."""
    signatures = read(folder / "signatures.txt")
    data = lzma.decompress((folder / "cuda.bin.xz").read_bytes())
    return Record(signatures, tuple(parse(data, signatures)))


def parse(data: bytes, signatures: Sequence[Signature]) -> Iterator[tuple[Numbers, ...]]:
    """Yield the results of each function from what the recording program wrote; ValueError if it wrote other ones."""
    head, _, rest = data.partition(b"\n")
    if head.decode() != recorder.digest(signatures):
        raise ValueError("recorded for other functions or inputs: run python -m scripts.values again")
    at = 0
    for one in signatures:
        size, count = 8 * recorder.size(one), recorder.points(one)
        yield tuple(_numbers(one, rest[at + size * place : at + size * (place + 1)]) for place in range(count))
        at += size * count
    if at != len(rest):
        raise ValueError(f"{len(rest)} bytes of results instead of {at}")


def _numbers(signature: Signature, data: bytes) -> Numbers:
    return numbers(signature, struct.unpack(f"<{len(data) // 8}Q", data))


def numbers(signature: Signature, words: Sequence[int]) -> Numbers:
    """Split the words of all results of a function into numbers."""
    found, at = list[int](), 0
    for kind in signature.results:
        found += kind.numbers(tuple(words[at : at + kind.words]))
        at += kind.words
    return tuple(found)
