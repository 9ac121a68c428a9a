"""Headers made of the tables, for what of CUDA's own is not found: they declare the names, not what they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hipport.mappings.model import Entry, Kind
from hipport.mappings.tables import Tables
from hipport.project.state.manifest import is_inner

_VECTORS = re.compile(r"dim3|(?:make_)?(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]")
_BY_HAND = frozenset({"min", "max", "threadIdx", "blockIdx", "blockDim", "gridDim", "cudaConfigureCall"})
"""What `hipport_cuda.h` declares."""
_NUMBERS = {"CUDART_VERSION": "12000", "CUDA_VERSION": "12000"}
"""Macros that sources compare with numbers."""
_DEVICE = frozenset({"device", "compiler"})


def write_stubs(folder: Path, tables: Tables, found: Sequence[Path], wanted: Iterable[str]) -> None:
    """Write the headers of the tables that are not below the folders `found`, those of `wanted` among them.

    A library of which any header is found gets empty ones for the others: two declarations of a type would not agree.
    """
    names = {name for name in {*tables.headers, *wanted} if not name.endswith("*") and is_inner(name)}
    libraries = {name: header.library for name in names if (header := tables.headers.get(name)) is not None}
    real = {name for name in libraries if any((place / name).is_file() for place in found)}
    complete = {libraries[name] for name in real}
    for library in {*libraries.values()} - complete:
        _write(folder / f"hipport_lib_{library}.h", _library(tables, library))
    for name in libraries.keys() - real:
        body = "" if libraries[name] in complete else f"#include <hipport_lib_{libraries[name]}.h>\n"
        _write(folder / name, f"#pragma once\n{body}")
    _write(folder / "hipport_device.h", _device(tables))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_dir():  # `cuda/std` may be wanted, and be a folder too
        path.write_text(text)


def _library(tables: Tables, library: str) -> str:
    """Types, enumerators, functions and macros of a library; in C functions take anything and give an int."""
    entries = [entry for entry in tables.names.values() if entry.library == library and not _is_elsewhere(entry.name)]
    head = ["#pragma once", "#include <hipport_any.h>"]
    head += ["#include <hipport_vectors.h>"] if library == "runtime" else []
    roots = sorted({name.split("::")[0] for name, entry in tables.namespaces.items() if entry.library == library})
    cxx = [f"namespace {root} {{}}" for root in roots] + [line for entry in entries for line in _in_cxx(entry)]
    plain = [line for entry in entries for line in _in_c(entry)]
    both = [line for entry in entries for line in _in_both(entry)]
    return "\n".join([*head, *both, "#ifdef __cplusplus", *cxx, "#else", *plain, "#endif", ""])


def _is_elsewhere(name: str) -> bool:
    return name in _BY_HAND or _VECTORS.fullmatch(name) is not None


def _in_both(entry: Entry) -> Iterator[str]:
    if entry.kind is Kind.ENUMERATOR:
        yield f"enum {{ {entry.name} }};"
    elif entry.kind is Kind.MACRO and not entry.name.startswith("__"):
        yield f"#define {entry.name} {_NUMBERS.get(entry.name, '0')}"


def _in_cxx(entry: Entry) -> Iterator[str]:
    if entry.kind is Kind.TYPE:
        yield f"struct {entry.name} : hipport_any {{ using hipport_any::hipport_any; }};"
    elif entry.kind is Kind.VARIABLE:
        yield f"extern hipport_any {entry.name};"
    elif entry.kind is Kind.FUNCTION and entry.library not in _DEVICE:
        # The worst match there is: what the project defines for these arguments comes first.
        yield f"template <class...> hipport_any {entry.name}(...);"


def _in_c(entry: Entry) -> Iterator[str]:
    if entry.kind is Kind.TYPE:
        yield f"typedef struct {entry.name} *{entry.name};"
    elif entry.kind is Kind.FUNCTION:
        yield f"int {entry.name}();"


def _device(tables: Tables) -> str:
    """The functions of the device, but for those of C's library, which its own headers declare.

    CUDA has them for many types: they match whatever they are called with as well as a function of the project.
    """
    lines = ["#pragma once", "extern const int warpSize;"]
    for entry in tables.names.values():
        if entry.library in _DEVICE and entry.kind is Kind.FUNCTION and entry.name not in _BY_HAND:
            declaration = f"template <class... T> hipport_any {entry.name}(T&&...);"
            lines += [f"#if !__has_builtin(__builtin_{entry.name})", declaration, "#endif"]
    return "\n".join([*lines, ""])
