"""What the emulator sees of a kernel: its counts, and the instructions that a wavefront executes."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hipport import codeobject
from hipport.builds.shipped import Target
from hipport.codeobject.model import BundleEntry, Kernel
from hipport.emulate.profile import KernelProfile, read
from hipport.emulate.surroundings import emulated
from hipport.emulate.tools import Observed, ToolName, observe
from hipport.errors import HipportError
from hipport.llm.harness.binding import library
from hipport.toolchain.places import Surroundings
from hipport.toolchain.process import run
from hipport.toolchain.tools import find_tools
from scripts.amd_prediction.assembly import Instruction, listed
from scripts.amd_prediction.workload import Launch

_TRACED = re.compile(r"^([0-9a-f]{6,})  \S")


@dataclass(frozen=True, slots=True)
class Seen:
    """A launch in the emulator. `waves`: the wavefronts of a work-group. `fits`: the most on a SIMD. `conflicts`:
    cycles of the LDS for each cycle without bank conflicts. `trace`: what a wavefront executes."""

    groups: int
    waves: int
    fits: int
    conflicts: float
    trace: tuple[Instruction, ...]


def see(launch: Launch, target: str) -> Seen:
    """Run a launch in the emulator for its trace and, unless it is a phase of a step, for its counts.

    A phase has a work-group for each unit, and less than one bank conflict for a hundred cycles. Raises `HipportError`.
    """
    entry, kernel, data = _kernel(target, launch.symbol)
    code = _disassembled(data[entry.offset : entry.offset + entry.size], kernel.name)
    lines = _watched(launch, target, "trace", kernel.name).lines
    groups, block, conflicts = launch.units, kernel.max_workgroup_size, 1.0
    if launch.parts is not None:
        record = next(each for each in _watched(launch, target, "profile").records() if each["symbol"] == kernel.name)
        groups, block, conflicts = int(record["groups"]), int(record["block"]), _conflicts(read([record])[0])
    fits = kernel.occupancy.waves if kernel.occupancy else 1
    return Seen(groups, -(-block // kernel.wavefront_size), fits, conflicts, tuple(executed(code, lines)))


def _conflicts(counts: KernelProfile) -> float:
    ideal = (counts.shared_loaded + counts.shared_stored) / 128
    return 1.0 + counts.bank_conflicts / ideal if ideal else 1.0


def executed(code: Iterable[Instruction], lines: Iterable[str]) -> list[Instruction]:
    """Return the instructions of a trace, which begins with the kernel's first. Raises `HipportError`."""
    by_address = {one.address: one for one in code}
    offsets = [int(match[1], 16) for match in map(_TRACED.match, lines) if match]
    if not offsets or not by_address:
        raise HipportError("the emulator traced no instructions")
    start = min(by_address) - offsets[0]
    try:
        return [by_address[start + offset] for offset in offsets]
    except KeyError as error:
        raise HipportError(f"the trace leaves the kernel's code at {error}") from None


def _watched(launch: Launch, target: str, tool: ToolName, trace: str = "") -> Observed:
    variables = emulated(target, os.environ, Surroundings(), lambda text: None)
    variables["HIPPORT_CPU_THREADS"] = str(launch.units)
    module = "scripts.amd_prediction.launch"
    command = [sys.executable, "-m", module, target, launch.kernel, json.dumps(dict(launch.emulated))]
    seen = observe(command, Path(sys.executable), variables, tool, trace)
    if seen.status != 0:
        raise HipportError(f"{launch.kernel} on {target} ended with {seen.status}")
    return seen


def _kernel(target: str, part: str) -> tuple[BundleEntry, Kernel, bytes]:
    """Return the kernel of the harness's library whose mangled name has a part. Raises `HipportError`."""
    path = library(Target("amd", (target,)), Surroundings(), lambda text: None)
    for bundle in codeobject.read(path).bundles:
        for entry in bundle.entries:
            for kernel in entry.kernels:
                if part in kernel.name:
                    return entry, kernel, path.read_bytes()
    raise HipportError(f"{path} has no kernel {part}")


def _disassembled(code: bytes, symbol: str) -> list[Instruction]:
    """Return a function's instructions, from the first llvm-objdump that knows the target."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "code"
        file.write_bytes(code)
        for tool in find_tools("llvm-objdump", Surroundings()):
            answer = run([tool, "-d", f"--disassemble-symbols={symbol}", file], timeout=120)
            found = listed(answer.stdout) if answer and answer.status == 0 else []
            if found:
                return found
    raise HipportError(f"no llvm-objdump can disassemble {symbol}")
