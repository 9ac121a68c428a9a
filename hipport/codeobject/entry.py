"""Read one entry of a bundle: what its ID declares and what it contains."""

from __future__ import annotations

from hipport.codeobject import bundle_id, elf
from hipport.codeobject.bundle_id import BundleID
from hipport.codeobject.metadata import read_kernels
from hipport.codeobject.model import BundleEntry, Content, Kernel
from hipport.codeobject.region import Region
from hipport.codeobject.targets import CODE_OBJECT_VERSIONS, TargetID, from_elf_flags

_BITCODE_MAGICS = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")  # raw, and in the wrapper format


def read_entry(text: str, region: Region) -> BundleEntry:
    """Read the entry with bundle entry ID `text` that fills `region`."""
    parts = bundle_id.parse(text)
    if elf.is_amdgpu(region):
        return _code_object(text, parts, region, elf.read_elf(region))
    return _plain_entry(text, parts, region)


def read_bare(region: Region) -> BundleEntry:
    """Read a code object that is not in a bundle: its own header names its target."""
    header = elf.read_elf(region)
    target = str(from_elf_flags(header.flags, _version(header)))
    return _code_object("", BundleID("", "amdgcn-amd-amdhsa", target), region, header)


def _plain_entry(text: str, parts: BundleID, region: Region) -> BundleEntry:
    content: Content = "other"
    if region.size == 0 or parts.kind == "host":
        content = "empty" if region.size <= 1 else "other"
    elif region.starts_with(_BITCODE_MAGICS[0]) or region.starts_with(_BITCODE_MAGICS[1]):
        content = "bitcode"
    return _entry(text, parts, content, region)


def _code_object(text: str, parts: BundleID, region: Region, header: elf.Elf) -> BundleEntry:
    version = _version(header)
    actual = from_elf_flags(header.flags, version)
    kernels = read_kernels(header, actual.processor)
    warnings = _contradictions(parts.target_id, actual, version)
    return _entry(text, parts, "code object", region, version=version, kernels=kernels, warnings=warnings)


def _version(header: elf.Elf) -> int | None:
    return CODE_OBJECT_VERSIONS.get(header.abi_version) if header.os_abi == elf.OSABI_AMDGPU_HSA else None


def _contradictions(promised: str, actual: TargetID, version: int | None) -> tuple[str, ...]:
    """Return warnings where the bundle's target ID and the code object's ELF header disagree."""
    warnings = []
    expected = TargetID.parse(promised)
    comparable = expected if version is not None and version >= 4 else TargetID(expected.processor)
    if comparable != actual:
        warnings.append(f"the bundle entry is for {promised or 'no target'}, but its ELF header says {actual}")
    if version == 2:
        warnings.append("code object version 2: its YAML metadata is not supported")
    return tuple(warnings)


def _entry(
    text: str,
    parts: BundleID,
    content: Content,
    region: Region,
    *,
    version: int | None = None,
    kernels: tuple[Kernel, ...] = (),
    warnings: tuple[str, ...] = (),
) -> BundleEntry:
    return BundleEntry(
        id=text,
        kind=parts.kind,
        triple=parts.triple,
        target_id=parts.target_id,
        content=content,
        offset=region.start,
        size=region.size,
        code_object_version=version,
        kernels=kernels,
        warnings=warnings,
    )
