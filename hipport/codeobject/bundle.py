"""Plain offload bundles, and the search for bundles in the bytes of a section or file.

Source: "Bundled Binary File Layout" in Clang's ClangOffloadBundler documentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from hipport.codeobject import compressed
from hipport.codeobject.entry import read_entry
from hipport.codeobject.model import Bundle, BundleEntry
from hipport.codeobject.region import MalformedError, Region

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
_ANY_MAGIC = re.compile(re.escape(MAGIC) + b"|" + re.escape(compressed.MAGIC))
_HEADER = len(MAGIC) + 8
_ENTRY_HEADER = 24


def starts_here(region: Region) -> bool:
    """Return whether `region` starts with a bundle, plain or compressed."""
    return region.starts_with(MAGIC) or region.starts_with(compressed.MAGIC)


def read_bundles(region: Region) -> Iterator[Bundle]:
    """Yield all bundles in `region`: a linked `.hip_fatbin` section holds one per unit, with padding between them."""
    offset = _next_bundle(region, 0)
    while offset is not None:
        bundle = _read_bundle(region.sub(offset, region.size - offset, "offload bundle"))
        yield bundle
        offset = _next_bundle(region, offset + bundle.size)


def _next_bundle(region: Region, offset: int) -> int | None:
    return region.search(_ANY_MAGIC, offset)


def _read_bundle(region: Region) -> Bundle:
    if region.starts_with(MAGIC):
        entries, size = _read_entries(region)
        return Bundle("plain", region.start, size, entries)
    header = compressed.read_header(region)
    inner = compressed.decompress(region, header)
    if not inner.starts_with(MAGIC):
        raise MalformedError(f"compressed bundle at offset {region.start:#x} does not hold an offload bundle")
    return Bundle(
        "compressed",
        region.start,
        header.size,
        _read_entries(inner)[0],
        compression=header.method,
        version=header.version,
        uncompressed_size=header.uncompressed_size,
    )


def _read_entries(region: Region) -> tuple[tuple[BundleEntry, ...], int]:
    """Return the entries and the size of the bundle: up to the end of its header and of the last code object."""
    (count,) = region.unpack("<Q", len(MAGIC), "offload bundle's header")
    if count > region.size // _ENTRY_HEADER:
        raise MalformedError(f"offload bundle at offset {region.start:#x} declares {count} entries")
    places, position = [], _HEADER
    for _ in range(count):
        offset, size, id_size = region.unpack("<QQQ", position, "offload bundle's entry")
        text = region.read(position + _ENTRY_HEADER, id_size, "bundle entry ID").decode("utf-8", "backslashreplace")
        places.append((text, region.sub(offset, size, "code object")))
        position += _ENTRY_HEADER + id_size
    bodies = [body for _, body in places]
    _refuse_overlaps(bodies)
    end = max((body.start + body.size - region.start for body in bodies), default=0)
    return tuple(read_entry(text, body) for text, body in places), max(position, end)


def _refuse_overlaps(bodies: list[Region]) -> None:
    """Raise `MalformedError` for overlapping entries.

    No bundler writes them, and they would let a small file cause unlimited reading.
    """
    ordered = sorted((body for body in bodies if body.size), key=lambda body: body.start)
    for before, after in pairwise(ordered):
        if before.start + before.size > after.start:
            raise MalformedError(f"code objects at offsets {before.start:#x} and {after.start:#x} overlap")
