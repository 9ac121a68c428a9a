"""Profiles of emulated kernels: arithmetic by mnemonic, bounds on GPUs, the roofline's picture."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from hipport.emulate import fidelity, gpus, profile
from hipport.emulate.arithmetic import Arithmetic, arithmetic, is_matrix
from hipport.emulate.roofline import roofline
from hipport.errors import UsageError


@pytest.mark.parametrize(
    ("mnemonic", "expected"),
    [
        ("v_add_f32_e32", ("vector f32", 1, True)),
        ("v_fmac_f32", ("vector f32", 2, True)),
        ("v_fma_f64", ("vector f64", 2, True)),
        ("v_pk_fma_f32", ("vector f32", 4, True)),
        ("v_pk_mul_f16", ("vector f16", 2, True)),
        ("v_dot2_f32_f16", ("vector f16", 4, True)),
        ("v_mfma_f32_32x32x8f16", ("matrix f16", 2 * 32 * 32 * 8, False)),
        ("v_mfma_f32_32x32x8_f16", ("matrix f16", 2 * 32 * 32 * 8, False)),
        ("v_mfma_f32_32x32x4f16", ("matrix f16", 2 * 32 * 32 * 4 * 2, False)),
        ("v_mfma_f32_32x32x4_2b_f16", ("matrix f16", 2 * 32 * 32 * 4 * 2, False)),
        ("v_mfma_f32_4x4x1f32", ("matrix f32", 2 * 4 * 4 * 16, False)),
        ("v_mfma_f64_16x16x4f64", ("matrix f64", 2 * 16 * 16 * 4, False)),
        ("v_mfma_f64_4x4x4f64", ("matrix f64", 2 * 4 * 4 * 4 * 4, False)),
        ("v_mfma_f32_16x16x32_fp8_bf8", ("matrix f8", 2 * 16 * 16 * 32, False)),
        ("v_mfma_i32_16x16x16i8", ("matrix i8", 2 * 16 * 16 * 16, False)),
        ("v_smfmac_f32_16x16x32_f16", ("matrix f16", 16 * 16 * 32, False)),
        ("v_wmma_f32_16x16x16_f16", ("matrix f16", 2 * 16 * 16 * 16, False)),
    ],
)
def test_operations_of_instructions(mnemonic: str, expected: tuple[str, int, bool]) -> None:
    assert arithmetic(mnemonic) == Arithmetic(*expected)


@pytest.mark.parametrize(
    "mnemonic", ["v_add_u32_e32", "v_mov_b32_e32", "s_mul_i32", "v_max_f32_e32", "global_load_dword"]
)
def test_other_instructions_do_no_arithmetic(mnemonic: str) -> None:
    assert arithmetic(mnemonic) is None
    assert not is_matrix(mnemonic)


def _record(**changes: Any) -> dict[str, Any]:
    """Return what the emulator writes for a kernel that adds 1,000 floats."""
    record: dict[str, Any] = {
        "kernel": "add(float*)",
        "target": "gfx90a",
        "wavefront": 64,
        "launches": 1,
        "groups": 4,
        "block": 256,
        "vgprs": 8,
        "sgprs": 16,
        "lds": 0,
        "private": 0,
        "resources1": 0,
        "line_bytes": 64,
        "global": {"loaded": 8000, "stored": 4000, "atomic": 0, "requests": 190, "distinct_lines": 190},
        "shared": {"loaded": 0, "stored": 0, "accesses": 0, "conflicts": 0},
        "scratch_bytes": 0,
        "scalar_bytes": 64,
        "instructions": {"v_add_f32_e32": [16, 1000], "v_rcp_f32_e32": [16, 1000], "s_endpgm": [16, 1024]},
        "lines": {"add.hip:3": 32},
    }
    return {**record, **changes}


def test_a_profile_adds_up_operations_and_active_lanes() -> None:
    (one,) = profile.read([_record()])
    assert one.operations == {"vector f32": 2000}
    assert one.lanes_active == pytest.approx(2000 / 2048)
    assert one.executed == 48
    assert one.intensity == pytest.approx(2000 / (190 * 64))
    assert one.occupancy is not None
    assert one.occupancy.waves == 8


def test_memory_bounds_a_kernel_that_computes_little() -> None:
    (one,) = profile.read([_record()])
    limit = profile.bound(one, gpus.find_gpu("MI250X"))
    assert limit.by == "memory"
    assert limit.seconds == pytest.approx(190 * 64 / 1638e9)


def test_matrix_units_bound_a_kernel_that_multiplies_much() -> None:
    (one,) = profile.read([_record(instructions={"v_mfma_f32_32x32x8f16": [10**6, 64 * 10**6]})])
    limit = profile.bound(one, gpus.find_gpu("mi250x"))
    assert (limit.by, one.matrix_share) == ("matrix f16", 1.0)
    assert limit.rate == pytest.approx(191.5e12)


def test_bank_conflicts_count_as_time_of_shared_memory() -> None:
    shared = {"loaded": 10**9, "stored": 0, "accesses": 10**7, "conflicts": 10**8}
    (one,) = profile.read([_record(shared=shared)])
    assert profile.bound(one, gpus.find_gpu("MI300X")).by == "shared memory"


@pytest.mark.parametrize("gpu", gpus.GPUS, ids=lambda gpu: gpu.name)
def test_the_roofline_is_a_picture_with_every_kernel(gpu: gpus.Gpu) -> None:
    busy = _record(kernel="multiply<int>(float*)", instructions={"v_fma_f32": [10**7, 64 * 10**7]})
    picture = roofline(profile.read([_record(), busy, _record(kernel="copy()", instructions={})]), gpu)
    words = " ".join(ElementTree.fromstring(picture).itertext())
    assert all(name in words for name in ("add: ", "multiply<int>: ", gpu.name))
    assert "copy" not in words


def test_gpus_are_found_by_any_spelling() -> None:
    assert gpus.find_gpu("rx 7900 xtx").target == "gfx1100"
    assert gpus.find_gpu("Radeon RX 9070 XT").target == "gfx1201"
    usual = gpus.usual_gpu("gfx942")
    assert usual is not None
    assert usual.name == "MI300X"
    with pytest.raises(UsageError, match="no peak rates are known for the GPU H100"):
        gpus.find_gpu("H100")


def test_peak_rates_follow_from_clock_and_units() -> None:
    # 64 lanes of two operations a cycle in each unit, twice as many with dual issue.
    for gpu in gpus.GPUS:
        usual = gpu.units * gpu.clock * 64 * 2
        assert any(gpu.peaks["vector f32"] == pytest.approx(factor * usual, rel=0.03) for factor in (1, 2)), gpu.name


def test_the_fidelity_report_names_inexact_instructions_only() -> None:
    found = fidelity.inexact({"v_rcp_f32_e32": 3, "v_add_f32_e32": 100, "v_sin_f32_e64": 7, "s_sleep": 1})
    assert [one.instruction for one in found] == ["v_sin_f32_e64", "v_rcp_f32_e32", "s_sleep"]
    lines = list(profile.fidelity_lines(profile.read([_record()])))
    assert lines[0] == "add(float*) on gfx90a: 16 of 48 instructions inexact (33.33%)"
