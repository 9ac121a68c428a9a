"""The model behind docs/amd-prediction.md, with kernels whose times are known."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import replace

import pytest

from hipport.errors import HipportError
from scripts.amd_prediction import page, results, workload
from scripts.amd_prediction.assembly import Instruction, listed, parsed
from scripts.amd_prediction.machine import SIMDS, Machine, machines
from scripts.amd_prediction.observe import executed
from scripts.amd_prediction.simulate import Share, Simulated, simulate

MACHINES = {machine.shown: machine for machine in machines()}
RDNA, CDNA = MACHINES["RX 7900 XTX"], MACHINES["MI300X"]
FREE = Share(math.inf)
N = 1000


def program(*lines: str) -> list[Instruction]:
    """Return instructions at addresses that follow each other."""
    return [parsed(*line.split(" ", 1), address=4 * i) for i, line in enumerate(lines)]


def run(lines: Sequence[str], machine: Machine, waves: int = 1, blocks: int = 1, share: Share = FREE) -> Simulated:
    return simulate([program(*lines)] * waves, blocks, machine, share)


@pytest.mark.parametrize("machine", [RDNA, CDNA], ids=lambda machine: machine.shown)
def test_a_copy_takes_the_time_of_its_bytes(machine: Machine) -> None:
    loads = [f"global_load_b128 v[{4 * i}:{4 * i + 3}], v[60:61], off" for i in range(8)]
    lines = [*loads, "s_waitcnt vmcnt(0)"] * 50
    share = Share(memory=4.0)
    found = run(lines, machine, waves=16, share=share)
    expected = 16 * 50 * 8 * 16 * machine.lanes / share.memory
    assert expected <= found.cycles <= expected * 1.05 + machine.latency_cycles
    assert found.busy["memory"] == pytest.approx(expected)


def test_with_too_little_on_its_way_a_copy_takes_the_time_of_latency() -> None:
    """Little's law: a wavefront with one load at a time gets its bytes for each latency."""
    found = run(["global_load_b128 v[0:3], v[60:61], off", "s_waitcnt vmcnt(0)"] * N, RDNA, share=Share(64.0))
    assert found.cycles == pytest.approx(N * RDNA.latency_cycles, rel=0.02)


def test_as_many_loads_stay_on_their_way_as_a_wait_allows() -> None:
    lines = ["global_load_b32 v0, v[60:61], off", "s_waitcnt vmcnt(1)"] * N
    assert run(lines, RDNA).cycles == pytest.approx(N / 2 * RDNA.latency_cycles, rel=0.02)


@pytest.mark.parametrize(("machine", "cycles"), [(RDNA, 1), (CDNA, 4)], ids=["RX 7900 XTX", "MI300X"])
def test_fmas_take_the_time_of_the_vector_units(machine: Machine, cycles: int) -> None:
    lines = [f"v_fma_f32 v{i % 16}, v20, v21, v{i % 16}" for i in range(N)]
    found = run(lines, machine, waves=2 * SIMDS)
    assert found.cycles == pytest.approx(2 * N * cycles, rel=0.02)
    # The data sheet's rate for two operations a lane, without dual issue or packed operations.
    rate = 2 * SIMDS * N * 2 * machine.lanes / found.cycles * machine.units * machine.gpu.clock
    assert machine.gpu.peaks["vector f32"] / rate == pytest.approx(2, rel=0.03)


def test_a_chain_of_fmas_takes_the_time_of_their_latency() -> None:
    assert run(["v_fma_f32 v0, v0, v1, v2"] * N, RDNA).cycles == pytest.approx(5 * N, rel=0.01)
    assert run(["v_fmac_f32_e32 v0, v1, v2"] * N, RDNA).cycles == pytest.approx(5 * N, rel=0.01)
    assert run(["v_rcp_f32_e32 v0, v0"] * N, RDNA).cycles == pytest.approx(10 * N, rel=0.01)


