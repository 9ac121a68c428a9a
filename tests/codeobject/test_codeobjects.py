"""Reading a single code object."""

from __future__ import annotations

import struct
from collections.abc import Callable

import msgpack
import pytest

from hipport.codeobject import Binary
from hipport.errors import HipportError
from tests.codeobject import fabricate

Inspect = Callable[[bytes], Binary]


def test_a_kernel_as_its_metadata_says(inspect: Inspect) -> None:
    binary = inspect(fabricate.code_object())
    (entry,) = binary.bundles[0].entries
    (kernel,) = entry.kernels
    assert (binary.kind, entry.content, entry.code_object_version, entry.target_id) == (
        "code object",
        "code object",
        5,
        "gfx90a",
    )
    assert (kernel.name, kernel.vgprs, kernel.agprs, kernel.sgprs) == ("_Z4axpyPfS_f", 40, 8, 24)
    assert (kernel.vgpr_spills, kernel.sgpr_spills, kernel.lds, kernel.scratch) == (1, 2, 8192, 16)
    assert (kernel.wavefront_size, kernel.max_workgroup_size, kernel.kernarg_size) == (64, 256, 20)
    assert not kernel.dynamic_stack


def test_fields_of_later_versions_may_be_missing(inspect: Inspect) -> None:
    record = {key: value for key, value in fabricate.KERNEL.items() if "spill" not in key and "agpr" not in key}
    (kernel,) = inspect(fabricate.code_object([record])).bundles[0].entries[0].kernels
    assert (kernel.agprs, kernel.vgpr_spills, kernel.sgpr_spills) == (None, 0, 0)


@pytest.mark.parametrize(("abi", "version"), [(1, 3), (2, 4), (3, 5), (4, 6), (77, None)])
def test_the_code_object_version(inspect: Inspect, abi: int, version: int | None) -> None:
    assert inspect(fabricate.code_object(abi_version=abi)).bundles[0].entries[0].code_object_version == version


def test_version_2_is_listed_with_a_warning(inspect: Inspect) -> None:
    (entry,) = inspect(fabricate.code_object(abi_version=0, notes=b"")).bundles[0].entries
    assert (entry.code_object_version, entry.kernels) == (2, ())
    assert entry.warnings == ("code object version 2: its YAML metadata is not supported",)


def test_a_kernel_may_be_given_more_registers_than_it_counts(inspect: Inspect) -> None:
    """`amdgpu_waves_per_eu(1, 2)` causes this: 24 blocks of 8 VGPRs leave room for two waves in 512."""
    descriptor = bytearray(64)
    struct.pack_into("<I", descriptor, 48, 24 - 1)
    (kernel,) = inspect(fabricate.code_object(descriptor=bytes(descriptor))).bundles[0].entries[0].kernels
    assert kernel.vgprs == 40
    assert kernel.occupancy is not None
    assert (kernel.occupancy.by_vgprs, kernel.occupancy.limited_by) == (2, "VGPR")


@pytest.mark.parametrize(("wgp_mode", "waves"), [(True, 6), (False, 4)])
def test_compute_units_in_pairs_share_their_lds(inspect: Inspect, wgp_mode: bool, waves: int) -> None:
    """gfx1100, wave32, groups of 8 waves with 40000 bytes: 3 groups in 128 KiB for 4 SIMDs, 1 in 64 KiB for 2."""
    record = {**fabricate.KERNEL, ".wavefront_size": 32, ".group_segment_fixed_size": 40000}
    descriptor = bytearray(64)
    struct.pack_into("<I", descriptor, 48, wgp_mode << 29)
    content = fabricate.code_object([record], mach=fabricate.GFX1100, features=0, descriptor=bytes(descriptor))
    (kernel,) = inspect(content).bundles[0].entries[0].kernels
    assert kernel.occupancy is not None
    assert kernel.occupancy.waves == kernel.occupancy.by_lds == waves


def test_an_unknown_gpu_has_no_occupancy(inspect: Inspect) -> None:
    (entry,) = inspect(fabricate.code_object(mach=0xEE)).bundles[0].entries
    assert entry.target_id == "unknown-0xee"
    assert entry.kernels[0].occupancy is None


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({".vgpr_count": -1}, ".vgpr_count"),
        ({".vgpr_count": "many"}, ".vgpr_count"),
        ({".wavefront_size": 0}, "wavefront size"),
        ({".name": None}, ".name"),
    ],
)
def test_impossible_metadata_is_refused(inspect: Inspect, record: dict[str, object], message: str) -> None:
    with pytest.raises(HipportError, match=message):
        inspect(fabricate.code_object([{**fabricate.KERNEL, **record}]))


@pytest.mark.parametrize(
    "document", [b"\xc1", b"", msgpack.packb([1]), msgpack.packb({"amdhsa.kernels": 3}), b"\x91" * 5000]
)
def test_a_note_that_is_no_metadata_is_refused(inspect: Inspect, document: bytes) -> None:
    with pytest.raises(HipportError, match="metadata note"):
        inspect(fabricate.code_object(notes=fabricate.note(document)))


@pytest.mark.parametrize(
    "notes",
    [
        fabricate.note(b"text", name=b"GNU\0", kind=3),
        fabricate.note(b"\xc1", kind=31),
        fabricate.note(msgpack.packb({})),
        b"",
    ],
)
def test_other_notes_are_passed_over(inspect: Inspect, notes: bytes) -> None:
    assert inspect(fabricate.code_object(notes=notes)).bundles[0].entries[0].kernels == ()
