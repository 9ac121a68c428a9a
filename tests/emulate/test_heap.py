"""malloc(), free(), new and delete of many sizes in kernels with many threads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulate.conftest import GENERATIONS, Fat, emulated

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_SOURCE = Path(__file__).with_name("heap.hip")
_TARGETS = (*GENERATIONS, "gfx942")
# 270 threads make 6 objects with the numbers 0 to 5, of which a third stays.
_ALIVE, _SUM = 270 * 6 // 3, 270 * 15


@pytest.mark.parametrize("options", [(), ("-O0",)], ids=["O3", "O0"])
@pytest.mark.parametrize("target", _TARGETS)
def test_blocks_do_not_overlap(fat: Fat, cache: Path, tmp_path: Path, target: str, options: tuple[str, ...]) -> None:
    program = fat(f"heap{''.join(options)}", [_SOURCE], *options, targets=_TARGETS)
    done = emulated("--emulate", target, str(program), cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"0 wrong, {_ALIVE} alive, sum {_SUM}\n", "")