@pytest.mark.parametrize("machine", [RDNA, CDNA], ids=lambda machine: machine.shown)
def test_lds_loads_take_the_time_of_its_bytes(machine: Machine) -> None:
    lines = [f"ds_load_b128 v[{4 * (i % 8)}:{4 * (i % 8) + 3}], v60" for i in range(N)]
    expected = 8 * N * 16 * machine.lanes / machine.lds_bytes
    assert run(lines, machine, waves=8).cycles == pytest.approx(expected, rel=0.02)
    assert run(lines, machine, waves=8, share=replace(FREE, conflicts=3.0)).cycles == pytest.approx(
        3 * expected, rel=0.02
    )


@pytest.mark.parametrize(
    ("machine", "line"),
    [
        (RDNA, "v_wmma_f32_16x16x16_f16 v[{0}:{1}], v[100:107], v[108:115], v[{0}:{1}]"),
        (CDNA, "v_mfma_f32_16x16x16_f16 a[{0}:{1}], v[100:101], v[102:103], a[{0}:{1}]"),
    ],
)
def test_matrix_operations_reach_the_stated_rate(machine: Machine, line: str) -> None:
    lines = [line.format(8 * (i % 8), 8 * (i % 8) + 7) for i in range(N)]
    found = run(lines, machine, waves=2 * SIMDS)
    operations = 2 * SIMDS * N * program(lines[0])[0].operations
    rate = operations / found.cycles * machine.units * machine.gpu.clock
    assert rate == pytest.approx(machine.gpu.peaks["matrix f16"], rel=0.02)


@pytest.mark.parametrize(
    ("machine", "line", "is_slower"),
    [
        (RDNA, "v_wmma_f32_16x16x16_f16 v[{0}:{1}], v[100:107], v[108:115], v[{0}:{1}]", True),
        (CDNA, "v_mfma_f32_16x16x16_f16 a[{0}:{1}], v[100:101], v[102:103], a[{0}:{1}]", False),
    ],
    ids=["RX 7900 XTX", "MI300X"],
)
def test_only_cdna_computes_beside_matrix_operations(machine: Machine, line: str, is_slower: bool) -> None:
    matrix = [program(*[line.format(8 * (i % 8), 8 * (i % 8) + 7) for i in range(N)])] * SIMDS
    vector = [program(*[f"v_fma_f32 v{i % 16}, v20, v21, v{i % 16}" for i in range(N)])] * SIMDS
    alone, both = (simulate(traces, 1, machine, FREE).cycles for traces in (matrix, matrix + vector))
    assert (both > alone * 1.02) == is_slower


def test_a_barrier_waits_for_the_slowest() -> None:
    quick = program("s_barrier", "v_mov_b32_e32 v0, v1")
    slow = program(*["v_fma_f32 v0, v0, v1, v2"] * N, "s_barrier", "v_mov_b32_e32 v0, v1")
    together = simulate([quick, slow], 1, RDNA, FREE)
    assert together.cycles == pytest.approx(5 * N, rel=0.02)
    assert simulate([quick], 1, RDNA, FREE).cycles < 20


def test_taken_branches_cost_time() -> None:
    taken = [replace(one, address=0) for one in program("s_branch 0")] * N
    assert simulate([taken], 1, RDNA, FREE).cycles == pytest.approx(N * RDNA.branch_cycles, rel=0.01)
    passed = program(*["s_cbranch_scc0 4"] * N)
    assert simulate([passed], 1, RDNA, FREE).cycles == pytest.approx(N, rel=0.01)


