"""Read which LLVM wrote a bitcode file: its first block names the producer, `LLVM15.0.6`, in six bits per character."""

from __future__ import annotations

import re
import string
from pathlib import Path

_ALPHABET = string.ascii_lowercase + string.ascii_uppercase + string.digits + "._"
_LOOKED_AT = 64  # bytes: the block is at the very beginning
_LONGEST = 14
_PRODUCER = re.compile(r"LLVM(\d+)\.\d")


def llvm_release(path: Path) -> int | None:
    """Return the major LLVM release that wrote a file; None if it is not recorded or the file cannot be read.

    The bit offset of the name within the block depends on abbreviations, so every offset is tried.
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(_LOOKED_AT)
    except OSError:
        return None
    bits = int.from_bytes(data, "little")
    for start in range(8 * len(data) - 6 * _LONGEST):
        text = "".join(_ALPHABET[bits >> (start + 6 * index) & 63] for index in range(_LONGEST))
        if match := _PRODUCER.match(text):
            return int(match[1])
    return None
