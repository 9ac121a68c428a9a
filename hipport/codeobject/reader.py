"""Read all GPU code in a file."""

from __future__ import annotations

import mmap
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hipport.codeobject import archive, bundle, elf, offload_binary
from hipport.codeobject.entry import read_bare, read_entry
from hipport.codeobject.model import Binary, BinaryKind, Bundle, HostPart
from hipport.codeobject.region import MalformedError, Region
from hipport.codeobject.registered import read_host_part
from hipport.errors import HipportError, UsageError

# Relocatable device code: clang-offload-bundler -type=o leaves one section per entry, named by the magic and the ID.
_ENTRY_SECTION = bundle.MAGIC.decode()
_FATBIN_SECTION = ".hip_fatbin"
_OFFLOADING_SECTION = ".llvm.offloading"
_Found = tuple[tuple[Bundle, ...], tuple[HostPart, ...]]
_ELF_KINDS: dict[str, BinaryKind] = {"ET_REL": "object", "ET_EXEC": "executable", "ET_DYN": "shared library"}


def read(path: Path) -> Binary:
    """Read the GPU code in an executable, library, object, archive, fat binary or code object.

    The file is mapped, not loaded. Raises `HipportError` for a file that cannot be opened, is of another kind, or is
    damaged; a host file without GPU code gives a `Binary` without bundles.
    """
    try:
        return _read_file(path)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except OSError as error:
        raise HipportError(f"{path}: {error.strerror or error}") from error
    except MalformedError as error:
        raise HipportError(f"{path}: {error}", hint=error.hint) from error


def _read_file(path: Path) -> Binary:
    status = path.stat()  # before opening, which would block on a named pipe
    if not stat.S_ISREG(status.st_mode):
        raise HipportError(f"{path}: not a regular file")
    if status.st_size == 0:
        raise HipportError(f"{path}: the file is empty")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return _read_binary(path, Region(data, 0, len(data)))


def _read_binary(path: Path, region: Region) -> Binary:
    if region.starts_with(archive.MAGIC) or region.starts_with(archive.THIN_MAGIC):
        return _archive(path, region)
    if bundle.starts_here(region):
        return Binary(path, "fat binary", tuple(bundle.read_bundles(region)))
    if elf.is_amdgpu(region):
        return Binary(path, "code object", (_bare(region),))
    if region.starts_with(elf.MAGIC):
        header = elf.read_elf(region)
        kind = _elf_kind(header)
        return Binary(path, kind, *_host_elf(header))
    raise MalformedError(
        "not a binary that can hold GPU code",
        hint="Executables, shared libraries, objects, archives, fat binaries and code objects can be inspected.",
    )


def _elf_kind(header: elf.Elf) -> BinaryKind:
    if header.kind == "ET_DYN" and any(section.name == ".interp" for section in header.sections):
        return "executable"
    try:
        return _ELF_KINDS[header.kind]
    except KeyError:
        raise MalformedError(f"ELF file of type {header.kind}") from None


def _archive(path: Path, region: Region) -> Binary:
    bundles: list[Bundle] = []
    hosts: list[HostPart] = []
    for name, body in archive.read_members(region):
        found, host = _member(body)
        bundles += (replace(bundle, member=name) for bundle in found)
        hosts += (replace(part, member=name) for part in host)
    return Binary(path, "archive", tuple(bundles), tuple(hosts))


def _member(region: Region) -> _Found:
    if bundle.starts_here(region):
        return tuple(bundle.read_bundles(region)), ()
    if elf.is_amdgpu(region):
        return (_bare(region),), ()
    if region.starts_with(elf.MAGIC):
        return _host_elf(elf.read_elf(region))
    return (), ()  # bitcode, text: an archive may hold anything


def _bare(region: Region) -> Bundle:
    return Bundle("bare", region.start, region.size, (read_bare(region),))


def _host_elf(header: elf.Elf) -> _Found:
    bundles = tuple(_bundles(header))
    host = read_host_part(header, bundles) if bundles else None
    return bundles, () if host is None else (host,)


def _bundles(header: elf.Elf) -> Iterator[Bundle]:
    for section in header.sections:
        if section.region is not None:
            found = _section(section.name, section.region)
            yield from (replace(one, section=section.name) for one in found)
    yield from _entry_sections(header)


def _section(name: str, region: Region) -> Iterator[Bundle]:
    if name == _OFFLOADING_SECTION:
        return offload_binary.read_offload_binaries(region)
    if name.startswith(_FATBIN_SECTION) or bundle.starts_here(region):
        return bundle.read_bundles(region)
    return iter(())


def _entry_sections(header: elf.Elf) -> Iterator[Bundle]:
    """Yield a bundle of the sections of a relocatable object that hold one entry each."""
    parts = [
        (section.name.removeprefix(_ENTRY_SECTION), section.region)
        for section in header.sections
        if section.name.startswith(_ENTRY_SECTION) and section.region is not None
    ]
    if parts:
        first, last = parts[0][1], parts[-1][1]
        entries = tuple(read_entry(name, body) for name, body in parts)
        yield Bundle("sections", first.start, last.start + last.size - first.start, entries)
