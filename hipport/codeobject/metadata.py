"""Read the kernels of a code object from its metadata note.

Source: "Code Object V3 Metadata" to "V5 Metadata" in LLVM's AMDGPUUsage: a note `AMDGPU` of type 32 that holds a
MessagePack map.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from hipport.codeobject.descriptor import Descriptor, read_descriptor
from hipport.codeobject.elf import Elf, notes
from hipport.codeobject.model import Kernel
from hipport.codeobject.occupancy import Demand, encoded_vgprs, occupancy
from hipport.codeobject.region import MalformedError, Region

_NOTE_NAME = b"AMDGPU"
_NT_AMDGPU_METADATA = 32


def read_kernels(elf: Elf, processor: str) -> tuple[Kernel, ...]:
    """Return the kernels of a code object for `processor`, in the order of its metadata."""
    records = [record for note in _metadata_notes(elf) for record in _kernel_records(note)]
    if not records:
        return ()
    descriptors = elf.kernel_descriptors()
    return tuple(_kernel(record, processor, descriptors) for record in records)


def _metadata_notes(elf: Elf) -> Iterator[Region]:
    for section in elf.sections:
        if section.kind == "SHT_NOTE":
            yield from (
                body for name, kind, body in notes(section) if (name, kind) == (_NOTE_NAME, _NT_AMDGPU_METADATA)
            )


def _kernel_records(note: Region) -> list[Mapping[str, Any]]:
    import msgpack

    try:
        document = msgpack.unpackb(note.read(0, note.size, "metadata note"), strict_map_key=False)
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise MalformedError(f"metadata note is not MessagePack: {error or type(error).__name__}") from error
    if not isinstance(document, dict):
        raise MalformedError("metadata note is not a map")
    records = document.get("amdhsa.kernels", [])
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise MalformedError("amdhsa.kernels of the metadata note is not a list of maps")
    return records


def _kernel(record: Mapping[str, Any], processor: str, descriptors: Mapping[str, tuple[Region, int]]) -> Kernel:
    symbol = _text(record, ".symbol")
    demand = Demand(
        vgprs=_number(record, ".vgpr_count"),
        sgprs=_number(record, ".sgpr_count"),
        lds=_number(record, ".group_segment_fixed_size"),
        workgroup_size=_number(record, ".max_flat_workgroup_size"),
        wavefront_size=_number(record, ".wavefront_size"),
        wgp_mode=bool(record.get(".workgroup_processor_mode", True)),
    )
    if demand.wavefront_size not in (32, 64):
        raise MalformedError(f"kernel {symbol} has a wavefront size of {demand.wavefront_size}")
    if symbol in descriptors:
        demand = _as_allocated(demand, processor, read_descriptor(*descriptors[symbol]))
    return _summary(record, symbol, processor, demand)


def _as_allocated(demand: Demand, processor: str, descriptor: Descriptor) -> Demand:
    """Add to the demand what only the descriptor has: allocated VGPRs and WGP mode."""
    vgprs = max(demand.vgprs, encoded_vgprs(processor, demand.wavefront_size, descriptor.vgpr_blocks))
    return replace(demand, vgprs=vgprs, wgp_mode=descriptor.wgp_mode)


def _summary(record: Mapping[str, Any], symbol: str, processor: str, demand: Demand) -> Kernel:
    return Kernel(
        name=_text(record, ".name"),
        symbol=symbol,
        vgprs=_number(record, ".vgpr_count"),
        agprs=_number(record, ".agpr_count") if ".agpr_count" in record else None,
        sgprs=demand.sgprs,
        vgpr_spills=_number(record, ".vgpr_spill_count", 0),
        sgpr_spills=_number(record, ".sgpr_spill_count", 0),
        lds=demand.lds,
        scratch=_number(record, ".private_segment_fixed_size"),
        dynamic_stack=bool(record.get(".uses_dynamic_stack", False)),
        wavefront_size=demand.wavefront_size,
        max_workgroup_size=demand.workgroup_size,
        kernarg_size=_number(record, ".kernarg_segment_size"),
        occupancy=occupancy(processor, demand),
    )


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise MalformedError(f"a kernel's metadata has no string {key}")
    return value


def _number(record: Mapping[str, Any], key: str, default: int | None = None) -> int:
    value = record.get(key, default)
    if not isinstance(value, int) or not 0 <= value < 1 << 32:
        raise MalformedError(f"a kernel's metadata has an invalid number {key}: {value!r:.40}")
    return value
