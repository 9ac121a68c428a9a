"""Headers of ROCm in folders that a build names with `-I`: they are HIP already, and not the project's."""

from __future__ import annotations

from pathlib import Path

LIBRARY_MARKS = {
    "thrust": "thrust/system/hip/config.h",
    "hipcub": "hipcub/backend/rocprim/hipcub.hpp",
    "rocprim": "rocprim/rocprim_version.hpp",
}
"""A file by which the folder of each header library is known.

CUDA's Thrust has the same folder, and an unconfigured checkout of rocPRIM lacks its version.
"""
_MARKS = {**LIBRARY_MARKS, "hip": "hip/hip_version.h"}


def is_rocm_header(folder: Path, operand: str) -> bool:
    """Return whether a file below an include folder belongs to HIP or one of its header libraries."""
    mark = _MARKS.get(operand.partition("/")[0])
    return mark is not None and (folder / mark).is_file()
