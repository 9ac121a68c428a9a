"""tex2Dgather, which gfx9 lacks: HIP's own counts the components of texture objects from 1."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.test_build import built
from tests.emulate.conftest import Fat, emulated

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_SOURCE = str(Path(__file__).parent / "gather.cu")


@pytest.mark.parametrize("target", ["gfx1030", "gfx1100", "gfx1201"])
def test_on_amd_gpus(target: str, fat: Fat, tmp_path: Path, cache: Path) -> None:
    program = fat("gather", [], _SOURCE, targets=("gfx1030", "gfx1100", "gfx1201"))
    done = emulated("--emulate", target, str(program), cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout) == (0, "PASS: gather\n"), done.stderr


def test_on_the_cpu(tmp_path: Path) -> None:
    built("--target", "cpu", _SOURCE, "-o", "program", cwd=tmp_path)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, "PASS: gather\n"), done.stderr
