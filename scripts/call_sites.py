"""Write CUDA sources that call every function which the tables translate, with arguments of CUDA's types.

    python -m scripts.call_sites FOLDER [--cuda 13.0] [--rocm 6.4]

The sources are for a compiler only. Each call is in a line of its own, in a function that has the arguments as
parameters, so that a compiler's error names the call.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hipport.audit.signatures import data
from hipport.audit.signatures.model import Declarations, Signature
from hipport.mappings.entry import Entry, Kind
from hipport.mappings.loader import NameChoice, load_choice
from hipport.mappings.tables import Tables

HEADERS: Mapping[str, tuple[str, ...]] = {
    "runtime": ("cuda_runtime.h",),
    "driver": ("cuda.h", "cuda_runtime.h"),
    "device": ("cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h"),
    "cublas": ("cuda_runtime.h", "cuda_fp16.h", "cublas_v2.h", "cublasLt.h"),
    "cusparse": ("cuda_runtime.h", "cusparse.h"),
    "cusolver": ("cuda_runtime.h", "cublas_v2.h", "cusolverDn.h", "cusolverSp.h", "cusolverRf.h"),
    "cufft": ("cuda_runtime.h", "cufft.h", "cufftXt.h"),
    "curand": ("cuda_runtime.h", "curand.h", "curand_kernel.h"),
    "nvrtc": ("cuda_runtime.h", "nvrtc.h"),
    "cucomplex": ("cuda_runtime.h", "cuComplex.h"),
}
"""The libraries whose calls are written, with the headers that declare them."""
_OF_DEVICES = ("curand_", "tex", "surf")
_OF_OPENGL = re.compile(r"\bGL\w+|\w*GL\w*")
"""Types whose header is not part of CUDA."""
_NO_VALUE = re.compile(r"_H_\Z|Attr(ID|Value)\Z")
"""Macros that are guards of headers, or types."""
_SAMPLES = {"T": "float", "T *": "float *", "const T *": "const float *", "T **": "float **", "const T &": "float"}


@dataclass(frozen=True, slots=True)
class Site:
    """A line with one use of a CUDA name."""

    name: str
    text: str


def sites(tables: Tables, cuda: Declarations, library: str) -> Iterator[Site]:
    """Yield the uses of a library's names: each function with each number of arguments, each enumerator and macro."""
    number = 0
    for name, entry in sorted(tables.names.items()):
        if entry.library != library or entry.hip is None or _OF_OPENGL.search(name):
            continue
        if entry.kind is Kind.ENUMERATOR:
            yield Site(name, f"static const int use{(number := number + 1)} = (int){name};")
        for overload in cuda.functions.get(name, ()) if entry.kind is not Kind.ENUMERATOR else ():
            for count in range(overload.least, len(overload.parameters) + 1):
                if (text := _call(entry, overload, count, number := number + 1)) is not None:
                    yield Site(name, text)


def members(tables: Tables, structs: Mapping[str, Iterable[str]], libraries: Collection[str]) -> Iterator[Site]:
    """Yield a use of each member of the structs that the tables translate, in the order of the structs' names."""
    number = 0
    for owner, paths in structs.items():
        entry = tables.names.get(owner)
        if entry is None or entry.hip is None or entry.library not in libraries:
            continue
        for path in paths:
            number += 1
            use = f"void member{number}({owner} v{number}) {{ (void)sizeof(v{number}.{path}); }}"
            yield Site(f"{owner}.{path}", use)


def macros(tables: Tables, cuda: Declarations, library: str) -> Iterator[Site]:
    """Yield a use of the value of each macro without parameters."""
    for name, entry in sorted(tables.names.items()):
        if entry.library != library or entry.kind is not Kind.MACRO or entry.hip is None or _NO_VALUE.search(name):
            continue
        if name not in cuda.macros and name not in cuda.functions:
            yield Site(name, f"__device__ void value_{name}() {{ auto r = {name}; (void)r; }}")


def _call(entry: Entry, overload: Signature, count: int, number: int) -> str | None:
    """Return a function that calls the overload; None where its arguments are not plain."""
    types = [_sample(parameter.type, overload) for parameter in overload.parameters[:count]]
    if (
        any(type_ is None or _OF_OPENGL.search(type_) for type_ in types)
        or overload.variadic
        or "enable_if" in overload.returns
    ):
        return None
    parameters = ", ".join(_declared(str(type_), f"a{at}") for at, type_ in enumerate(types))
    arguments = ", ".join(f"a{at}" for at in range(count))
    deduced = any("T" in re.findall(r"\w+", parameter.type) for parameter in overload.parameters)
    template = "<float>" if overload.template and (overload.returns == "T" or not deduced) else ""
    call = f"{entry.name}{template}({arguments})"
    value = "float" if overload.returns == "T" else overload.returns
    returned = "" if value == "void" or (overload.template and value != "float") else f"{value} r = "
    qualifier = (
        "__device__ "
        if entry.library == "device" or entry.name.startswith(_OF_DEVICES) or entry.name in ("curand", "curand4")
        else ""
    )
    return f"{qualifier}void use{number}({parameters}) {{ {returned}{call}; }}"


def _sample(type_: str, overload: Signature) -> str | None:
    """Return a parameter's type with a template's parameters replaced."""
    if not overload.template:
        return type_
    if type_ == "T" and overload.returns == "cudaError_t":
        return "void (*)(float)"  # a kernel
    if len(overload.template) == 1:
        type_ = _SAMPLES.get(type_.replace(overload.template[0], "T"), type_)
    return None if any(name in type_.split() for name in overload.template) or "<" in type_ else type_


def _declared(type_: str, name: str) -> str:
    """Return the declaration of a parameter: C puts the name inside of some types."""
    if "(*)" in type_:
        return type_.replace("(*)", f"(*{name})", 1)
    base, bracket, rest = type_.partition("[")
    return f"{base} {name}{bracket}{rest}".removesuffix(" &&") if "&&" not in type_ else f"{base} {name}"


def source(tables: Tables, found: list[Site], library: str) -> str:
    """Return a source with these uses; headers that the release has no counterpart of are left out."""
    known = {header: tables.headers.get(header) for header in HEADERS[library]}
    lines = [f"#include <{header}>" for header, entry in known.items() if entry is not None and entry.hip is not None]
    return "\n".join([*lines, *(site.text for site in found)]) + "\n"


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cuda", default="13.0")
    parser.add_argument("--rocm", default="6.4")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    cuda = data.shipped("cuda")[options.cuda]
    tables = load_choice(NameChoice(rocm=options.rocm, cuda=options.cuda))
    for library in HEADERS:
        found = list(sites(tables, cuda, library))
        (options.folder / f"{library}.cu").write_text(source(tables, found, library))
        print(f"{library}: {len(found)} uses of {len({site.name for site in found})} names")


if __name__ == "__main__":
    main()
