from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.codeobject import Binary, bundle_id
from hipport.codeobject.bundle_id import BundleID
from hipport.codeobject.targets import PROCESSORS, TargetID, from_elf_flags
from tests.codeobject import fabricate


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("hipv4-amdgcn-amd-amdhsa--gfx90a", BundleID("hipv4", "amdgcn-amd-amdhsa", "gfx90a")),
        (
            "hip-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
            BundleID("hip", "amdgcn-amd-amdhsa", "gfx90a:sramecc+:xnack-"),
        ),
        ("hipv4-amdgcn-amd-amdhsa--gfx10-3-generic", BundleID("hipv4", "amdgcn-amd-amdhsa", "gfx10-3-generic")),
        ("openmp-amdgcn-amd-amdhsa-gfx906", BundleID("openmp", "amdgcn-amd-amdhsa", "gfx906")),
        ("openmp-amdgcn-amd-amdhsa-gfx9-4-generic", BundleID("openmp", "amdgcn-amd-amdhsa", "gfx9-4-generic")),
        ("host-x86_64-unknown-linux-gnu-", BundleID("host", "x86_64-unknown-linux-gnu", "")),
        ("host-x86_64-unknown-linux", BundleID("host", "x86_64-unknown-linux", "")),
        ("host-x86_64-unknown-linux--", BundleID("host", "x86_64-unknown-linux", "")),
        ("hip-spirv64-amd-amdhsa--amdgcnspirv", BundleID("hip", "spirv64-amd-amdhsa", "amdgcnspirv")),
        ("", BundleID("", "", "")),
    ],
)
def test_bundle_entry_ids(text: str, parts: BundleID) -> None:
    assert bundle_id.parse(text) == parts


@given(st.text())
def test_any_text_is_split_without_losing_its_letters(text: str) -> None:
    parts = bundle_id.parse(text)
    assert (parts.kind + parts.triple + parts.target_id).replace("-", "") == text.replace("-", "")


@pytest.mark.parametrize(
    ("flags", "version", "target"),
    [
        (0x53F, 4, "gfx90a"),
        (0xD3F, 4, "gfx90a:sramecc+"),
        (0xB3F, 5, "gfx90a:sramecc-:xnack+"),
        (0x23F, 5, "gfx90a:xnack-"),
        (0x041, 5, "gfx1100"),
        (0x01000054, 6, "gfx11-generic"),
        (0x33F, 3, "gfx90a"),
        (0x0FE, 5, "unknown-0xfe"),
    ],
)
def test_elf_flags(flags: int, version: int, target: str) -> None:
    assert str(from_elf_flags(flags, version)) == target


def test_a_target_id_is_put_in_canonical_order() -> None:
    assert str(TargetID.parse("gfx90a:xnack-:sramecc+")) == "gfx90a:sramecc+:xnack-"


def test_no_processor_has_two_numbers() -> None:
    assert len(set(PROCESSORS.values())) == len(PROCESSORS)


@pytest.mark.parametrize(
    ("promised", "warns"),
    [("gfx90a", False), ("gfx90a:xnack+", True), ("gfx942", True), ("", True)],
)
def test_a_bundle_that_promises_another_target(inspect: Callable[[bytes], Binary], promised: str, warns: bool) -> None:
    content = fabricate.bundle([(fabricate.device_id(promised), fabricate.code_object())])
    warnings = inspect(content).bundles[0].entries[0].warnings
    assert bool(warnings) == warns
    assert all("its ELF header says gfx90a" in warning for warning in warnings)
