"""Texture references, which HIP has deprecated: variables that the program binds to memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_build import built
from tests.emulate.conftest import emulated
from tests.shared import made_once

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

TARGETS = ("gfx90a", "gfx1030", "gfx1201")
_SOURCE = str(Path(__file__).parent / "texture_references.hip")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        options = ("--offload-arch", ",".join(TARGETS), _SOURCE, "--", "-Wno-deprecated-declarations")
        built("-o", "program", *options, cwd=folder)
        built("--genco", "-o", "module.hipfb", *options, cwd=folder)

    return made_once(tmp_path_factory, "texture-references", make)


@pytest.mark.parametrize("target", TARGETS)
def test_kernels_read_what_references_are_bound_to(folder: Path, cache: Path, target: str) -> None:
    done = emulated("--emulate", target, "./program", "module.hipfb", cwd=folder, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")
