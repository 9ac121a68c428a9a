"""The parts of an ELF file that inspecting needs, read with pyelftools.

pyelftools trusts its input in places: a lying header makes it raise anything from `ELFError` to `AttributeError`, and
a table with entries of no size makes it go round for ever. `_guarded` turns the first into `MalformedError`, the
checks before each table prevent the second.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hipport.codeobject.region import MalformedError, Region, open_stream

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

MAGIC = b"\x7fELF"
EM_AMDGPU = 224
OSABI_AMDGPU_HSA = 64
_SECTION_HEADER_SIZE = 64
_SYMBOL_SIZE = 24


@dataclass(frozen=True, slots=True)
class Section:
    """One section; `region` is None for one without bytes in the file (.bss) or outside it."""

    name: str
    kind: str
    address: int
    region: Region | None


@dataclass(frozen=True, slots=True)
class Elf:
    """The header fields used here, the sections in file order and, on request, the symbols."""

    kind: str
    machine: int
    os_abi: int
    abi_version: int
    flags: int
    has_interpreter: bool
    sections: tuple[Section, ...]
    _file: ELFFile

    def kernel_descriptors(self) -> dict[str, tuple[Section, int]]:
        """Section and offset in it of each symbol named `<kernel>.kd`."""
        with _guarded():
            return dict(self._descriptors())

    def _descriptors(self) -> Iterator[tuple[str, tuple[Section, int]]]:
        from elftools.elf.sections import SymbolTableSection

        for index, section in enumerate(self.sections):
            if section.kind not in ("SHT_SYMTAB", "SHT_DYNSYM") or section.region is None:
                continue
            table = self._file.get_section(index)
            if not isinstance(table, SymbolTableSection) or table["sh_entsize"] != _SYMBOL_SIZE:
                raise MalformedError(f"broken symbol table {section.name}")
            for symbol in table.iter_symbols():
                home = symbol["st_shndx"]
                if symbol.name.endswith(".kd") and isinstance(home, int) and home < len(self.sections):
                    owner = self.sections[home]
                    yield symbol.name, (owner, symbol["st_value"] - owner.address)


def read_elf(region: Region) -> Elf:
    """The ELF file that fills `region`."""
    from elftools.elf.elffile import ELFFile

    if region.read(4, 2, "ELF identification") != b"\x02\x01":
        raise MalformedError("a 32-bit or big-endian ELF file; HIP programs and code objects are 64-bit little-endian")
    with _guarded():
        file = ELFFile(open_stream(region))
        _check_section_table(file, region)
        header = file.header
        return Elf(
            kind=header["e_type"],
            machine=_machine(region),
            os_abi=region.read(7, 1, "ELF identification")[0],
            abi_version=header["e_ident"]["EI_ABIVERSION"],
            flags=header["e_flags"],
            has_interpreter=file.get_section_by_name(".interp") is not None,
            sections=tuple(_sections(file, region)),
            _file=file,
        )


def _machine(region: Region) -> int:
    return region.unpack("<H", 18, "ELF header")[0]


def _check_section_table(file: ELFFile, region: Region) -> None:
    """Refuse a section table that does not lie in the file, before its length is believed."""
    count, entry_size = file.num_sections(), file["e_shentsize"]
    if count and entry_size != _SECTION_HEADER_SIZE:
        raise MalformedError(f"ELF section headers of {entry_size} bytes")
    region.sub(file["e_shoff"], count * _SECTION_HEADER_SIZE, "ELF section table")


def _sections(file: ELFFile, region: Region) -> Iterator[Section]:
    for section in file.iter_sections():
        offset, size = section["sh_offset"], section["sh_size"]
        inside = section["sh_type"] != "SHT_NOBITS" and offset + size <= region.size
        body = region.sub(offset, size, f"section {section.name}") if inside else None
        yield Section(section.name, section["sh_type"], section["sh_addr"], body)


@contextlib.contextmanager
def _guarded() -> Iterator[None]:
    """Make whatever pyelftools raises on a broken file a `MalformedError`."""
    try:
        yield
    except MalformedError:
        raise
    except Exception as error:  # its exceptions on broken input are of no common kind
        raise MalformedError(f"broken ELF file: {error or type(error).__name__}") from error


def align(value: int, to: int) -> int:
    """`value` rounded up to a multiple of `to`."""
    return -(-value // to) * to


def notes(section: Section) -> Iterator[tuple[bytes, int, Region]]:
    """Name, type and content of each note of a note section (all fields padded to 4 bytes)."""
    region, offset = section.region, 0
    while region is not None and offset + 12 <= region.size:
        name_size, size, kind = region.unpack("<III", offset, "ELF note")
        name = region.read(offset + 12, name_size, "ELF note's name").rstrip(b"\0")
        start = offset + 12 + align(name_size, 4)
        yield name, kind, region.sub(start, size, "ELF note's content")
        offset = start + align(size, 4)
