"""LLVM offload binaries: how the newer driver (`--offload-new-driver`) stores device code in host objects.

Source: `llvm/Object/OffloadBinary.h`. The section `.llvm.offloading` holds several in sequence, each with one image
and a map of strings (`triple`, `arch`).
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport.codeobject.elf import align
from hipport.codeobject.entry import read_entry
from hipport.codeobject.model import Bundle
from hipport.codeobject.region import MalformedError, Region

MAGIC = b"\x10\xff\x10\xad"
_KINDS = {1: "openmp", 2: "cuda", 3: "hip", 4: "hip", 8: "sycl"}  # HIP is 3 up to LLVM 19, then one bit per kind
_MAX_STRINGS = 64


def read_offload_binaries(region: Region) -> Iterator[Bundle]:
    """Yield each offload binary in a section as a bundle."""
    offset = 0
    while region.starts_with(MAGIC, offset):
        version, size = region.unpack("<IQ", offset + 4, "offload binary's header")
        if version != 1:
            raise MalformedError(f"LLVM offload binary of version {version}", hint="Version 1 is supported.")
        yield _read_one(region.sub(offset, size, "offload binary"))
        offset += max(8, align(size, 8))


def _read_one(region: Region) -> Bundle:
    (at,) = region.unpack("<Q", 16, "offload binary's header")
    _, kind, _, strings_at, count, image_at, image_size = region.unpack("<HHIQQQQ", at, "offload binary's entry")
    strings = dict(_strings(region, strings_at, count))
    text = f"{_KINDS.get(kind, str(kind))}-{strings.get('triple', '')}--{strings.get('arch', '')}"
    entry = read_entry(text, region.sub(image_at, image_size, "offload binary's image"))
    return Bundle("offload binary", region.start, region.size, (entry,))


def _strings(region: Region, offset: int, count: int) -> Iterator[tuple[str, str]]:
    if count > _MAX_STRINGS:
        raise MalformedError(f"offload binary declares {count} strings")
    for index in range(count):
        key, value = region.unpack("<QQ", offset + 16 * index, "offload binary's strings")
        yield _string(region, key), _string(region, value)


def _string(region: Region, offset: int) -> str:
    end = region.find(b"\0", offset) if 0 <= offset < region.size else None
    if end is None:
        raise MalformedError("offload binary's string is not terminated")
    return region.read(offset, end - offset, "offload binary's string").decode("utf-8", "backslashreplace")
