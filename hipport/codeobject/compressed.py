"""Compressed offload bundles (`CCOB`), versions 1 to 3.

Source: "Compression and Decompression" in Clang's ClangOffloadBundler documentation. The magic is followed by version
and method (16 bits each), then, depending on the version: the size of the whole bundle (from version 2), the
uncompressed size (both 32 bits, 64 in version 3), and the first 8 bytes of the MD5 of the uncompressed bundle.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from hipport.codeobject.region import MalformedError, Region, open_stream

MAGIC = b"CCOB"
_METHODS = {0: "zlib", 1: "zstd"}  # llvm::compression::Format
_LAYOUTS = {1: "<IQ", 2: "<IIQ", 3: "<QQQ"}
_COMMON = 8
_CHUNK = 1 << 20
_ZSTD_CHUNK = 1 << 10  # a chunk is decompressed at once, to up to 32768 times its size

MAX_UNCOMPRESSED = 4 << 30
"""The maximum size in a version 2 header. A bundle is held in memory, so version 3 gets the same limit."""


@dataclass(frozen=True, slots=True)
class Header:
    """The header; `size` includes it.

    Version 1 does not store a size: the bundle ends at the next one or at the end.
    """

    version: int
    method: str
    size: int
    payload: int
    uncompressed_size: int
    hash: int


def read_header(region: Region) -> Header:
    """Read the header at the start of `region` and check its sizes."""
    version, method = region.unpack("<HH", len(MAGIC), "compressed bundle's header")
    if version not in _LAYOUTS:
        raise MalformedError(f"compressed bundle of version {version}; versions 1, 2 and 3 are supported")
    if method not in _METHODS:
        raise MalformedError(f"compressed bundle with method {method}; 0 (zlib) and 1 (zstd) are supported")
    layout = _LAYOUTS[version]
    *sizes, uncompressed, digest = region.unpack(layout, _COMMON, "compressed bundle's header")
    payload = _COMMON + struct.calcsize(layout)
    size = sizes[0] if sizes else region.find(MAGIC, payload) or region.size
    if not payload <= size <= region.size:
        raise MalformedError(f"compressed bundle at offset {region.start:#x} declares a size of {size} bytes")
    if uncompressed > MAX_UNCOMPRESSED:
        raise MalformedError(
            f"compressed bundle declares {uncompressed} bytes uncompressed; the limit is {MAX_UNCOMPRESSED}"
        )
    return Header(version, _METHODS[method], size, payload, uncompressed, digest)


def decompress(region: Region, header: Header) -> Region:
    """Return the content of the bundle.

    Never expands to more than the header declares, whatever the compressed data.
    """
    payload = region.sub(header.payload, header.size - header.payload, "compressed bundle")
    chunks = _zstd(payload) if header.method == "zstd" else _zlib(payload)
    data = bytearray()
    for chunk in chunks:
        data += chunk
        if len(data) > header.uncompressed_size:
            raise MalformedError(f"compressed bundle holds more than the {header.uncompressed_size} bytes it declares")
    if len(data) != header.uncompressed_size:
        raise MalformedError(f"compressed bundle holds {len(data)} bytes, declares {header.uncompressed_size}")
    if _digest(data) != header.hash:
        raise MalformedError("compressed bundle's contents do not match their hash")
    return Region(data, 0, len(data))


def _digest(data: bytearray) -> int:
    return int.from_bytes(hashlib.md5(data, usedforsecurity=False).digest()[:8], "little")


def _zstd(payload: Region) -> Iterator[bytes]:
    import zstandard

    # zstandard's stream reader would treat padding after the frame as another frame.
    stream, engine = open_stream(payload), zstandard.ZstdDecompressor().decompressobj()
    try:
        while not engine.eof and (chunk := stream.read(_ZSTD_CHUNK)):
            yield engine.decompress(chunk)
    except zstandard.ZstdError as error:
        raise MalformedError(f"compressed bundle is not valid zstd: {error}") from error


def _zlib(payload: Region) -> Iterator[bytes]:
    stream, engine = open_stream(payload), zlib.decompressobj()
    try:
        while not engine.eof:
            pending = engine.unconsumed_tail or stream.read(_CHUNK)
            chunk = engine.decompress(pending, _CHUNK)
            if not chunk and not pending:
                return
            yield chunk
    except zlib.error as error:
        raise MalformedError(f"compressed bundle is not valid zlib: {error}") from error
