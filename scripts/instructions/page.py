"""Write the instruction tables of docs/emulation.md, and the list of all instructions in docs/emulated-instructions.md.

    python -m scripts.instructions.page [--all] LIBRARY

LIBRARY is the emulator's: `libamdhip64.so` in a folder of ~/.cache/hipport/emulator. With `--all`, every instruction
of every processor is printed with what is known of it, and nothing is written.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.instructions.all_cases import all_cases
from scripts.instructions.machine import Machine
from scripts.instructions.memory_cases import memory_cases
from scripts.instructions.record import differences, recorded
from scripts.instructions.tables import VECTOR, Instruction, instructions

PAGE = Path(__file__).parents[2] / "docs" / "emulation.md"
LIST = PAGE.with_name("emulated-instructions.md")
_LIST_START = """\
# All instructions of the emulator

Written by `python -m scripts.instructions.page` from the emulator's tables and the recorded results of the oracle.

- **O**: executed, and compared with tinygrad's emulator, with random lanes, masks and edge values.
- **R**: executed, and compared with a reference that is written from the pseudo code of AMD's documents (memory).
- **P**: executed, and its product compared with numpy.
- **C**: executed, and its conversion compared with ml_dtypes.
- **x**: executed, and checked by no oracle.
- **-**: not executed: it stops the program. An empty cell: the target has no such instruction.

The last column says why a result may differ from hardware in its last bits. Image instructions are not listed.

