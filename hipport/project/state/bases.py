"""Store earlier contents of output files for merges: one text file per first digit of a digest, one line per content.

This writes few files, and version control stores only the new lines of sorted ones.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Collection, Iterable

import zstandard

from hipport.files.hashes import digest
from hipport.files.sources import read
from hipport.project.content import Bytes
from hipport.project.output import Output

LARGEST = 4 << 20
"""Maximum bytes of a text to keep for merges; anything larger is considered data."""

_DIGITS = "0123456789abcdef"
_LEVEL = 1  # for zstd: speed matters more than a few percent of space


class Bases:
    """The contents stored in the folder `place` of an output. Writing raises OSError."""

    def __init__(self, tree: str, output: Output, place: str) -> None:
        self._tree = tree
        self._output = output
        self._place = place

    def add(self, contents: Iterable[tuple[str, bytes]]) -> None:
        """Store contents with their digests; only text, since nothing else can be merged."""
        compress = zstandard.ZstdCompressor(level=_LEVEL).compress
        fresh: dict[str, dict[bytes, bytes]] = {}
        for name, data in contents:
            lines = fresh.setdefault(name[0], {})
            if name.encode() not in lines and len(data) <= LARGEST and b"\0" not in data:
                lines[name.encode()] = base64.b64encode(compress(data))
        for digit, lines in fresh.items():
            known = self._read(digit)
            if not lines.keys() <= known.keys():
                self._write(digit, lines | known)

    def get(self, wanted: str) -> bytes | None:
        """Return the content with that digest; None if it was not stored or is damaged."""
        text = self._read(wanted[0]).get(wanted.encode(), b"")
        try:
            data = zstandard.ZstdDecompressor().stream_reader(base64.b64decode(text)).read(LARGEST)
        except (binascii.Error, zstandard.ZstdError):
            return None
        return data if digest(data) == wanted else None

    def keep_only(self, needed: Collection[str]) -> None:
        """Drop all contents whose digests are not needed."""
        for digit in _DIGITS:
            known = self._read(digit)
            kept = {name: line for name, line in known.items() if name.decode("ascii", "replace") in needed}
            if known and not kept:
                self._output.remove(self._name(digit))
            elif kept != known:
                self._write(digit, kept)

    def _name(self, digit: str) -> str:
        return f"{self._place}/{digit}"

    def _read(self, digit: str) -> dict[bytes, bytes]:
        try:
            data = read(os.path.join(self._tree, self._name(digit)))
        except OSError:
            return {}
        return {name: line for name, _, line in (line.partition(b" ") for line in data.splitlines())}

    def _write(self, digit: str, lines: dict[bytes, bytes]) -> None:
        data = b"".join(b"%s %s\n" % (name, lines[name]) for name in sorted(lines))
        self._output.write(self._name(digit), Bytes(data), 0o644)
