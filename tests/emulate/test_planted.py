"""Defects planted in machine code: what `hipport verify` and `hipport run --check` find of each."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from scripts.instructions.machine import Machine
from tests.cli.test_build import built
from tests.emulate.conftest import PLANTED, emulated
from tests.shared import made_once

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

TARGETS = ("gfx90a", "gfx1100", "gfx1201")
_MACHINES = {0x3F: "gfx90a", 0x41: "gfx1100", 0x4E: "gfx1201"}
"""Processors by the lowest byte of the flags of their code objects."""
_AMD_GPU, _NO_OPERATION = 224, 0xBF800000

RESULT = "888 1912 2936 3960\n"

Change = Callable[[str, bytes], bytes]
"""Returns the machine code that takes the place of an instruction, from its name and its code."""


def _with(code: bytes, low: int, width: int, value: Callable[[int], int]) -> bytes:
    """Return code with another value of a field."""
    number, mask = int.from_bytes(code, "little"), (1 << width) - 1
    changed = number & ~(mask << low) | (value(number >> low & mask) & mask) << low
    return changed.to_bytes(len(code), "little")


def _wrong_row(name: str, code: bytes) -> bytes:
    control = int.from_bytes(code[4:], "little") >> 8 & 0x1FF if len(code) == 8 and code[0] == 0xFA else 0
    return _with(code, 40, 9, lambda _: 0x112) if control == 0x111 else code


def _masked_rows(name: str, code: bytes) -> bytes:
    control = int.from_bytes(code[4:], "little") >> 8 & 0x1FF if len(code) == 8 and code[0] == 0xFA else 0
    return _with(code, 60, 4, lambda _: 0b0001) if control == 0x118 else code


def _without(*starts: str) -> Change:
    nothing = _NO_OPERATION.to_bytes(4, "little")
    return lambda name, code: nothing * (len(code) // 4) if name.startswith(starts) else code


def _next_word(name: str, code: bytes) -> bytes:
    return _with(code, 0, 8, lambda offset: offset + 4) if name in ("ds_write_b32", "ds_store_b32") else code


def _five_threads(name: str, code: bytes) -> bytes:
    four = 128 + 4
    is_compare = name.startswith("v_cmp") and int.from_bytes(code[:4], "little") & 0x1FF == four
    is_long = name.startswith("v_cmp") and len(code) == 8 and int.from_bytes(code, "little") >> 32 & 0x1FF == four
    if is_long:
        return _with(code, 32, 9, lambda _: four + 1)
    return _with(code, 0, 9, lambda _: four + 1) if is_compare else code


@dataclass(frozen=True)
class Defect:
    """A change of machine code; whether the output changes, and which findings `--check` has."""

    change: Change
    changes_output: bool
    findings: frozenset[str]


DEFECTS = {
    "wrong_dpp_row": Defect(_wrong_row, True, frozenset()),
    "wrong_dpp_row_mask": Defect(_masked_rows, True, frozenset({"undefined-value"})),
    # Wavefronts take turns, so that the others have often written what one reads; the check does not depend on that.
    "missing_barrier": Defect(_without("s_barrier"), False, frozenset({"race", "undefined-value"})),
    "shared_address_off_by_one": Defect(_next_word, True, frozenset({"shared-out-of-bounds", "undefined-value"})),
    "mask_of_five_lanes": Defect(_five_threads, False, frozenset({"shared-out-of-bounds", "out-of-bounds"})),
    # Memory is always up to date in the emulator: what is not waited for is there.
    "missing_waits": Defect(_without("s_wait"), False, frozenset()),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        (folder / "sum.hip").write_text(PLANTED.read_text())
        built("--offload-arch", ",".join(TARGETS), "-o", "sum", "sum.hip", "--", "-gline-tables-only", cwd=folder)
        (folder / "original").write_text(f"#!/bin/sh\nprintf '{RESULT.strip()}\\n'\n")
        (folder / "original").chmod(0o755)

    return made_once(tmp_path_factory, "emulated-planted", make) / "sum"


def code_sections(program: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield the processor, the place and the size of the machine code of each code object in a fat binary."""
    at = program.find(b"\x7fELF", 1)
    while at >= 0:
        object_file = ELFFile(io.BytesIO(program[at:]))
        section = object_file.get_section_by_name(".text")
        if section is not None and object_file.header["e_machine"] in ("EM_AMDGPU", _AMD_GPU):
            yield _MACHINES[object_file.header["e_flags"] & 0xFF], at + section["sh_offset"], section["sh_size"]
        at = program.find(b"\x7fELF", at + 1)


def planted(program: Path, change: Change, machine: Machine, to: Path) -> Path:
    """Write a program with changed instructions, of which each code object has at least one."""
    code = bytearray(program.read_bytes())
    for processor, start, size in list(code_sections(bytes(code))):
        at, changes = start, 0
        while at < start + size:
            name, length = machine.decoded(processor, bytes(code[at : start + size]))
            old = bytes(code[at : at + (length or 4)])
            new = change(name.rstrip("!"), old) if length else old
            code[at : at + len(old)] = new
            changes += new != old
            at += len(old)
        assert changes, processor
    to.write_bytes(code)
    to.chmod(0o755)
    return to


def verified(original: Path, port: Path, target: str, cache: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hipport", "verify", "--original-exe", str(original), "--port-exe", str(port)]
    variables = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    return subprocess.run(
        [*command, "--emulate", target], cwd=port.parent, env=variables, capture_output=True, text=True, check=False
    )


def findings(program: Path, target: str, cache: Path, folder: Path) -> set[str]:
    report = folder / "report.json"
    options = ("--emulate", target, "--check", "--report", str(report))
    emulated(*options, str(program), cwd=folder, cache=cache)
    return {finding["kind"] for finding in json.loads(report.read_text())["findings"]}


@pytest.mark.parametrize("target", TARGETS)
def test_the_whole_program_has_no_defect(program: Path, cache: Path, tmp_path: Path, target: str) -> None:
    done = verified(program.parent / "original", program, target, cache)
    assert done.returncode == 0, done.stdout + done.stderr
    assert findings(program, target, cache, tmp_path) == set()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", DEFECTS)
def test_defects_are_found_as_documented(
    program: Path, cache: Path, machine: Machine, tmp_path: Path, name: str, target: str
) -> None:
    defect = DEFECTS[name]
    broken = planted(program, defect.change, machine, tmp_path / "broken")
    done = verified(program.parent / "original", broken, target, cache)
    assert done.returncode == int(defect.changes_output), done.stdout + done.stderr
    found = findings(broken, target, cache, tmp_path)
    assert found <= defect.findings
    assert bool(found) is bool(defect.findings)