"""
RECORDED = {
    "gfx90a": "gfx942", "gfx942": "gfx942", "gfx950": "gfx942", "gfx1030": "gfx1100", "gfx1100": "gfx1100",
    "gfx1151": "gfx1100", "gfx1201": "gfx1201",
}  # fmt: skip
"""Whose recorded results of the oracle a processor is compared with."""
_START, _END = "<!-- instructions: python -m scripts.instructions.page -->\n", "<!-- end of instructions -->"
_MATRIX = re.compile(r"v_(mfma|smfmac|wmma|swmmac)_")
_HOST_PRECISION = re.compile(r"v_(?:s_)?(rcp|rsq|sqrt|exp|log|sin|cos)_")
_ORDER = re.compile(r"v_(dot2\w*_f|dot4_f32|(mfma|smfmac|wmma|swmmac)_(f|bf))")
_CONVERSION = re.compile(r"v_cvt_(scalef32_\w+|(pk_)?f32_(fp8|bf8)|pk_(fp8|bf8|bf16)_f32)|v_prng_b32")
"""Instructions that tests/emulate/test_small_numbers.py compares."""
_MEMORY = ("SMEM", "DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF")


@dataclass(frozen=True)
class Status:
    """Facts about an instruction: how it was checked and why it may be inexact.

    `checked` is "oracle" (tinygrad's emulator), "reference" (AMD's pseudo code, for memory), "product" (of matrices,
    by numpy), "conversion" (by ml_dtypes) or "".
    """

    name: str
    kind: str
    is_executed: bool
    checked: str
    inexact: str


def status(machine: Machine, processor: str) -> Iterator[Status]:
    """Yield the status of each instruction of a processor, by mnemonic."""
    results = recorded(RECORDED[processor])
    agreed = {
        case.instruction.mnemonic
        for case in all_cases(processor)
        if results.get(case.key, "-") != "-" and not differences(processor, case.key)
    }
    referred = {case.instruction.mnemonic for case in memory_cases(processor)}
    seen: dict[str, Status] = {}
    for instruction in instructions(processor):
        name = instruction.mnemonic
        executed = is_executed(machine, processor, instruction)
        if name in seen and (seen[name].is_executed or not executed):
            continue
        matrix = _MATRIX.match(name) is not None
        checked = "product" if matrix and executed else "oracle" if name in agreed else ""
        checked = checked or ("reference" if name in referred and executed else "")
        checked = checked or ("conversion" if _CONVERSION.fullmatch(name) and executed else "")
        inexact = "host's precision" if _HOST_PRECISION.match(name) else "order of sums" if _ORDER.match(name) else ""
        seen[name] = Status(name, kind_of(instruction), executed, checked, inexact)
    yield from seen.values()


def kind_of(instruction: Instruction) -> str:
    """Return the row of the table for an instruction."""
    if _MATRIX.match(instruction.name):
        return "matrix"
    if instruction.format.name in _MEMORY:
        return "memory"
    return "scalar" if instruction.format.name.startswith("SOP") else "vector"


def is_executed(machine: Machine, processor: str, instruction: Instruction) -> bool:
    """Return whether the emulator executes an instruction."""
    values = {}
    for slot in instruction.slots:
        if slot.bank:
            values[slot.name] = 16 + (
                VECTOR if instruction.format.fields[slot.name][1] == 9 and slot.bank != "s" else 0
            )
    name = machine.name(processor, instruction.encoded(values) + bytes(8))
    return name != "" and "!" not in name


def tables(machine: Machine) -> str:
    """Return the part of the page that is generated."""
    known = {processor: list(status(machine, processor)) for processor in RECORDED}
    kinds = ("scalar", "vector", "matrix", "memory")
    lines = ["| target | " + " | ".join(kinds) + " | checked |", "|---" * (len(kinds) + 2) + "|"]
    for processor, found in known.items():
        cells = [counted([one for one in found if one.kind == kind]) for kind in kinds]
        run = [one for one in found if one.is_executed]
        checked = sum(bool(one.checked) for one in run)
        lines.append(f"| {processor} | " + " | ".join(cells) + f" | {checked} of {len(run)} |")
    lines += ["", "Instructions that are not executed:", ""]
    missing: dict[str, list[str]] = defaultdict(list)
    for processor, found in known.items():
        for one in found:
            if not one.is_executed:
                missing[shortened(one.name)].append(processor)
    groups: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, processors in missing.items():
        groups[tuple(dict.fromkeys(processors))].add(name)
    for targets, members in groups.items():
        lines.append(f"- {', '.join(targets)}: " + ", ".join(f"`{name}`" for name in sorted(members)))
    inexact = sorted({shortened(one.name) for found in known.values() for one in found if "host" in one.inexact})
    lines += ["", "In the host's precision: " + ", ".join(f"`{name}`" for name in inexact) + ".", ""]
    return "\n".join(lines)


def shortened(name: str) -> str:
    """Return the name of a family of instructions."""
    for start in ("v_cvt_scalef32", "s_cbranch_cdbg", "ds_gws", "v_interp", "s_scratch", "s_dcache_discard"):
        if name.startswith(start):
            return start + "_*"
    if match := re.match(
        r"(s_(?:buffer_)?atomic|s_(?:buffer_)?store|buffer_(?:load|store)(?:_d16)?(?:_hi)?_format)", name
    ):
        return match[1] + "_*"
    match = re.match(r"(v_(?:s_)?(?:rcp|rsq|sqrt|exp|log|sin|cos))_", name)
    return match[1] + "_*" if match else name


def counted(found: list[Status]) -> str:
    """Return how many instructions are executed, of how many."""
    return f"{sum(one.is_executed for one in found)} of {len(found)}" if found else ""


def rendered(page: str, machine: Machine) -> str:
    """Return the page with fresh tables."""
    before, rest = page.split(_START)
    return before + _START + tables(machine) + _END + rest.split(_END, 1)[1]


_SIGNS = {"oracle": "O", "reference": "R", "product": "P", "conversion": "C", "": "x"}


def listed(machine: Machine) -> str:
    """Return the page with all instructions."""
    known = {processor: {one.name: one for one in status(machine, processor)} for processor in RECORDED}
    names = sorted({name for found in known.values() for name in found})
    lines = ["| instruction | " + " | ".join(known) + " | inexact |", "|---" * (len(known) + 2) + "|"]
    for name in names:
        all_found = [found.get(name) for found in known.values()]
        signs = ["" if one is None else _SIGNS[one.checked] if one.is_executed else "-" for one in all_found]
        reason = next((one.inexact for one in all_found if one and one.inexact), "")
        lines.append(f"| `{name}` | " + " | ".join(signs) + f" | {reason} |")
    return _LIST_START + "\n".join(lines) + "\n"


def main() -> None:
    """Write the page, or print all instructions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("library", type=Path)
    arguments = parser.parse_args()
    machine = Machine(arguments.library)
    if not arguments.all:
        PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8"), machine), encoding="utf-8")
        LIST.write_text(listed(machine), encoding="utf-8")
        return
    for processor in RECORDED:
        for one in status(machine, processor):
            print(
                processor, one.name, "executed" if one.is_executed else "-", one.checked or "-", one.inexact or "exact"
            )


if __name__ == "__main__":
    main()
