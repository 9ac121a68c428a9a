"""Explain names that nvcc reports as undefined, using the tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.mappings.life import release
from hipport.mappings.rows import Row

# The quotation marks in gcc's messages.
_QUOTED = r"[\"'\u2018](\w+)[\"'\u2019]"
_UNKNOWN = re.compile(rf'identifier "(\w+)" is undefined|{_QUOTED} was not declared|no member (?:named )?{_QUOTED}')
_FOR_AMD = ("__builtin_amdgcn_", "__ockl_", "__ocml_", "__amdgcn_", "__AMDGCN_")
_HIP = re.compile(r"(?:hip|HIP)[A-Z_]\w+")


def explain(text: str, cuda: tuple[int, int]) -> Iterator[str]:
    """Yield a line for each name reported as undefined that hipport can explain."""
    unknown = dict.fromkeys(next(filter(None, match.groups())) for match in _UNKNOWN.finditer(text))
    rows = _rows() if unknown else {}
    for name in unknown:
        if name.startswith(_FOR_AMD):
            yield f"{name} is only for AMD GPUs: put it inside #if defined(__HIP_PLATFORM_AMD__)"
        elif name in rows:
            yield from _dated(rows[name], cuda)
        elif _HIP.fullmatch(name):
            yield f"{name} has no counterpart in CUDA in hipport's tables"


def _rows() -> dict[str, Row]:
    from hipport.mappings.loader import load_libraries

    return {row.name: row for library in load_libraries() if not library.versions for row in library.names}


def _dated(row: Row, cuda: tuple[int, int]) -> Iterator[str]:
    """Explain why this CUDA release does not have a CUDA name."""
    hip = f" ({row.hip[0].name})" if row.hip else ""
    here = ".".join(map(str, cuda))
    if row.cuda.removed and cuda >= release(row.cuda.removed):
        yield f"{row.name}{hip} was removed in CUDA {row.cuda.removed}; this is {here}"
    elif row.cuda.added and cuda < release(row.cuda.added):
        yield f"{row.name}{hip} came with CUDA {row.cuda.added}; this is {here}"
