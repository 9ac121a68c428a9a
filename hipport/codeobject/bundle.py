"""Plain offload bundles, and the search for bundles in the bytes of a section or file.

Source: "Bundled Binary File Layout" in Clang's ClangOffloadBundler documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from hipport.codeobject import compressed
from hipport.codeobject.entry import read_entry
from hipport.codeobject.model import Bundle, Entry
from hipport.codeobject.region import MalformedError, Region

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
_HEADER = len(MAGIC) + 8
_ENTRY_HEADER = 24


def starts_here(region: Region) -> bool:
    """Whether a bundle, plain or compressed, stands at the start of `region`."""
    return region.starts_with(MAGIC) or region.starts_with(compressed.MAGIC)


def read_bundles(region: Region) -> Iterator[Bundle]:
    """Every bundle of `region`: a linked `.hip_fatbin` section holds one per unit, with padding between."""
    offset = _next_bundle(region, 0)
    while offset is not None:
        bundle = _read_bundle(region.sub(offset, region.size - offset, "offload bundle"))
        yield bundle
        offset = _next_bundle(region, offset + bundle.size)


def _next_bundle(region: Region, offset: int) -> int | None:
    found = [region.find(magic, offset) for magic in (MAGIC, compressed.MAGIC)]
    return min((place for place in found if place is not None), default=None)


def _read_bundle(region: Region) -> Bundle:
    if region.starts_with(MAGIC):
        entries = _read_entries(region)
        return Bundle("plain", region.start, _extent(region, entries), entries)
    header = compressed.read_header(region)
    inner = compressed.decompress(region, header)
    if not inner.starts_with(MAGIC):
        raise MalformedError(f"compressed bundle at offset {region.start:#x} does not hold an offload bundle")
    return Bundle(
        "compressed",
        region.start,
        header.size,
        _read_entries(inner),
        compression=header.method,
        version=header.version,
        uncompressed_size=header.uncompressed_size,
    )


def _read_entries(region: Region) -> tuple[Entry, ...]:
    places = list(_entry_table(region))
    _refuse_overlaps([body for _, body in places])
    return tuple(read_entry(text, body) for text, body in places)


def _entry_table(region: Region) -> Iterator[tuple[str, Region]]:
    (count,) = region.unpack("<Q", len(MAGIC), "offload bundle's header")
    if count > region.size // _ENTRY_HEADER:
        raise MalformedError(f"offload bundle at offset {region.start:#x} declares {count} entries")
    position = _HEADER
    for _ in range(count):
        offset, size, id_size = region.unpack("<QQQ", position, "offload bundle's entry")
        text = region.read(position + _ENTRY_HEADER, id_size, "bundle entry ID")
        position += _ENTRY_HEADER + id_size
        yield text.decode("utf-8", "backslashreplace"), region.sub(offset, size, "code object")


def _refuse_overlaps(bodies: list[Region]) -> None:
    """Entries that share bytes are no bundler's work, and would let a small file ask for endless reading."""
    ordered = sorted((body for body in bodies if body.size), key=lambda body: body.start)
    for before, after in pairwise(ordered):
        if before.start + before.size > after.start:
            raise MalformedError(f"code objects at offsets {before.start:#x} and {after.start:#x} overlap")


def _extent(region: Region, entries: tuple[Entry, ...]) -> int:
    """Bytes up to the end of the header and of the last code object."""
    header = _HEADER + sum(_ENTRY_HEADER + len(entry.id.encode()) for entry in entries)
    ends = (entry.offset + entry.size - region.start for entry in entries)
    return min(region.size, max(header, *ends) if entries else header)
