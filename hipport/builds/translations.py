"""The cache of translations in a build folder: a source whose content is unchanged is not translated again.

There is one entry for each source, named after its path, so that the cache does not grow. Builds that share a folder,
as those of a CMake project, find each other's translations of headers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hipport.builds.units import unit_key
from hipport.files import sources
from hipport.files.hashes import digest
from hipport.project.state.memory import Record, pack_record, unpack_record
from hipport.project.translate import Outcome, Source

_LARGEST = 64 << 20
"""Bytes of an entry above which it is not read: no translation is that large."""


@dataclass(frozen=True)
class Translations:
    """The cache in a folder. `key` identifies everything that translations depend on besides the sources.

    `digests` has the digests of the sources that were looked up, by path.
    """

    folder: Path
    key: str
    digests: dict[str, str] = field(default_factory=dict)

    def entry(self, path: str) -> Path:
        """Return the path of the entry for a source."""
        return self.folder / unit_key(path)

    def recall(self, source: Source) -> Outcome | None:
        """Return the translation of a source if its content is as it was, with what it knew about other files."""
        try:
            self.digests[source.path] = digest(sources.read(source.path))
            with sources.open_regular(str(self.entry(source.path))) as file:
                key, packed, data = _unpacked(file.read(_LARGEST))
            record, data = unpack_record(source.path, packed), _bytes(data)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, IndexError):
            return None  # there is none, or it is damaged
        if (key, record.input) != (self.key, self.digests[source.path]):
            return None
        return Outcome(
            data,
            record.outcome.diagnostics,
            record.outcome.seen,
            support=record.outcome.support,
            foreign=record.outcome.foreign,
            unknown=record.outcome.unknown,
            recalled=True,
        )

    def fresh(self, outcomes: dict[str, Outcome]) -> Iterator[tuple[Path, bytes]]:
        """Yield the entries to write: path and content."""
        import msgpack

        for path, outcome in outcomes.items():
            lasting = not any(found.code == "HP905" for found in outcome.diagnostics)
            if path in self.digests and not outcome.recalled and not outcome.failed and lasting:
                packed = pack_record(Record(self.digests[path], "", {}, outcome))
                yield self.entry(path), msgpack.packb([self.key, packed, outcome.data])


def _unpacked(data: bytes) -> list[Any]:
    import msgpack

    found: list[Any] = msgpack.unpackb(data)
    return found


def _bytes(data: Any) -> bytes | None:
    if data is not None and not isinstance(data, bytes):
        raise TypeError("no bytes")
    return data
