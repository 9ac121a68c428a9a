"""The AMD code of the kernels: no scratch, no spills, matrix instructions, wide loads.

Code is read from the libraries that other tests run, where they have it. With `HIPPORT_TEST_ALL=1` steps with the
formats of model files are compiled for gfx942, too.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hipport.llm.weights.formats import Formats
from hipport.llm.weights.native import FORMATS
from hipport.toolchain.places import Surroundings
from scripts.amd_code import page, table
from scripts.amd_code.instructions import Counts, count, functions
from scripts.amd_code.rules import violations
from scripts.amd_code.units import TARGETS, Row, Unit, rows, rows_in, short, sources
from tests.llm.amd_libraries import NATIVE_ENGINE, USUAL_ENGINE, Libraries, Library, in_cache
from tests.session_cache import session_cache
from tests.shared import EVERYTHING

KEPT = table.read()
IN_LIBRARIES = [
    (USUAL_ENGINE, Unit("gfx1100", "engine/engine"), "decode_step_kernel"),
    (USUAL_ENGINE, Unit("gfx1100", "engine/prefill"), "embed_prompt_kernel"),
]
"""Units in libraries, with kernels that only they have."""
BUILT = [Unit("gfx90a", "engine/engine"), Unit("gfx90a", "engine/prefill"), Unit("gfx1030", "harness/kernels/gemm")]
"""Units of the table's other compiler, which builds no library for several targets.

Both are a part of what `python -m scripts.amd_code --check` compiles.
"""


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    return in_cache(tmp_path_factory, session_cache(tmp_path_factory))


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize(
    ("library", "unit", "kernel"),
    IN_LIBRARIES,
    ids=[f"{unit.target}-{unit.source.replace('/', '-')}" for _, unit, _ in IN_LIBRARIES],
)
def test_libraries_are_as_good_as_the_table_says(
    library: Library, unit: Unit, kernel: str, tmp_path: Path, libraries: Libraries
) -> None:
    compare(unit, *rows_in(libraries(library), unit, kernel, tmp_path, Surroundings()))


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("unit", BUILT, ids=lambda unit: f"{unit.target}-{unit.source.replace('/', '-')}")
def test_the_code_is_as_good_as_the_table_says(unit: Unit, tmp_path: Path) -> None:
    compare(unit, *rows(unit, tmp_path, Surroundings()))


def compare(unit: Unit, compiler: str, found: list[Row]) -> None:
    """Compare with the table, where the machine has its compiler; rules hold for all."""
    kept = KEPT.by_key() if compiler == KEPT.compilers[unit.target] else {row.key: row for row in found}
    assert found and {row.kernel for row in found} >= {
        row.kernel for row in KEPT.rows if row.key[:2] == (unit.target, unit.source)
    }
    assert list(violations(found, kept)) == []


@pytest.mark.toolchain
@pytest.mark.slow
def test_other_formats_fit_into_registers(tmp_path: Path) -> None:
    _, found = rows(Unit("gfx942", "engine/engine", Formats("q4f16_128", "int8", "bf16")), tmp_path, Surroundings())
    assert found
    assert list(violations(found, {})) == []


def native_rows(target: str, source: str, kernel: str, folder: Path, libraries: Libraries) -> list[Row]:
    unit = Unit(target, source, Formats("native"))
    if target in NATIVE_ENGINE.targets:
        return rows_in(libraries(NATIVE_ENGINE), unit, kernel, folder, Surroundings())[1]
    return rows(unit, folder, Surroundings())[1]


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("target", ["gfx90a", "gfx1100"])
def test_native_formats_fit_into_registers(target: str, tmp_path: Path, libraries: Libraries) -> None:
    found = native_rows(target, "engine/native_products", "native_matmul_kernel", tmp_path, libraries)
    tokens = 3  # one kernel for up to 16 tokens, one for 32, and one for 64
    assert sum(row.kernel.startswith("native_matmul_kernel") for row in found) == tokens * len(FORMATS)
    assert list(violations(found, {})) == []


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("target", ["gfx1100", *(["gfx942"] if EVERYTHING else [])])
def test_a_step_with_native_formats_fits_into_registers(target: str, tmp_path: Path, libraries: Libraries) -> None:
    found = native_rows(target, "engine/engine", "decode_step_kernel", tmp_path, libraries)
    assert sum(row.kernel.startswith("decode_step_kernel") for row in found) == 2  # heads of 64 and of 128
    assert list(violations(found, {})) == []


def test_a_part_of_the_table_is_replaced() -> None:
    changed = replace(_kept("gfx90a", "matmul_kernel"), waves=7)
    part = table.Table({}, (changed,))
    whole = KEPT.updated(part, [changed.source])
    assert changed in whole.rows
    assert [row for row in whole.rows if row.source != changed.source] == [
        row for row in KEPT.rows if row.source != changed.source
    ]
    assert sum(row.source == changed.source for row in whole.rows) == 1


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "source", "width"),
    [("gfx90a", "prefill", 256), ("gfx1100", "batch_step", 80), ("gfx90a", "experts", 64)],
)
def test_general_engines_fit_into_registers(target: str, source: str, width: int, tmp_path: Path) -> None:
    _, found = rows(Unit(target, f"engine/{source}", general=width), tmp_path, Surroundings())
    assert found
    assert list(violations(found, {})) == []


def test_the_table_keeps_the_rules_and_has_all_sources() -> None:
    assert list(violations(KEPT.rows, KEPT.by_key())) == []
    assert {(row.target, row.source) for row in KEPT.rows} == {
        (target, source) for target in TARGETS for source in sources()
    }


def test_the_page_is_that_of_the_table() -> None:
    assert page.FILE.read_text(encoding="utf-8") == page.text(KEPT)


def _kept(target: str, kernel: str) -> Row:
    return next(row for row in KEPT.rows if row.target == target and row.kernel.startswith(kernel))


@pytest.mark.parametrize(
    ("worse", "said"),
    [
        ({"scratch": 24}, "24 bytes of scratch"),
        ({"vgpr_spills": 1}, "1 spilled VGPRs"),
        ({"sgpr_spills": 999}, "999 spilled SGPRs"),
        ({"waves": 0}, "0 waves per SIMD"),
        ({"counts": Counts(matrix=0, loads=9, wide_loads=9)}, "no matrix instructions"),
        ({"counts": Counts(matrix=9, loads=9, wide_loads=0)}, "no loads of 16 bytes"),
        ({"kernel": "new_kernel", "sgpr_spills": 1}, "1 spilled SGPRs"),
    ],
)
@pytest.mark.parametrize("target", ["gfx90a", "gfx1100"])
def test_what_is_worse_is_said(target: str, worse: dict[str, object], said: str) -> None:
    row = _kept(target, "matmul_kernel")
    found = "\n".join(violations([replace(row, **worse)], KEPT.by_key()))  # type: ignore[arg-type]
    assert said in found and "gfx" in found
    assert list(violations([row], KEPT.by_key())) == []


def test_without_matrix_instructions_none_are_asked_for() -> None:
    row = _kept("gfx1030", "matmul_kernel")
    assert row.counts.matrix == 0 and list(violations([row], KEPT.by_key())) == []


LISTING = """
app.co:	file format elf64-amdgpu

