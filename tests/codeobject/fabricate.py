"""Code objects and bundles built from their specifications, so that most tests need no compiler."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgpack
import zstandard

HOST_ID = "host-x86_64-unknown-linux-gnu-"
GFX90A, GFX1100 = 0x3F, 0x41

KERNEL: Mapping[str, Any] = {
    ".name": "_Z4axpyPfS_f",
    ".symbol": "_Z4axpyPfS_f.kd",
    ".vgpr_count": 40,
    ".agpr_count": 8,
    ".sgpr_count": 24,
    ".vgpr_spill_count": 1,
    ".sgpr_spill_count": 2,
    ".group_segment_fixed_size": 8192,
    ".private_segment_fixed_size": 16,
    ".wavefront_size": 64,
    ".max_flat_workgroup_size": 256,
    ".kernarg_segment_size": 20,
}


def device_id(target: str) -> str:
    return f"hipv4-amdgcn-amd-amdhsa--{target}"


def align(value: int, to: int) -> int:
    return -(-value // to) * to


def note(content: bytes, name: bytes = b"AMDGPU\0", kind: int = 32) -> bytes:
    header = struct.pack("<III", len(name), len(content), kind)
    return header + name.ljust(align(len(name), 4), b"\0") + content.ljust(align(len(content), 4), b"\0")


def metadata(kernels: Sequence[Mapping[str, Any]]) -> bytes:
    return note(msgpack.packb({"amdhsa.version": [1, 2], "amdhsa.kernels": list(kernels)}))


def code_object(
    kernels: Sequence[Mapping[str, Any]] = (KERNEL,),
    mach: int = GFX90A,
    features: int = 0x500,
    abi_version: int = 3,
    notes: bytes | None = None,
    descriptor: bytes = bytes(64),
) -> bytes:
    """A code object with its metadata note and one kernel descriptor per kernel (all `descriptor`)."""
    names = [str(kernel.get(".symbol", "")) for kernel in kernels]
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in names)
    offsets = [1 + sum(len(name) + 1 for name in names[:index]) for index in range(len(names))]
    symbols = bytes(24) + b"".join(
        struct.pack("<IBBHQQ", offset, 0x11, 0, 2, 0x1000 + 64 * index, 64) for index, offset in enumerate(offsets)
    )
    sections = [
        (".note", 7, 0, 0, metadata(kernels) if notes is None else notes),
        (".rodata", 1, 0x1000, 0, descriptor * len(names)),
        (".symtab", 2, 0, 4, symbols),
        (".strtab", 3, 0, 0, strings),
    ]
    return elf(sections, machine=224, flags=mach | features, ident=bytes((64, abi_version)))


def elf(
    sections: Sequence[tuple[str, int, int, int, bytes]],
    machine: int = 62,
    flags: int = 0,
    ident: bytes = b"\0\0",
    kind: int = 3,
) -> bytes:
    """A 64-bit ELF file of sections (name, type, address, link, content) and their name table."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name, *_ in sections) + b".shstrtab\0"
    everything = [*sections, (".shstrtab", 3, 0, 0, names)]
    body, table, name_offset = bytearray(), bytearray(64), 1
    for name, section_kind, address, link, content in everything:
        start = 64 + len(body)
        entry_size = 24 if section_kind == 2 else 0
        fields = (name_offset, section_kind, 0, address, start, len(content), link, 0, 1, entry_size)
        table += struct.pack("<IIQQQQIIQQ", *fields)
        body += content
        name_offset += len(name) + 1
    head = b"\x7fELF\x02\x01\x01" + ident.ljust(9, b"\0")
    head += struct.pack(
        "<HHIQQQIHHHHHH",
        kind,
        machine,
        1,
        0,
        0,
        64 + len(body),
        flags,
        64,
        0,
        0,
        64,
        len(everything) + 1,
        len(everything),
    )
    return bytes(head + body + table)


def bundle_header(sizes: Sequence[tuple[str, int]], alignment: int = 8) -> bytes:
    """Return the header of a plain offload bundle; the contents, of these sizes, follow it aligned."""
    start = offset = align(32 + sum(24 + len(text) for text, _ in sizes), alignment)
    header = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(sizes))
    for text, size in sizes:
        header += struct.pack("<QQQ", offset, size, len(text)) + text.encode()
        offset += align(size, alignment)
    return header.ljust(start, b"\0")


def bundle(entries: Sequence[tuple[str, bytes]], alignment: int = 8) -> bytes:
    """A plain offload bundle."""
    body = b"".join(content.ljust(align(len(content), alignment), b"\0") for _, content in entries)
    return bundle_header([(text, len(content)) for text, content in entries], alignment) + body


