"""Which LLVM wrote a bitcode file: its first block names the producer, `LLVM15.0.6`, six bits a character."""

from __future__ import annotations

import re
import string
from pathlib import Path

_ALPHABET = string.ascii_lowercase + string.ascii_uppercase + string.digits + "._"
_LOOKED_AT = 64  # bytes: the block stands at the very beginning
_LONGEST = 14
_PRODUCER = re.compile(r"LLVM(\d+)\.\d")


def llvm_release(path: Path) -> int | None:
    """The major release of LLVM that wrote a file; None if it does not say or cannot be read.

    Where in the block the name begins depends on abbreviations, at whatever bit: every one is tried.
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
