"""List the targets of mapping tables that the headers of a ROCm release do not declare.

    python -m scripts.undeclared_targets --rocm 6.4 INCLUDE... [--library cub --library thrust]

The first INCLUDE is the folder with the libraries' headers, HIP's may be in another. clang looks every name up: the
text of the headers does not tell a name of `hipcub` from one of `hipcub::detail`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path

from hipport.mappings.loader import load
from hipport.mappings.tables import Tables

HEADERS: Mapping[str, Sequence[str]] = {
    "cub": ["hipcub/hipcub.hpp"],
    "cublas": ["hipblas/hipblas.h", "hipblaslt/hipblaslt.h"],
    "cufft": ["hipfft/hipfft.h", "hipfft/hipfftXt.h"],
    "curand": ["hiprand/hiprand.h", "hiprand/hiprand_kernel.h", "hiprand/hiprand_mtgp32_host.h"],
    "cusolver": ["hipsolver/hipsolver.h"],
    "cusparse": ["hipsparse/hipsparse.h"],
    "thrust": [
        f"thrust/{part}*.h"
        for part in ("", "async/", "iterator/", "mr/", "random/", "system/", "system/hip/", "type_traits/")
    ],
}
"""The headers that declare the targets of a table, as patterns."""

_NAME = re.compile(r"\w+(?:::\w+)*")
_BUILT_IN = frozenset({"int"})
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:el)?if.*", re.MULTILINE)
_FOUND = "using declaration cannot refer to"
"""Begins clang's message about a name that exists but is a namespace's, a scoped enumerator's or a class's member."""
_OPTIONS = [
    *("-x", "hip", "--cuda-host-only", "-nogpulib", "-std=c++17", "-D__HIP_PLATFORM_AMD__"),
    *("-fsyntax-only", "-w", "-ferror-limit=0", "-fno-caret-diagnostics", "-fno-spell-checking"),
]


def targets(tables: Tables, library: str) -> dict[str, list[str]]:
    """Return the names that HIP's own headers must declare for a table, each with the CUDA names that become it.

    An unqualified name is left out if the table has it with its namespace, too: it follows a `using namespace`.
    """
    found: dict[str, list[str]] = {}
    for entry in tables.names.values():
        if entry.library == library and entry.hip and not entry.support and _NAME.fullmatch(entry.hip.name):
            found.setdefault(entry.hip.name, []).append(entry.name)
    parts = {name.rpartition("::")[2] for name in found if "::" in name}
    return {name: given for name, given in found.items() if name not in parts and name not in _BUILT_IN}


def undeclared(names: Iterable[str], library: str, includes: Sequence[Path], compiler: str) -> list[str]:
    """Return the names that clang does not find, neither as macros nor as declarations."""
    headers = [path for pattern in HEADERS[library] for path in sorted(includes[0].glob(pattern))]
    if not headers:
        raise FileNotFoundError(f"no headers for the table of {library} in {includes[0]}")
    lines = ["#include <hip/hip_runtime.h>", *(f"#include <{path.relative_to(includes[0])}>" for path in headers)]
    at: dict[int, str] = {}
    wanted = frozenset(names)
    for name in sorted(wanted):
        lines += [f"#ifndef {name}"] if "::" not in name else []
        lines += [_use(name, len(lines), wanted)]
        at[len(lines)] = name
        lines += ["#endif"] if "::" not in name else []
    missing = {at[line] for line in _refused(lines, includes, compiler) if line in at}
    return sorted(missing - _conditions(headers[0].parent))


def _conditions(folder: Path) -> frozenset[str]:
    """Return the words in conditions of a library's headers: macros that its users define are among them."""
    lines = (line for path in folder.rglob("*.h*") for line in _CONDITION.findall(path.read_text(errors="replace")))
    return frozenset(word for line in lines for word in re.findall(r"\w+", line))


def _use(name: str, number: int, names: Set[str]) -> str:
    owner = name.rpartition("::")[0]
    if owner in names:  # clang refuses members at namespace scope before it looks them up
        return f"struct use{number} : ::{owner} {{ using ::{name}; }};"
    return f"namespace use{number} {{ using ::{name}; }}"


def _refused(lines: Sequence[str], includes: Sequence[Path], compiler: str) -> Iterable[int]:
    """Yield the numbers of the lines in which clang finds no declaration."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "names.hip")
        source.write_text("\n".join(lines) + "\n")
        paths = [option for path in includes for option in ("-isystem", str(path))]
        done = subprocess.run([compiler, *_OPTIONS, *paths, source], capture_output=True, text=True, check=False)
    if "fatal error:" in done.stderr:
        raise RuntimeError(done.stderr)
    for match in re.finditer(rf"^{re.escape(str(source))}:(\d+):\d+: error: (.*)", done.stderr, re.MULTILINE):
        if not match[2].startswith(_FOUND):
            yield int(match[1])


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("includes", type=Path, nargs="+")
    parser.add_argument("--rocm", required=True)
    parser.add_argument("--library", action="append", choices=list(HEADERS))
    parser.add_argument("--compiler", default="clang++")
    options = parser.parse_args()
    tables = load(rocm=options.rocm)
    for library in options.library or HEADERS:
        wanted = targets(tables, library)
        missing = undeclared(wanted, library, options.includes, options.compiler)
        print(f"{library}: {len(missing)} of {len(wanted)} targets are not declared")
        print("".join(f"  {name}: for {', '.join(wanted[name])}\n" for name in missing), end="")


if __name__ == "__main__":
    main()
