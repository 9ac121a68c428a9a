"""Count matrix instructions in kernels, and the width of the loads in their loops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hipport.errors import HipportError
from hipport.toolchain.compilers import Compiler
from hipport.toolchain.places import Surroundings
from hipport.toolchain.process import run
from hipport.toolchain.tools import find_tool

_FUNCTION = re.compile(r"^([0-9a-f]+) <([^>]+)>:$")
_INSTRUCTION = re.compile(r"^\s+([a-z]\w*).*// ([0-9A-F]+):[0-9A-F ]+(?:<[^>+]+(?:\+0x([0-9a-f]+))?>)?")
_GLOBAL = re.compile(r"(?:global|flat|buffer)_load_")
_LOCAL = re.compile(r"ds_(?:read|load)")
_WIDE = re.compile(r"x4\b|b128|2addr_b64|read2_b64|2addr_stride64_b64|read2st64_b64")
_MATRIX = re.compile(r"v_(?:mfma|wmma)_")


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction; `at` is its byte offset in the function, `target` that of a branch's destination, else None."""

    name: str
    at: int
    target: int | None


@dataclass(frozen=True, slots=True)
class Counts:
    """Matrix instructions in a kernel, and the loads in its loops: all, and those of 16 bytes per lane."""

    matrix: int = 0
    loads: int = 0
    wide_loads: int = 0
    local_loads: int = 0
    wide_local_loads: int = 0


def counted(code_object: Path, compiler: Compiler, where: Surroundings) -> dict[str, Counts]:
    """Return the counts of a code object's functions by symbol, using the LLVM that built it. Raises `HipportError`."""
    answer = run([find_tool("llvm-objdump", where, compiler), "-d", code_object], timeout=120)
    if answer is None or answer.status != 0:
        raise HipportError(f"cannot disassemble {code_object}", hint=f"Is the llvm-objdump of {compiler} installed?")
    return {symbol: count(instructions) for symbol, instructions in functions(answer.stdout)}


def functions(listing: str) -> Iterator[tuple[str, list[Instruction]]]:
    """Yield the functions in the output of `llvm-objdump -d`."""
    symbol, start, found = "", 0, list[Instruction]()
    for line in listing.splitlines():
        if header := _FUNCTION.match(line):
            if found:
                yield symbol, found
            symbol, start, found = header[2], int(header[1], 16), []
        elif match := _INSTRUCTION.match(line):
            branch = match[1].startswith(("s_cbranch", "s_branch"))
            found.append(Instruction(match[1], int(match[2], 16) - start, int(match[3] or "0", 16) if branch else None))
    if found:
        yield symbol, found


def count(instructions: list[Instruction]) -> Counts:
    """Return the counts of one function. A loop is the code between a backward branch and its destination."""
    loops = [(each.target, each.at) for each in instructions if each.target is not None and each.target <= each.at]
    inside = [each.name for each in instructions if any(first <= each.at <= last for first, last in loops)]
    loads = [name for name in inside if _GLOBAL.match(name)]
    local = [name for name in inside if _LOCAL.match(name)]
    return Counts(
        sum(bool(_MATRIX.match(each.name)) for each in instructions),
        len(loads),
        _wide(loads),
        len(local),
        _wide(local),
    )


def _wide(names: list[str]) -> int:
    return sum(bool(_WIDE.search(name)) for name in names)
