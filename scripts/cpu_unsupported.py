"""Write `hipport/include/cpu/hipport_cpu/unsupported/`: HIP names that the CPU target does not support.

    python -m scripts.cpu_unsupported

The names are those of the mapping tables and of the newest shipped list of ROCm names, without those that the CPU
target's headers declare themselves. The functions accept any arguments, report that they are not supported and return
an error status. Types and enumerators exist so that such calls compile: their values are arbitrary.
"""

from __future__ import annotations

import functools
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hipport.audit.evidence import shipped
from hipport.mappings.entry import Kind
from hipport.mappings.loader import load_libraries
from hipport.mappings.reverse import names
from hipport.support import include_dir

CPU = include_dir() / "cpu"
FOLDER = CPU / "hipport_cpu" / "unsupported"
_WORD = re.compile(r"[A-Za-z_]\w*")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_HANDLE = re.compile(
    r"\w*(?:Handle|Descr|Info|Params|Generator|Distribution|HybMat)(?:_t|_st)?|(?!hip(?:blas|fft|rand|solver|sparse))\w+_t"
    r"|hiprtcLinkState|hipTexRef|hipUserObject|hipGraphicsResource"
)
_FIRST_VALUE = 1000
NO_STATUS = frozenset(
    {"hipApiName", "hipGetCmdName", "hipKernelNameRef", "hipKernelNameRefByPtr", "hipGetStreamDeviceId"}
)
"""Functions that do not return a status."""


@dataclass(frozen=True, slots=True)
class Group:
    """A HIP header: its names match `prefix`, and its unsupported functions return `refusal` (of type `status`)."""

    name: str
    header: str
    prefix: str
    tables: frozenset[str]
    status: str
    refusal: str


GROUPS = (
    Group(
        "runtime",
        "hip/hip_runtime.h",
        r"(?:i?hip|HIP_)(?!rtc|blas|rand|fft|sparse|solver|cub|tensor|dnn|RTC)",
        frozenset({"runtime", "driver"}),
        "hipError_t",
        "hipErrorNotSupported",
    ),
    Group(
        "rtc",
        "hip/hiprtc.h",
        "(?:hiprtc|HIPRTC_)",
        frozenset({"nvrtc"}),
        "hiprtcResult",
        "HIPRTC_ERROR_INTERNAL_ERROR",
    ),
    *(
        Group(
            f"hip{name}",
            f"hip{name}/{header}.h",
            f"(?:hip{name}|HIP{name.upper()}_|(?:bsr|csr|prune)\\w+Info)",
            frozenset({f"cu{name}"}),
            status,
            refusal,
        )
        for name, header, status, refusal in (
            ("blas", "hipblas", "hipblasStatus_t", "HIPBLAS_STATUS_NOT_SUPPORTED"),
            ("rand", "hiprand_kernel", "hiprandStatus_t", "HIPRAND_STATUS_NOT_IMPLEMENTED"),
            ("fft", "hipfft", "hipfftResult", "HIPFFT_NOT_SUPPORTED"),
            ("solver", "hipsolver", "hipsolverStatus_t", "HIPSOLVER_STATUS_NOT_SUPPORTED"),
            ("sparse", "hipsparse", "hipsparseStatus_t", "HIPSPARSE_STATUS_NOT_SUPPORTED"),
        )
    ),
)


@functools.cache
def declared(header: str) -> frozenset[str]:
    """Return the names that a header of the CPU target declares itself, including macros."""
    command = ["c++", "-std=c++17", "-x", "c++", "-E", "-dD", "-P", "-DHIPPORT_ONLY_SUPPORTED", f"-I{CPU}", "-"]
    done = subprocess.run(command, input=f"#include <{header}>\n", capture_output=True, text=True, check=True)
    return words(done.stdout)


def words(code: str) -> frozenset[str]:
    """Return the C++ identifiers and keywords outside strings."""
    return frozenset(_WORD.findall(_STRING.sub('""', code)))


def known(group: Group) -> dict[str, Kind]:
    """Return the names of a group and their kinds."""
    own = re.compile(group.prefix)
    found = {
        name: origins[0].kind for name, origins in names(load_libraries()).items() if origins[0].library in group.tables
    }
    newest = shipped("rocm")[-1].folder.names
    found |= {name: one.kind for name, one in newest.items() if _folder(one.header) == _folder(group.header)}
    return {name: kind for name, kind in sorted(found.items()) if own.match(name)}


def _folder(header: str) -> str:
    return header.partition("/")[0]


def text(group: Group) -> str:
    """Return the header of a group."""
    have = declared(group.header)
    lacking = {name: kind for name, kind in known(group).items() if name not in have}
    lines = [
        "// SPDX-License-Identifier: MIT",
        "// Written by scripts/cpu_unsupported.py: what HIP has and the CPU target has not.",
        "#pragma once",
        "",
        '#include "declare.h"',
        "",
        "#ifndef HIPPORT_ONLY_SUPPORTED",
        *_types(name for name, kind in lacking.items() if kind is Kind.TYPE),
        *_constants(
            group, [name for name, kind in lacking.items() if kind in (Kind.ENUMERATOR, Kind.MACRO, Kind.VARIABLE)]
        ),
        *_functions(group, (name for name, kind in lacking.items() if kind is Kind.FUNCTION)),
        "#endif",
        "",
    ]
    return "\n".join(lines)


def _types(found: Iterable[str]) -> Iterator[str]:
    """Yield type definitions: structures with their members, handles as pointers, all others as integers."""
    members = shipped("rocm")[-1].folder.members | shipped("rocm")[-2].folder.members
    for name in found:
        if of := members.get(name):
            yield f"struct {name} {{\n  ::hipport::cpu::Anything {', '.join(sorted(of))};\n}};"
        elif _HANDLE.fullmatch(name):
            yield f"using {name} = struct hipport_unsupported_{name}*;"
        else:
            yield f"using {name} = int;"


def _constants(group: Group, found: Sequence[str]) -> Iterator[str]:
    if found:
        yield f"enum hipport_unsupported_{group.name} : int {{"
        yield f"  {found[0]} = {_FIRST_VALUE},"
        yield from (f"  {name}," for name in found[1:])
        yield "};"


def _functions(group: Group, found: Iterable[str]) -> Iterator[str]:
    for name in found:
        if name not in NO_STATUS:
            yield f"HIPPORT_UNSUPPORTED({group.status}, {group.refusal}, {name})"


def main() -> None:
    """Write all headers."""
    for group in GROUPS:
        path = FOLDER / f"{group.name}.h"
        path.write_text(text(group), encoding="utf-8")
        print(path.relative_to(CPU))


if __name__ == "__main__":
    main()
