"""Barriers and semaphores of the global wave sync (ds_gws_*), which work-groups of cooperative launches share."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.instructions.machine import ExecutionError, Machine, State
from scripts.instructions.tables import instructions
from tests.cli.test_build import built
from tests.emulate.conftest import emulated
from tests.shared import made_once

pytestmark = pytest.mark.toolchain

TARGETS = ("gfx90a", "gfx1030", "gfx1100")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        source = str(Path(__file__).parent / "grid_resources.hip")
        built("--offload-arch", ",".join(TARGETS), "-o", "grid_resources", source, cwd=folder)

    return made_once(tmp_path_factory, "grid-resources", make) / "grid_resources"


@pytest.mark.parametrize("target", TARGETS)
def test_work_groups_wait_for_each_other(program: Path, cache: Path, target: str) -> None:
    done = emulated("--emulate", target, str(program), cwd=program.parent, cache=cache)
    assert (done.stdout, done.stderr) == ("read 4, locked 5, met 15, passed 4\n", "")


@pytest.mark.parametrize("name", ["init", "barrier", "sema_v", "sema_br", "sema_p", "sema_release_all"])
def test_other_launches_have_no_global_wave_sync(machine: Machine, name: str) -> None:
    one = next(one for one in instructions("gfx90a") if one.name == f"ds_gws_{name}")
    with pytest.raises(ExecutionError, match="needs a cooperative launch"):
        machine.execute("gfx90a", one.encoded({"gds": 1}), State(64))
