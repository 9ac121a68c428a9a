"""Copies of CUDA's own headers that projects carry, such as `cudart/vector_types.h`: they conflict with HIP's."""

from __future__ import annotations

from pathlib import PurePath

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.tables import Tables
from hipport.translate.conversion import Conversion
from hipport.translate.inclusion import RUNTIME

_LICENSE = re.compile(rb"NVIDIA Corporation[^\0]{,400}NOTICE TO (?:LICENSEE|USER)")
_GUARD = re.compile(rb"^[ \t]*#[ \t]*if(?:ndef[ \t]+|[ \t]+!defined[ \t]*\(?[ \t]*)(\w+)", re.MULTILINE)
_START = 8000
"""Bytes in which the license and the include guard stand."""


def replaced(data: bytes, name: str, tables: Tables) -> Conversion | None:
    """Return a file that includes HIP's header if `data` is a copy of a header of the CUDA toolkit, else None."""
    start = data[:_START]
    header = PurePath(name).name
    entry = tables.headers.get(header)
    if entry is None or not _LICENSE.search(start) or not _is_guarded_as(header, start):
        return None
    hip = entry.hip or RUNTIME
    newline = b"\r\n" if b"\r\n" in start else b"\n"
    lines = ("#pragma once", f"// HIP's header instead of this copy of CUDA's {header}.", f"#include <{hip}>", "")
    message = f"this copy of CUDA's {header} is replaced by HIP's {hip}"
    found = Diagnostic(name, 1, 1, "HP108", Severity.NOTE, message)
    return Conversion(newline.join(map(str.encode, lines)), (found,), includes=(hip,))


def _is_guarded_as(header: str, start: bytes) -> bool:
    """Return whether the first guard is the toolkit's for the header: `__VECTOR_TYPES_H__` for `vector_types.h`."""
    guard = _GUARD.search(start)
    return guard is not None and _letters(guard[1].decode()).endswith(_letters(header))


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
