"""The encodings of all memory cases: LLVM prints what the case means, and assembles that text to the same code."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.emulate.library import TARGETS
from hipport.toolchain.places import Surroundings
from hipport.toolchain.tools import find_tools
from scripts.instructions.buffer_formats import printed
from scripts.instructions.cases import Case
from scripts.instructions.machine import Machine
from scripts.instructions.memory_cases import BASE, OFFSET, RESOURCE, format_of, memory_cases, null
from scripts.learn_instructions import disassembled
from tests.emulate.test_encodings import knows

pytestmark = pytest.mark.toolchain

_ENCODING = re.compile(r"encoding: \[(.*)\]")


def assembled(tool: Path, processor: str, texts: list[str]) -> list[bytes]:
    """Return the code of each text; nothing of one that LLVM rejects."""
    found = []
    command = [str(tool), "-arch=amdgcn", f"-mcpu={processor}", "-show-encoding"]
    # A label before each text says to which one an encoding belongs.
    source = "\n".join(f"L{i}:\n{text}" for i, text in enumerate(texts))
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    parts = re.split(r"^L\d+:$", done.stdout, flags=re.MULTILINE)[1:]
    for part in parts:
        match = _ENCODING.search(part)
        found.append(bytes.fromhex(match[1].replace("0x", "").replace(",", "")) if match else b"")
    return found


def expected_words(processor: str, case: Case) -> Iterator[str]:
    """Yield what must be in the text of a case."""
    values, form = case.values, case.instruction.format.name
    constant = values.get("offset", 0)
    if form in ("GLOBAL", "FLAT", "SCRATCH"):
        yield f"offset:{constant}"
    if form == "GLOBAL" and values["saddr"] != null(processor):
        yield f"s[{BASE}:{BASE + 1}]"
    if form == "SCRATCH" and values["saddr"] != null(processor):
        yield f"s{OFFSET}"
    if form == "SCRATCH" and ("+vector" in case.label or "+both" in case.label):
        yield "v8"
    known = format_of(case)
    if known is not None and case.instruction.name.startswith("t"):
        yield printed(processor, known)
    if form in ("MUBUF", "MTBUF"):
        yield from (f"s[{RESOURCE}:{RESOURCE + 3}]", f"s{OFFSET}", f"offset:{constant}")
        yield from (word for word in ("offen", "idxen") if values.get(word))
    if form == "DS" and re.search(r"(read|write|wrxchg)2|2addr", case.instruction.name) and values["offset0"]:
        yield f"offset0:{values['offset0']}"
    if "+return" in case.label:
        yield "TH_ATOMIC_RETURN" if processor >= "gfx12" and not processor.startswith("gfx9") else _returning(processor)


def _returning(processor: str) -> str:
    return "sc0" if processor in ("gfx942", "gfx950") else "glc"


@pytest.mark.parametrize("processor", TARGETS)
def test_llvm_assembles_what_it_prints_of_our_encodings(machine: Machine, processor: str) -> None:
    tools = [tool for tool in find_tools("llvm-mc", Surroundings()) if knows(tool, processor)]
    if not tools:
        pytest.skip(f"there is no llvm-mc that knows {processor}")
    cases = list(memory_cases(processor))
    numbers = [(int.from_bytes(case.code, "little"), case.instruction.format.size) for case in cases]
    texts = disassembled(str(tools[-1]), processor, numbers)
    known = [(case, texts[number]) for case, (number, _) in zip(cases, numbers, strict=True) if number in texts]
    wrong = []
    for (case, text), code in zip(known, assembled(tools[-1], processor, [text for _, text in known]), strict=True):
        if text.split(" ")[0] != case.instruction.name or machine.name(processor, case.code) != case.instruction.name:
            continue  # a newer or an older name
        if "swizzle(ROTATE" in text:
            continue  # LLVM 21 prints it without its mask
        missing = [word for word in expected_words(processor, case) if word not in text]
        if code != case.code or missing:
            wrong.append((case.key, text, missing, code.hex(), case.code.hex()))
    assert wrong == []
    assert len(known) > 700