0000000000001900 <_Z4loopPf>:
	global_load_dwordx4 v[0:3], v4, s[0:1]                     // 000000001900: DC5C8000 00000004
	v_mfma_f32_16x16x16f16 v[0:3], v[4:5], v[6:7], v[0:3]      // 000000001908: D3CD0000 04020D04
	global_load_dword v0, v4, s[0:1]                           // 000000001910: DC508000 00000004
	global_load_dwordx4 v[0:3], v4, s[0:1]                     // 000000001918: DC5C8000 00000004
	ds_read_b128 v[0:3], v5                                    // 000000001920: D9FE0000 00000005
	ds_read_b32 v0, v5                                         // 000000001928: D86C0000 00000005
	s_cbranch_scc1 65527                                       // 000000001930: BF85FFF7 <_Z4loopPf+0x10>
	ds_read_b128 v[0:3], v5                                    // 000000001934: D9FE0000 00000005
	s_cbranch_execz 1                                          // 00000000193C: BF880001 <_Z4loopPf+0x44>
	s_nop 0                                                    // 000000001940: BF800000
	s_endpgm                                                   // 000000001944: BF810000

0000000000001a00 <_Z3endv>:
	global_load_b128 v[0:3], v4, s[0:1]                        // 000000001A00: DC5E0000 00000004
	s_branch 65533                                             // 000000001A08: BFA0FFFD <_Z3endv>
"""


def test_loads_count_in_loops_only() -> None:
    found = {symbol: count(instructions) for symbol, instructions in functions(LISTING)}
    assert found == {"_Z4loopPf": Counts(1, 2, 1, 2, 1), "_Z3endv": Counts(0, 1, 1, 0, 0)}


def test_names_are_short() -> None:
    name = "void hipport_llm::(anonymous namespace)::copy_kernel<float>(float const*, float*, int)"
    assert short(name) == "copy_kernel<float>"
    assert short("hipport_llm::sample_kernel(hipport_llm::NextTokens, int)") == "sample_kernel"
