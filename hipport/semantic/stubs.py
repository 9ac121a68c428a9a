"""Generate stub headers from the tables for missing CUDA headers: they declare the names, without real definitions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from hipport.files.atomic import naming
from hipport.mappings.entry import Entry, Kind
from hipport.mappings.tables import Tables
from hipport.project.state.manifest import is_inner

_VECTORS = re.compile(r"dim3|(?:make_)?(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]")
_BY_HAND = frozenset(
    {"min", "max", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"}
    | {"cudaConfigureCall", "__cudaPushCallConfiguration"}
)
"""Names that `hipport_cuda.h` declares."""
_OF_CUDACC = re.compile(r"cuda(?:Func|Launch|Occupancy|GraphSetConditional|MemAdvise|MemPrefetch|\w+Symbol)")
"""Functions that real headers declare only if `__CUDACC__` is defined, or with other parameters since CUDA 13."""
_BASIS = ("cuda_runtime.h", "cuComplex.h")
"""Headers that the headers of libraries include."""
_OF_THE_SYSTEM = frozenset({"__assert_fail", "__assertfail"})
_NUMBERS = {"CUDART_VERSION": "12000", "CUDA_VERSION": "12000"}
"""Values of macros that sources compare with numbers."""
_CUDA = frozenset({"runtime", "driver", "device", "compiler"})
_DEVICE = frozenset({"device", "compiler"})


def stub_names(tables: Tables, found: Sequence[Path], wanted: Iterable[str]) -> frozenset[str]:
    """Return those headers in `wanted`, as an `#include` spells them, that `write_stubs` generates."""
    return frozenset(name for name in _libraries(tables, wanted) if not _is_in(found, name))


def write_stubs(folder: Path, tables: Tables, found: Sequence[Path], wanted: Iterable[str]) -> None:
    """Write those headers in `wanted`, as an `#include` spells them, that the tables know and `found` lacks.

    If CUDA itself is found, its missing headers are empty, since two declarations of a type would conflict.
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
    """Return the libraries of those headers that the tables know."""
    names = {name for name in {*_BASIS, *wanted} if is_inner(name)}
    return {name: header.library for name in names if (header := tables.headers.get(name)) is not None}


def _is_in(folders: Iterable[Path], name: str) -> bool:
    return any((folder / name).is_file() for folder in folders)


def _by_library(tables: Tables, libraries: Collection[str]) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {library: [] for library in libraries}
    for entry in tables.names.values():
        by_hand = entry.name in _BY_HAND or _VECTORS.fullmatch(entry.name) is not None
        if entry.library in found and "::" not in entry.name and not by_hand:
            found[entry.library].append(entry)
    return found


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_dir():  # `cuda/std` may be wanted and also be a folder
        with naming(path):
            path.write_text(text)


def _library(tables: Tables, library: str, entries: Sequence[Entry]) -> str:
    """Return a header with a library's types, enumerators, functions and macros.

    In C, functions take anything and return an int.
    """
    head = ["#pragma once", "#include <hipport_any.h>"]
    head += ["#include <hipport_vectors.h>"] if library == "runtime" else []
    head += [f"#include <{name}>" for name in _BASIS] if library not in _CUDA | {"cucomplex"} else []
    roots = sorted({name.split("::")[0] for name, entry in tables.namespaces.items() if entry.library == library})
    cxx = [f"namespace {root} {{}}" for root in roots] + [line for entry in entries for line in _in_cxx(entry)]
    plain = [line for entry in entries for line in _in_c(entry)]
    both = [line for number, entry in enumerate(entries) for line in _in_both(entry, number)]
    return "\n".join([*head, *both, "#ifdef __cplusplus", *cxx, "#else", *plain, "#endif", ""])


def _in_both(entry: Entry, number: int) -> Iterator[str]:
    if entry.kind is Kind.ENUMERATOR:  # distinct numbers, for `switch`
        yield f"enum hipport_of_{entry.name} {{ {entry.name} = {number} }};"
    elif entry.kind is Kind.MACRO and not entry.name.startswith("__"):
        yield f"#define {entry.name} {_NUMBERS.get(entry.name, '0')}"


def _in_cxx(entry: Entry) -> Iterator[str]:
    if entry.kind is Kind.TYPE:
        yield f"HIPPORT_TYPE({entry.name})"
    elif entry.kind is Kind.VARIABLE:
        yield f"extern hipport_any {entry.name};"
    elif entry.kind is Kind.FUNCTION and entry.library not in _DEVICE:
        # Variadic, so the worst match: a project's own function for these arguments is preferred.
        yield f"template <class...> hipport_any {entry.name}(...);"


def _in_c(entry: Entry) -> Iterator[str]:
    if entry.kind is Kind.TYPE:
        yield f"typedef struct {entry.name} *{entry.name};"
    elif entry.kind is Kind.FUNCTION:
        yield f"int {entry.name}();"


def _device(tables: Tables, *, runtime: bool) -> str:
    """Return a header with the device functions, except those of the C library, which its own headers declare.

    CUDA has them for many types, so they match any arguments as well as a function of the project does. With CUDA's own
    `runtime` headers, it also declares, as the worst match, functions that these hide or that another release has with
    other parameters.
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