@pytest.mark.parametrize(
    ("line", "unit", "size", "writes", "reads"),
    [
        ("global_load_b128 v[1:4], v[8:9], off offset:16", "load", 16, 4, 2),
        ("global_load_dwordx4 v[1:4], v[8:9], off", "load", 16, 4, 2),
        ("global_load_ushort v1, v[8:9], off", "load", 2, 1, 2),
        ("flat_load_b64 v[1:2], v[8:9]", "load", 8, 2, 2),
        ("global_store_b32 v[8:9], v1, off", "store", 4, 0, 3),
        ("ds_load_2addr_b64 v[1:4], v5", "lds", 16, 4, 1),
        ("ds_read2_b32 v[1:2], v5", "lds", 8, 2, 1),
        ("ds_store_b128 v5, v[1:4]", "lds", 16, 0, 5),
        ("ds_bpermute_b32 v1, v2, v3", "lds", 4, 1, 2),
        ("s_load_b128 s[4:7], s[0:1], 0x8", "scalar load", 0, 4, 2),
        ("v_dual_fmac_f32 v1, v2, v3 :: v_dual_mov_b32 v4, v5", "vector", 0, 2, 5),
        ("v_cmp_gt_i32_e32 vcc_lo, s3, v1", "vector", 0, 1, 2),
        ("buffer_gl0_inv", "store", 0, 0, 0),
    ],
)
def test_instructions_are_understood(line: str, unit: str, size: int, writes: int, reads: int) -> None:
    one = parsed(*line.split(" ", 1))
    assert (one.unit, one.bytes, len(one.writes), len(one.reads)) == (unit, size, writes, reads)


def test_listings_and_traces() -> None:
    code = listed(
        "0000000000001000 <kernel>:\n"
        "\ts_waitcnt vmcnt(3) lgkmcnt(0)      // 000000001000: BF8C0070\n"
        "\tv_rcp_f32_e32 v1, v2               // 000000001004: 7E024502\n"
        "\ts_endpgm                           // 000000001008: BF810000\n"
    )
    assert [one.name for one in code] == ["s_waitcnt", "v_rcp_f32_e32", "s_endpgm"]
    assert dict(code[0].left) == {"vmcnt": 3, "lgkmcnt": 0} and code[1].slow
    trace = ["002000  s_waitcnt", "          v1 0-63: 0x0", "002004  v_rcp_f32_e32 v1, v2", "002008  s_endpgm"]
    assert executed(code, trace) == code
    with pytest.raises(HipportError, match="leaves the kernel's code"):
        executed(code, [*trace, "003000  s_nop"])
    with pytest.raises(HipportError, match="no instructions"):
        executed(code, [])


def test_phases_have_the_rows_of_the_busiest_unit() -> None:
    config = workload.shapes()["llama2-7b"]
    for machine in MACHINES.values():
        for launch in workload.decode(config, machine):
            if launch.kernel == "matvec":
                assert launch.emulated["rows"] // 4 * machine.units >= launch.sizes["rows"]
                assert launch.emulated["rows"] % 64 == 0 and 0 < launch.spread <= 1


KEPT = results.read()


def test_the_page_is_that_of_the_stored_results() -> None:
    assert page.FILE.read_text(encoding="utf-8") == page.text(KEPT)
    picture = page.CHART.read_text(encoding="utf-8")
    assert picture == page.picture(KEPT)
    assert "RX 7900 XTX" in " ".join(ElementTree.fromstring(picture).itertext())


def test_decoding_on_an_rx_7900_xtx_is_bound_by_memory() -> None:
    rows = KEPT.of("RX 7900 XTX", "llama2-7b", "decode")
    by_memory = results.total(row for row in rows if row.bound == "memory")
    assert by_memory > 0.75 * results.total(rows)
    assert page.speed(KEPT, RDNA, "llama2-7b") > 0.8 * page.limit(KEPT, RDNA, "llama2-7b")


@pytest.mark.parametrize(("layers", "larger"), [(32, 16), (40, 20), (16, 8)])
def test_layers_of_q4_k_m_with_more_bits(layers: int, larger: int) -> None:
    assert workload.larger_layers(layers) == larger


@pytest.mark.parametrize("model", workload.SHAPES)
def test_a_token_multiplies_with_all_weights_in_each_format(model: str) -> None:
    config = workload.shapes()[model]

    def weights(kind: str) -> int:
        launches = workload.KINDS[kind](config, CDNA)
        return sum(
            launch.sizes["rows"] * launch.sizes["columns"] * launch.times
            for launch in launches
            if launch.kernel in ("matvec", "native_matvec")
        )

    assert weights("native") == weights("decode") > 12 * config.layers * config.width**2
