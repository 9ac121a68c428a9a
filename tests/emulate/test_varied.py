"""Programs that use the language in many ways, at all levels of optimization, against the CPU target.

Each runs at one level on a target with wavefronts of 64 lanes and on one with 32; with `HIPPORT_TEST_ALL=1` at all
levels on all five.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cli.test_build import built
from tests.emulate.conftest import emulated
from tests.shared import EVERYTHING

_FOLDER = Path(__file__).with_name("varied")
_WAVE_64, _WAVE_32 = ("gfx90a", "gfx942"), ("gfx1030", "gfx1100", "gfx1201")
_LEVELS = ("-O0", "-O1", "-O2", "-O3", "-g")
_WITHOUT: Mapping[str, tuple[str, ...]] = {
    "sampling": ("gfx942",),  # has no textures
    # The device libraries of ROCm 5.2 ask for the time by an instruction that gfx11 and later do not have, to wait for
    # memory, and for the grid by one that gfx12 does not have.
    "heaps": ("gfx1100", "gfx1201"),
    "grid_sync": ("gfx1201",),
}
_OPTIMIZED = ("grids",)
"""Without optimization those libraries keep a shift of the wavefront for counting barriers, unknown to gfx10."""


def _cases() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for i, path in enumerate(sorted(_FOLDER.glob("*.hip"))):
        possible = _LEVELS[1:4] if path.stem in _OPTIMIZED else _LEVELS
        levels = possible if EVERYTHING else (possible[i % len(possible)],)
        without = _WITHOUT.get(path.stem, ())
        pairs = [[one for one in family if one not in without] for family in (_WAVE_64, _WAVE_32)]
        some = tuple(pair[i % len(pair)] for pair in pairs)
        for level in levels:
            yield path.stem, level, (*pairs[0], *pairs[1]) if EVERYTHING else some


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize(("name", "level", "targets"), list(_cases()))
def test_machine_code_prints_what_the_cpu_target_prints(
    cache: Path, tmp_path: Path, name: str, level: str, targets: tuple[str, ...]
) -> None:
    source = str(_FOLDER / f"{name}.hip")
    built("--target", "cpu", "-o", "expected", source, cwd=tmp_path)
    built("--offload-arch", ",".join(targets), "-o", "program", source, "--", level, cwd=tmp_path)
    expected = subprocess.run([tmp_path / "expected"], capture_output=True, text=True, check=True, timeout=300)
    assert expected.stdout
    for target in targets:
        done = emulated("--emulate", target, "./program", cwd=tmp_path, cache=cache)
        assert (done.returncode, done.stdout, done.stderr) == (0, expected.stdout, ""), target
