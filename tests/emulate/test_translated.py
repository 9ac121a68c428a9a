"""Inline PTX and the compat headers as machine code: the results are those of the models, which an NVIDIA GPU confirms.

`HIPPORT_TEST_ALL=1` runs the PTX cases on all targets.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.mappings.loader import Tables
from tests.emulate.conftest import TARGETS, Fat, emulated
from tests.shared import EVERYTHING
from tests.translate.ptx.program import FOLDER, MEMORY, cases, translated

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

COMPAT = Path(__file__).parents[2] / "fixtures" / "compat"
PTX_TARGETS = TARGETS if EVERYTHING else ("gfx90a", "gfx1100")
GROUP_TARGETS = TARGETS if EVERYTHING else ("gfx942", "gfx1151")
LANES = {target: 64 if target.startswith("gfx9") else 32 for target in TARGETS}


@pytest.fixture(scope="module")
def ptx(fat: Fat, tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that compares all cases with the model."""
    return fat("ptx", [translated(tmp_path_factory, tables)], "-std=c++17", "-I", str(FOLDER), targets=PTX_TARGETS)


@pytest.mark.parametrize("target", PTX_TARGETS)
def test_translated_ptx_computes_what_the_model_says(ptx: Path, cache: Path, target: str) -> None:
    done = emulated("--emulate", target, str(ptx), cwd=ptx.parent, cache=cache)
    wanted = f"\n0 of {len(cases()) + len(MEMORY)} instructions are wrong\n"
    wrong = [line for line in done.stdout.splitlines() if "ok" not in line.lower().split()]
    assert done.stdout.endswith(wanted), "\n".join(wrong)[-4000:] + done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("target", GROUP_TARGETS)
def test_groups_of_the_compat_headers_pass(fat: Fat, cache: Path, target: str) -> None:
    path = fat("groups", [COMPAT / "groups.hip"], targets=GROUP_TARGETS)
    done = emulated("--emulate", target, str(path), cwd=path.parent, cache=cache)
    assert (done.returncode, done.stdout) == (0, f"PASS: groups, wavefronts of {LANES[target]}\n"), done.stderr
