"""Shared memory up to the limit of the emulated GPU."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.emulate.conftest import Fat, emulated

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_SOURCE = Path(__file__).with_name("large_shared.hip")
_AMD_GPU = struct.pack("<HHI", 3, 224, 1)
"""Type, machine and version in the header of an ELF file."""
_FLAGS_BEHIND = 32
_GFX942, _GFX950 = 0x4C, 0x4F


def _for_gfx950(program: Path) -> Path:
    """Say of a program with code for gfx942 that it is for gfx950, which has the same instructions and more."""
    data = bytearray(program.read_bytes().replace(b"gfx942", b"gfx950"))
    at = data.find(_AMD_GPU)
    while at >= 0:
        flags = at + _FLAGS_BEHIND
        if data[flags] == _GFX942:
            data[flags] = _GFX950
        at = data.find(_AMD_GPU, at + 1)
    made = program.with_name("for_gfx950")
    made.write_bytes(data)
    made.chmod(0o755)
    return made


@pytest.mark.parametrize(("target", "limit"), [("gfx942", 64 << 10), ("gfx950", 160 << 10)])
def test_shared_memory_up_to_the_limit(fat: Fat, cache: Path, tmp_path: Path, target: str, limit: int) -> None:
    program = fat("large_shared", [_SOURCE], targets=["gfx942"])
    if target == "gfx950":
        program = _for_gfx950(program)
    done = emulated("--emulate", target, str(program), cwd=tmp_path, cache=cache)
    count, blocks = limit // 4, min(8, limit // 4000)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"{limit} {limit}",
        f"1000: fits, {blocks} blocks, 0 wrong",
        f"{count}: fits, 1 blocks, 0 wrong",
        f"{count + 1}: does not fit, 0 blocks, {count + 1 - (count + 1) % 2} wrong",
    ]
