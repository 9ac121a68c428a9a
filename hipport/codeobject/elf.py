"""Read the parts of an ELF file needed for inspection, using pyelftools for the layouts.

pyelftools' section and string classes trust the file: a section that links to itself, a table with entries of size 0
or an unterminated string make them loop for a very long time. So the tables are walked here, within the file and
reading no byte twice, and pyelftools parses the headers.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hipport.codeobject.region import MalformedError, Region, open_stream

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

MAGIC = b"\x7fELF"
EM_AMDGPU = 224
OSABI_AMDGPU_HSA = 64
_MACHINE_OFFSET = 18
_SECTION_HEADER_SIZE = 64
_SYMBOL = struct.Struct("<IBBHQQ")  # Elf64_Sym; pyelftools takes 30 µs per symbol, and there may be very many
_LONGEST_NAME = 1 << 16
_STT_OBJECT, _STT_FUNC = 1, 2


@dataclass(frozen=True, slots=True)
class Section:
    """One section; `region` is None if it has no bytes in the file (.bss)."""

    name: str
    kind: str
    address: int
    link: int
    region: Region | None


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol from the linker's symbol table, or from the dynamic one if that is stripped."""

    name: str
    kind: int
    is_defined: bool
    size: int

    @property
    def is_object(self) -> bool:
        """True if it is a variable defined in this file."""
        return self.is_defined and self.kind == _STT_OBJECT

    @property
    def is_function(self) -> bool:
        """True if it is a function defined in this file."""
        return self.is_defined and self.kind == _STT_FUNC


@dataclass(frozen=True, slots=True)
class Elf:
    """The header fields used here, the sections in file order and, on request, the kernel descriptors."""

    kind: str
    os_abi: int
    abi_version: int
    flags: int
    sections: tuple[Section, ...]

    def symbols(self) -> Iterator[Symbol]:
        """Yield all named symbols; dynamic ones only if there is no other table."""
        kinds = {section.kind for section in self.sections}
        wanted = "SHT_SYMTAB" if "SHT_SYMTAB" in kinds else "SHT_DYNSYM"
        for table in self.sections:
            if table.kind == wanted:
                yield from self._symbols(table)

    def _symbols(self, table: Section) -> Iterator[Symbol]:
        for name_at, info, _, home, _, size in self._records(table):
            strings = self.sections[table.link].region
            if name_at and strings is not None:
                yield Symbol(_string(strings, name_at), info & 0xF, home != 0, size)

    def _records(self, table: Section) -> Iterator[tuple[int, ...]]:
        """Yield the Elf64_Sym fields of each symbol in a table with names."""
        if table.region is None or table.link >= len(self.sections) or self.sections[table.link].region is None:
            return
        whole = table.region.size // _SYMBOL.size * _SYMBOL.size
        yield from _SYMBOL.iter_unpack(table.region.read(0, whole, "symbol table"))

    def kernel_descriptors(self) -> dict[str, tuple[Region, int]]:
        """Map each symbol `<kernel>.kd` to its section and its offset there."""
        tables = [table for table in self.sections if table.kind in ("SHT_SYMTAB", "SHT_DYNSYM")]
        return {name: place for table in tables for name, place in self._descriptors(table)}

    def _descriptors(self, table: Section) -> Iterator[tuple[str, tuple[Region, int]]]:
        for name_at, _, _, home, value, _ in self._records(table):
            strings, owner = (
                self.sections[table.link].region,
                self.sections[home] if home < len(self.sections) else None,
            )
            if strings is None or owner is None or owner.region is None:
                continue
            if (name := _string(strings, name_at)).endswith(".kd"):
                yield name, (owner.region, value - owner.address)


def is_amdgpu(region: Region) -> bool:
    return region.starts_with(MAGIC) and region.unpack("<H", _MACHINE_OFFSET, "ELF header") == (EM_AMDGPU,)


def read_elf(region: Region) -> Elf:
    """Parse the ELF file that fills `region`."""
    from elftools.elf.elffile import ELFFile

    if region.read(4, 2, "ELF identification") != b"\x02\x01":
        raise MalformedError("a 32-bit or big-endian ELF file", hint="HIP programs are 64-bit and little-endian.")
    with _guarded():
        file = ELFFile(open_stream(region))
        return Elf(
            kind=file.header["e_type"],
            os_abi=region.read(7, 1, "ELF identification")[0],
            abi_version=file.header["e_ident"]["EI_ABIVERSION"],
            flags=file.header["e_flags"],
            sections=_sections(file, region),
        )


def _sections(file: ELFFile, region: Region) -> tuple[Section, ...]:
    count = file.num_sections()
    if count and file["e_shentsize"] != _SECTION_HEADER_SIZE:
        raise MalformedError(f"ELF section headers of {file['e_shentsize']} bytes")
    table = region.sub(file["e_shoff"], count * _SECTION_HEADER_SIZE, "ELF section table")
    headers = list(_headers(file, table))
    bodies = [_body(header, region) for header in headers]
    if sum(body.size for body in bodies if body is not None) > region.size:
        raise MalformedError("ELF sections overlap")
    strings = bodies[file.get_shstrndx()] if headers else None
    return tuple(
        Section(
            name=_string(strings, header["sh_name"]) if strings is not None else "",
            kind=header["sh_type"],
            address=header["sh_addr"],
            link=header["sh_link"],
            region=body,
        )
        for header, body in zip(headers, bodies, strict=True)
    )


def _body(header: Any, region: Region) -> Region | None:
    if header["sh_type"] in ("SHT_NOBITS", "SHT_NULL"):
        return None
    return region.sub(header["sh_offset"], header["sh_size"], "ELF section")


def _headers(file: ELFFile, table: Region) -> Iterator[Any]:
    from elftools.common.utils import struct_parse

    stream = open_stream(table)
    for offset in range(0, table.size, _SECTION_HEADER_SIZE):
        yield struct_parse(file.structs.Elf_Shdr, stream, offset)


def _string(strings: Region, offset: int) -> str:
    end = strings.find(b"\0", offset, _LONGEST_NAME)
    if end is None:
        raise MalformedError("a name in the ELF file is not terminated")
    return strings.read(offset, end - offset, "ELF string").decode("utf-8", "backslashreplace")


@contextlib.contextmanager
def _guarded() -> Iterator[None]:
    """Turn any exception of pyelftools on a broken file into a `MalformedError`."""
    try:
        yield
    except MalformedError:
        raise
    except Exception as error:  # its exceptions on broken input have no common base class
        raise MalformedError(f"broken ELF file: {error or type(error).__name__}") from error


def align(value: int, to: int) -> int:
    """Round `value` up to a multiple of `to`."""
    return -(-value // to) * to


def notes(section: Section) -> Iterator[tuple[bytes, int, Region]]:
    """Yield the name, type and content of each note in a note section (all fields padded to 4 bytes)."""
    region, offset = section.region, 0
    while region is not None and offset + 12 <= region.size:
        name_size, size, kind = region.unpack("<III", offset, "ELF note")
        name = region.read(offset + 12, name_size, "ELF note's name").rstrip(b"\0")
        start = offset + 12 + align(name_size, 4)
        yield name, kind, region.sub(start, size, "ELF note's content")
        offset = start + align(size, 4)
