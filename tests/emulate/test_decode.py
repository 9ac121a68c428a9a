"""The emulator's decoder against LLVM's disassembler, over the machine code of whole programs."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hipport.codeobject import read
from tests.emulate.conftest import RUNS
from tests.llvm_releases import NEWER

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_LINE = re.compile(r"^\s+(\S+)(.*)// ([0-9A-F]{12}): ((?:[0-9A-F]{8} ?)+)")
_DUAL = re.compile(r"\bv_dual_(\w+)")
_SUFFIX = re.compile(r"_(e32|e64|dpp|sdwa)$")


def disassembled(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield mnemonic and bytes of each instruction."""
    tool = f"/usr/lib/llvm-{NEWER}/bin/llvm-objdump"
    text = subprocess.run([tool, "-d", path], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        if found := _LINE.match(line):
            name = " ".join(f"v_{half}" for half in _DUAL.findall(line)) or _SUFFIX.sub("", found[1])
            words = [int(word, 16) for word in found[4].split()]
            yield name, b"".join(word.to_bytes(4, "little") for word in words)


@pytest.fixture(scope="module")
def decoder(cache: Path) -> ctypes.CDLL:
    found = next((cache / "hipport" / "emulator").glob("*/libamdhip64.so"))
    return ctypes.CDLL(str(found))


@pytest.mark.parametrize(("program", "target"), RUNS)
def test_names_and_sizes_are_those_of_llvm(
    executable: Callable[[str], Path], decoder: ctypes.CDLL, tmp_path: Path, program: str, target: str
) -> None:
    path = executable(program)
    data = path.read_bytes()
    checked = 0
    for bundle in read(path).bundles:
        for entry in bundle.entries:
            if entry.target_id.split(":")[0] != target:
                continue
            code = tmp_path / "code"
            code.write_bytes(data[entry.offset : entry.offset + entry.size])
            for name, encoding in disassembled(code):
                room = ctypes.create_string_buffer(200)
                size = decoder.hipport_decode(target.encode(), encoding, len(encoding), room, 200)
                assert (size, room.value.decode()) == (len(encoding), name)
                checked += 1
    assert checked > 50
