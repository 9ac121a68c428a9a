"""Headers made of the tables, for what of CUDA's own is not found: they declare the names, not what they are."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from hipport.mappings.model import Entry, Kind
from hipport.mappings.tables import Tables
from hipport.project.state.manifest import is_inner

_VECTORS = re.compile(r"dim3|(?:make_)?(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]")
_BY_HAND = frozenset(
    {"min", "max", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"}
    | {"cudaConfigureCall", "__cudaPushCallConfiguration"}
)
"""What `hipport_cuda.h` declares."""
_OF_CUDACC = re.compile(r"cuda(?:Func|Launch|Occupancy|GraphSetConditional|MemAdvise|MemPrefetch|\w+Symbol)")
"""Functions that real headers have only where `__CUDACC__` is defined, or with other parameters since CUDA 13."""
_BASIS = ("cuda_runtime.h", "cuComplex.h")
"""What the headers of libraries include."""
_OF_THE_SYSTEM = frozenset({"__assert_fail", "__assertfail"})
_NUMBERS = {"CUDART_VERSION": "12000", "CUDA_VERSION": "12000"}
"""Macros that sources compare with numbers."""
_CUDA = frozenset({"runtime", "driver", "device", "compiler"})
_DEVICE = frozenset({"device", "compiler"})


def stub_names(tables: Tables, found: Sequence[Path], wanted: Iterable[str]) -> frozenset[str]:
    """The headers among `wanted`, as an `#include` spells them, that `write_stubs` makes."""
    return frozenset(name for name in _libraries(tables, wanted) if not _is_in(found, name))


def write_stubs(folder: Path, tables: Tables, found: Sequence[Path], wanted: Iterable[str]) -> None:
    """Write those of the headers `wanted`, as an `#include` spells them, that the tables know and `found` has not.

    Where CUDA itself is found, its missing headers are empty: two declarations of a type would not agree.
    """
    libraries = _libraries(tables, wanted)
    complete = _CUDA if _is_in(found, _BASIS[0]) else frozenset()
    entries = _by_library(tables, {*libraries.values()} - complete)
    for library, own in entries.items():
        _write(folder / f"hipport_lib_{library}.h", _library(tables, library, own))
    for name, library in libraries.items():
        if not _is_in(found, name):
            _write(
                folder / name,
                "#pragma once\n" + (f"#include <hipport_lib_{library}.h>\n" if library in entries else ""),
            )
    _write(folder / "hipport_device.h", _device(tables, runtime="runtime" in complete))


def _libraries(tables: Tables, wanted: Iterable[str]) -> dict[str, str]:
    """The libraries of those headers that the tables know."""
    names = {name for name in {*_BASIS, *wanted} if is_inner(name)}
    return {name: header.library for name in names if (header := tables.headers.get(name)) is not None}


def _is_in(folders: Iterable[Path], name: str) -> bool:
    return any((folder / name).is_file() for folder in folders)


def _by_library(tables: Tables, libraries: Collection[str]) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {library: [] for library in libraries}
    for entry in tables.names.values():
        if entry.library in found and entry.name not in _BY_HAND and _VECTORS.fullmatch(entry.name) is None:
            found[entry.library].append(entry)
    return found


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_dir():  # `cuda/std` may be wanted, and be a folder too
        path.write_text(text)


def _library(tables: Tables, library: str, entries: Sequence[Entry]) -> str:
    """Types, enumerators, functions and macros of a library; in C functions take anything and give an int."""
    head = ["#pragma once", "#include <hipport_any.h>"]
    head += ["#include <hipport_vectors.h>"] if library == "runtime" else []
    head += [f"#include <{name}>" for name in _BASIS] if library not in _CUDA | {"cucomplex"} else []
    roots = sorted({name.split("::")[0] for name, entry in tables.namespaces.items() if entry.library == library})
    cxx = [f"namespace {root} {{}}" for root in roots] + [line for entry in entries for line in _in_cxx(entry)]
    plain = [line for entry in entries for line in _in_c(entry)]
    both = [line for number, entry in enumerate(entries) for line in _in_both(entry, number)]
    return "\n".join([*head, *both, "#ifdef __cplusplus", *cxx, "#else", *plain, "#endif", ""])


def _in_both(entry: Entry, number: int) -> Iterator[str]:
    if entry.kind is Kind.ENUMERATOR:  # each another number, for `switch`
        yield f"enum hipport_of_{entry.name} {{ {entry.name} = {number} }};"
    elif entry.kind is Kind.MACRO and not entry.name.startswith("__"):
        yield f"#define {entry.name} {_NUMBERS.get(entry.name, '0')}"


def _in_cxx(entry: Entry) -> Iterator[str]:
    if entry.kind is Kind.TYPE:
        yield f"HIPPORT_TYPE({entry.name})"
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


def _device(tables: Tables, *, runtime: bool) -> str:
    """The functions of the device, but for those of C's library, which its own headers declare.

    CUDA has them for many types: they match whatever they are called with as well as a function of the project. With
    CUDA's own `runtime` headers there are, as the worst match, functions that these hide or that another release has
    with other parameters.
    """
    lines = ["#pragma once"]
    for entry in tables.names.values():
        if entry.kind is not Kind.FUNCTION or entry.name in _BY_HAND | _OF_THE_SYSTEM:
            continue
        if entry.library in _DEVICE:
            declaration = f"template <class... T> hipport_result<T...> {entry.name}(T&&...);"
            lines += [f"#if !__has_builtin(__builtin_{entry.name})", declaration, "#endif"]
        elif runtime and entry.library == "runtime" and _varies(entry):
            lines.append(f"template <class...> cudaError_t {entry.name}(...);")
    return "\n".join([*lines, ""])


def _varies(entry: Entry) -> bool:
    return _OF_CUDACC.match(entry.name) is not None or any(change.arity is not None for change in entry.args)
