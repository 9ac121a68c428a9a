"""From a path to everything that is for a GPU in it."""

from __future__ import annotations

import mmap
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hipport.codeobject import archive, bundle, elf, offload_binary
from hipport.codeobject.entry import is_amdgpu, read_bare, read_entry
from hipport.codeobject.model import Binary, BinaryKind, Bundle
from hipport.codeobject.region import MalformedError, Region
from hipport.errors import HipportError

# Relocatable device code: clang-offload-bundler -type=o leaves one section per entry, named by the magic and the ID.
_ENTRY_SECTION = bundle.MAGIC.decode()
_OFFLOADING_SECTION = ".llvm.offloading"
_ELF_KINDS: dict[str, BinaryKind] = {"ET_REL": "object", "ET_EXEC": "executable", "ET_DYN": "shared library"}


def read(path: Path) -> Binary:
    """Read the GPU code in an executable, library, object, archive, fat binary or code object.

    The file is mapped, not loaded. Raises `HipportError` for a file that cannot be opened, is of another kind, or is
    damaged; a host file without GPU code gives a `Binary` without bundles.
    """
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(path.stat().st_mode):
                raise HipportError(f"{path}: not a regular file")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _read_binary(path, Region(data, 0, len(data)))
    except OSError as error:
        raise HipportError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:  # mmap's word for an empty file
        raise HipportError(f"{path}: the file is empty") from error
    except MalformedError as error:
        hint = "The file is damaged or was cut short; build or copy it again."
        raise HipportError(f"{path}: {error}", hint=hint) from error


def _read_binary(path: Path, region: Region) -> Binary:
    if region.starts_with(archive.MAGIC) or region.starts_with(archive.THIN_MAGIC):
        return Binary(path, "archive", tuple(_archive(region)))
    if bundle.starts_here(region):
        return Binary(path, "fat binary", tuple(bundle.read_bundles(region)))
    if region.starts_with(elf.MAGIC):
        header = elf.read_elf(region)
        return Binary(path, _elf_kind(header), tuple(_elf(region, header)))
    raise HipportError(
        f"{path}: not a binary that can hold GPU code",
        hint="Executables, shared libraries, objects, archives, fat binaries and code objects can be inspected.",
    )


def _elf_kind(header: elf.Elf) -> BinaryKind:
    if is_amdgpu(header):
        return "code object"
    if header.kind == "ET_DYN" and header.has_interpreter:
        return "executable"
    try:
        return _ELF_KINDS[header.kind]
    except KeyError:
        raise MalformedError(f"ELF file of type {header.kind}") from None


def _archive(region: Region) -> Iterator[Bundle]:
    for name, body in archive.read_members(region):
        yield from (replace(found, member=name) for found in _member(body))


def _member(region: Region) -> Iterator[Bundle]:
    if bundle.starts_here(region):
        return bundle.read_bundles(region)
    if region.starts_with(elf.MAGIC):
        return _elf(region, elf.read_elf(region))
    return iter(())  # bitcode, text: an archive may hold anything


def _elf(region: Region, header: elf.Elf) -> Iterator[Bundle]:
    if is_amdgpu(header):
        yield Bundle("bare", region.start, region.size, (read_bare(region, header),))
        return
    for section in header.sections:
        if section.region is not None:
            found = _section(section.name, section.region)
            yield from (replace(one, section=section.name) for one in found)
    yield from _entry_sections(header)


def _section(name: str, region: Region) -> Iterator[Bundle]:
    if name == _OFFLOADING_SECTION:
        return offload_binary.read_offload_binaries(region)
    if bundle.starts_here(region):
        return bundle.read_bundles(region)
    return iter(())


def _entry_sections(header: elf.Elf) -> Iterator[Bundle]:
    """The sections of a relocatable object that hold one entry each."""
    parts = [
        (section.name.removeprefix(_ENTRY_SECTION), section.region)
        for section in header.sections
        if section.name.startswith(_ENTRY_SECTION) and section.region is not None
    ]
    if parts:
        first, last = parts[0][1], parts[-1][1]
        entries = tuple(read_entry(name, body) for name, body in parts)
        yield Bundle("sections", first.start, last.start + last.size - first.start, entries)