def offload_binary(target: str, image: bytes) -> bytes:
    """A host object with one LLVM offload binary of version 1 (kind 3: HIP)."""
    strings = b"triple\0amdgcn-amd-amdhsa\0arch\0" + target.encode() + b"\0"
    text = 32 + 40 + 32
    places = struct.pack("<QQQQ", text, text + 7, text + 25, text + 30)
    image_at = align(text + len(strings), 8)
    size = align(image_at + len(image), 8)
    header = struct.pack("<4sIQQQ", b"\x10\xff\x10\xad", 1, size, 32, 40)
    entry = struct.pack("<HHIQQQQ", 1, 3, 0, 72, 2, image_at, len(image))
    content = ((header + entry + places + strings).ljust(image_at, b"\0") + image).ljust(size, b"\0")
    return elf([(".llvm.offloading", 1, 0, 0, content)], kind=1)


def two_targets() -> bytes:
    """A bundle of an empty host entry, gfx90a and gfx1100."""
    wave32 = {**KERNEL, ".wavefront_size": 32}
    return bundle(
        [
            (HOST_ID, b""),
            (device_id("gfx90a"), code_object()),
            (device_id("gfx1100"), code_object([wave32], mach=GFX1100, features=0)),
        ]
    )


def compress(content: bytes, version: int, method: str, **lies: int) -> bytes:
    """Compress a bundle; `lies` override the header's `size`, `uncompressed` or `digest`."""
    payload = zlib.compress(content) if method == "zlib" else zstandard.ZstdCompressor().compress(content)
    layout = {1: "<4sHHIQ", 2: "<4sHHIIQ", 3: "<4sHHQQQ"}[version]
    size = lies.get("size", struct.calcsize(layout) + len(payload))
    digest = lies.get("digest", int.from_bytes(hashlib.md5(content).digest()[:8], "little"))
    fields = [lies.get("uncompressed", len(content)), digest]
    return (
        struct.pack(layout, b"CCOB", version, int(method == "zstd"), *([size] if version > 1 else []), *fields)
        + payload
    )


def member(name: bytes, content: bytes) -> bytes:
    """Return an archive member with the given name field."""
    header = (
        name.ljust(16)
        + b"0".ljust(12)
        + b"0".ljust(6) * 2
        + b"644".ljust(8)
        + str(len(content)).encode().ljust(10)
        + b"`\n"
    )
    return header + content + b"\n" * (len(content) % 2)


FUNCTION, OBJECT = 2, 1
Symbols = Sequence[tuple[str, int, bool, int]]


def host(symbols: Symbols, fat_binaries: bytes, *, kind: int = 3, table: int = 2) -> bytes:
    """Return a host ELF file with fat binaries and a symbol table of type `table`: (name, kind, is defined, size)."""
    strings, entries = b"\0", bytes(24)
    for name, symbol_kind, defined, size in symbols:
        entries += struct.pack("<IBBHQQ", len(strings), 0x10 | symbol_kind, 0, int(defined), 0, size)
        strings += name.encode() + b"\0"
    sections = [
        (".text", 1, 0, 0, b"\xc3"),
        (".hip_fatbin", 1, 0, 0, fat_binaries),
        (".symtab", table, 0, 4, entries),
        (".strtab", 3, 0, 0, strings),
    ]
    return elf(sections, kind=kind)


def registering(*kernels: tuple[str, str], constructors: int = 1) -> Symbols:
    """Return the symbols of host code that registers kernels: the handle and the launching function of each."""
    return [
        ("__hipRegisterFunction", 0, False, 0),
        *((f"__hip_module_ctor{number or ''}", FUNCTION, True, 16) for number in range(constructors)),
        *((handle, OBJECT, True, 8) for handle, _ in kernels),
        *((stub, FUNCTION, True, 64) for _, stub in kernels),
    ]


def fat_binary(**kernels: Sequence[str]) -> bytes:
    """Return a bundle with a code object of these kernels for each target, padded as in a section."""
    records = {
        t: [{**KERNEL, ".name": name, ".symbol": f"{name}.kd"} for name in names] for t, names in kernels.items()
    }
    machines = {"gfx90a": (GFX90A, 0x500), "gfx1100": (GFX1100, 0)}
    entries = [
        (device_id(target), code_object(records[target], mach=machines[target][0], features=machines[target][1]))
        for target in records
    ]
    return bundle([(HOST_ID, b""), *entries], alignment=64)
