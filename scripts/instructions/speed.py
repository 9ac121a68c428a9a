"""Measure the emulator beside tinygrad's: the same code object for gfx1100, the same inputs, in turns.

    PYTHONPATH=TINYGRAD python -m scripts.instructions.speed [--rounds 5]

TINYGRAD is a checkout of https://github.com/tinygrad/tinygrad; it needs clang. It compiles each instruction when that
is first executed, which is shown apart. Processor time of whole processes is measured.
CC names the clang if it has another name.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from elftools.elf.elffile import ELFFile
from numpy.typing import NDArray

from hipport.codeobject import read

SOURCE = Path(__file__).with_name("speed.hip")
TARGET = "gfx1100"
COUNT, SIZE = 1 << 16, 128
_TILE, _THREADS = 16, 256


@dataclass(frozen=True)
class Measured:
    """Seconds of processor time of the fastest launch, of the first one, and the sum of the results."""

    least: float
    first: float
    checksum: float


_UNKNOWN = (0xE0AC000000000000, 0xE0B4000000000000)
"""buffer_gl0_inv and buffer_gl1_inv, which tinygrad does not decode: they have no effect in either emulator."""


class Loaded:
    """A code object in memory as it is executed, with the descriptors of its kernels."""

    def __init__(self, image: bytes) -> None:
        for code in _UNKNOWN:
            words = (code >> 32).to_bytes(4, "little") + (code & 0xFFFFFFFF).to_bytes(4, "little")
            image = image.replace(words, (0xBF800000).to_bytes(4, "little") * 2)  # s_nop
        path = Path(tempfile.mkstemp()[1])
        path.write_bytes(image)
        with path.open("rb") as stream:
            elf = ELFFile(stream)
            segments = [one for one in elf.iter_segments() if one["p_type"] == "PT_LOAD"]
            size = max(one["p_vaddr"] + one["p_memsz"] for one in segments)
            self.memory = ctypes.create_string_buffer(size + 4096)
            self.start = ctypes.addressof(self.memory)
            for one in segments:
                ctypes.memmove(self.start + one["p_vaddr"], one.data(), one["p_filesz"])
            symbols: Any = elf.get_section_by_name(".dynsym")
            self.size = size
            self.descriptors = {
                one.name.removesuffix(".kd"): self.start + one["st_value"]
                for one in symbols.iter_symbols()
                if one.name.endswith(".kd")
            }
        path.unlink()

    def field(self, kernel: str, offset: int, kind: Any) -> int:
        return int(kind.from_address(self.descriptors[kernel] + offset).value)


def user_data(loaded: Loaded, kernel: str, packet: int, arguments: int) -> list[int]:
    """Return the scalar registers that a kernel finds set, as the properties in its descriptor say."""
    properties = loaded.field(kernel, 56, ctypes.c_uint16)
    found: list[int] = [0] * 4 if properties & 1 else []
    for bit, value in ((1, packet), (2, 0), (3, arguments), (4, 0), (5, 0)):
        if properties >> bit & 1:
            found += [value & 0xFFFFFFFF, value >> 32]
    return found


def by_tinygrad(loaded: Loaded, rounds: int) -> Iterator[tuple[str, Measured]]:
    """Yield what tinygrad's emulator takes for each kernel."""
    from test.mockgpu.amd import emu  # type: ignore[import-not-found]

    for kernel, number, grid in (
        ("add", COUNT, (-(-COUNT // _THREADS), 1)),
        ("gemm", SIZE, (SIZE // _TILE, SIZE // _TILE)),
    ):
        total = COUNT if kernel == "add" else SIZE * SIZE
        index = np.arange(total)
        a, b = ((index % n).astype(np.float32) / np.float32(n) for n in (97, 89))
        c: NDArray[np.float32] = np.zeros(total, np.float32)
        arguments: NDArray[np.uint64] = np.zeros(64, np.uint64)
        arguments[:4] = [a.ctypes.data, b.ctypes.data, c.ctypes.data, number]
        packet: NDArray[np.uint32] = np.zeros(16, np.uint32)
        packet[1], packet[3], packet[4] = _THREADS | 1 << 16, grid[0] * _THREADS, grid[1]
        entry = loaded.descriptors[kernel] + loaded.field(kernel, 16, ctypes.c_int64)
        resources = loaded.field(kernel, 52, ctypes.c_uint32)
        local = loaded.field(kernel, 0, ctypes.c_uint32)
        resources = resources & ~(0x1FF << 15) | -(-local // 512) << 15  # the host fills in the size of shared memory
        data = user_data(loaded, kernel, packet.ctypes.data, arguments.ctypes.data)
        taken = []
        for _ in range(rounds + 1):
            start = time.process_time()
            emu.run_asm(entry, loaded.size, *grid, 1, _THREADS, 1, 1, arguments.ctypes.data, resources, 0,
                        "rdna3", data)  # fmt: skip
            taken.append(time.process_time() - start)
        yield kernel, Measured(min(taken[1:]), taken[0], float(c.astype(np.float64).sum()))


def by_us(program: Path, rounds: int) -> dict[str, Measured]:
    """Return what this emulator takes for each kernel."""
    command = [sys.executable, "-m", "hipport", "run", "--emulate", TARGET, str(program)]
    numbers = [str(COUNT), str(SIZE), str(rounds)]
    done = subprocess.run([*command, *numbers], check=True, capture_output=True, text=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {name: Measured(float(least), 0, float(checksum)) for name, least, checksum in lines}


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "speed"
        build = ["build", "--offload-arch", TARGET, "-o", str(program), str(SOURCE)]
        subprocess.run([sys.executable, "-m", "hipport", *build], check=True, capture_output=True)
        entries = [entry for bundle in read(program).bundles for entry in bundle.entries if entry.target_id == TARGET]
        (entry,) = entries
        image = program.read_bytes()[entry.offset : entry.offset + entry.size]
        theirs = dict(by_tinygrad(Loaded(image), rounds))
        ours = by_us(program, 20 * rounds)
    print("| kernel | this emulator, ms | tinygrad's, ms | ratio | tinygrad's first launch, s |\n|---|---|---|---|---|")
    for name, one in ours.items():
        other = theirs[name]
        assert abs(one.checksum - other.checksum) <= 1e-6 * abs(one.checksum), (name, one, other)
        print(f"| {name} | {one.least * 1e3:.3f} | {other.least * 1e3:.1f} | {other.least / one.least:,.0f} "
              f"| {other.first:.1f} |")  # fmt: skip


if __name__ == "__main__":
    main()
