"""Read the signatures of functions from headers of CUDA and HIP with libclang."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clang import cindex

from hipport.audit.signatures.model import Declarations, Parameter, Signature

_COMMON = ("-std=c++17", "-w", "-ferror-limit=0")
CUDA_FLAGS = (
    *("-x", "cuda", "-nocudainc", "-nocudalib", "-D__CUDACC__", "-D__NVCC__", "-D__CUDACC_VER_MAJOR__=13"),
    *("-D__CUDACC_VER_MINOR__=0", *_COMMON),
)
HIP_FLAGS = ("-x", "hip", "-nogpulib", "-D__HIP_PLATFORM_AMD__=1", *_COMMON)
SIDES = {
    "cuda": (("--cuda-host-only",), ("--cuda-device-only", "--cuda-gpu-arch=sm_90")),
    "rocm": (("--cuda-host-only",), ("--cuda-device-only", "--offload-arch=gfx90a")),
}
CUDA_HEADERS = (
    *("cuda_runtime.h", "cuda.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuComplex.h", "curand.h", "cufft.h"),
    *("curand_kernel.h", "cufftXt.h", "cublas_v2.h", "cublasLt.h", "cublasXt.h", "cusparse.h", "cusolverDn.h"),
    *("cusolverSp.h", "cusolverRf.h", "nvrtc.h", "cuda_profiler_api.h", "cuda_gl_interop.h", "cudaGL.h"),
    *("cudaProfiler.h", "nvtx3/nvToolsExt.h", "nccl.h"),
)
HIP_HEADERS = (
    *("hip/hip_runtime.h", "hip/hip_fp16.h", "hip/hip_bf16.h", "hip/hip_fp8.h", "hip/hip_complex.h", "hip/hiprtc.h"),
    *("hip/hip_gl_interop.h", "hip/hip_cooperative_groups.h", "hiprand/hiprand.h", "hiprand/hiprand_kernel.h"),
    *("hipfft/hipfft.h", "hipfft/hipfftXt.h", "hipblas/hipblas.h", "hipblaslt/hipblaslt.h", "hipsparse/hipsparse.h"),
    *("hipsolver/hipsolver.h", "rccl/rccl.h", "roctracer/roctx.h"),
)
_SCOPES = frozenset({"NAMESPACE", "LINKAGE_SPEC", "UNEXPOSED_DECL"})
_FUNCTIONS = frozenset({"FUNCTION_DECL", "FUNCTION_TEMPLATE"})
_TYPEDEFS = frozenset({"TYPEDEF_DECL", "TYPE_ALIAS_DECL"})
_KEEP_GOING = 0x200
_ALIAS = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(?:\w+\()?(\w+)\)?[ \t]*(?://.*|/\*.*)?$", re.M)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(", re.M)
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(slots=True)
class _Found:
    functions: dict[str, list[Signature]] = field(default_factory=dict)
    typedefs: dict[str, str] = field(default_factory=dict)
    enums: set[str] = field(default_factory=set)


def declarations(
    product: str,
    folders: Sequence[Path],
    resources: Path,
    names: Collection[str],
    types: Collection[str] = (),
    own: Sequence[str] = (),
) -> Declarations:
    """Return what the headers declare of the named functions and types, and the types in signatures.

    `folders` are searched for headers in this order; `resources` is clang's resource directory; `own` are further
    headers to include.
    """
    known = CUDA_HEADERS if product == "cuda" else HIP_HEADERS
    headers = [name for name in known if any((folder / name).is_file() for folder in folders)]
    text = "".join(f"#include <{name}>\n" for name in [*own, *headers])
    found = _Found()
    aliases: dict[str, str] = {}
    macros: set[str] = set()
    for side in SIDES[product]:
        flags = CUDA_FLAGS if product == "cuda" else HIP_FLAGS
        arguments = [*flags, *side, "-resource-dir", str(resources)]
        arguments += [part for folder in folders for part in ("-isystem", str(folder))]
        unit = cindex.Index.create().parse(
            f"signatures.{product}",
            args=arguments,
            unsaved_files=[(f"signatures.{product}", text)],
            options=_KEEP_GOING,
        )
        _walk(unit.cursor, "", found)
        for inclusion in unit.get_includes():
            contents = Path(inclusion.include.name).read_text(errors="replace")
            aliases.update(match.groups() for match in _ALIAS.finditer(contents))  # type: ignore[misc]
            macros.update(_MACRO.findall(contents))
    return _selected(found, aliases, macros, names, types)


def _walk(cursor: Any, scope: str, found: _Found) -> None:
    for child in cursor.get_children():
        kind = child.kind.name
        if kind in _SCOPES:
            inner = f"{scope}{child.spelling}::" if kind == "NAMESPACE" and child.spelling else scope
            _walk(child, inner, found)
        elif kind in _FUNCTIONS:
            signature = _signature(child)
            overloads = found.functions.setdefault(scope + child.spelling, [])
            if (same := next((one for one in overloads if _alike(one, signature)), None)) is None:
                overloads.append(signature)
            elif same.least > signature.least:
                overloads[overloads.index(same)] = signature
        elif kind in _TYPEDEFS:
            found.typedefs.setdefault(child.spelling, child.underlying_typedef_type.get_canonical().spelling)
        elif kind == "ENUM_DECL":
            found.enums.add(child.type.get_canonical().spelling)


def _alike(one: Signature, other: Signature) -> bool:
    return [part.type for part in one.parameters] == [part.type for part in other.parameters]


def _signature(cursor: Any) -> Signature:
    children = list(cursor.get_children())
    template = [child.spelling for child in children if child.kind.name == "TEMPLATE_TYPE_PARAMETER"]
    parameters = [_parameter(child) for child in children if child.kind.name == "PARM_DECL"]
    if cursor.type.kind.name == "FUNCTIONPROTO" and cursor.type.is_function_variadic():
        parameters.append(Parameter("..."))
    return Signature(cursor.result_type.spelling, tuple(parameters), tuple(template))


def _parameter(cursor: Any) -> Parameter:
    children = list(cursor.get_children())
    values = sum(child.kind.is_expression() for child in children)
    is_array = cursor.type.get_array_size() >= 0
    if any(child.kind.name == "TEMPLATE_REF" for child in children):  # its arguments are expressions, too
        return Parameter(cursor.type.spelling, any(token.spelling == "=" for token in cursor.get_tokens()))
    return Parameter(cursor.type.spelling, values > is_array)


def _selected(
    found: _Found, aliases: dict[str, str], macros: set[str], names: Collection[str], types: Collection[str]
) -> Declarations:
    functions: dict[str, tuple[Signature, ...]] = {}
    for name in names:
        if overloads := next((found.functions[at] for at in _meant(name, aliases) if at in found.functions), None):
            functions[name] = tuple(overloads)
    named = {word for overloads in functions.values() for one in overloads for word in _words(one)} | {*types}
    found.typedefs.update({name: aliases[name] for name in types if name in aliases and name not in found.typedefs})
    typedefs = {name: canonical for name, canonical in found.typedefs.items() if name in named and name != canonical}
    inner = {word for canonical in typedefs.values() for word in _WORD.findall(canonical)}
    enums = frozenset(found.enums & (named | inner))
    return Declarations(functions, frozenset(macros & set(names)) - set(functions), typedefs, enums)


def _meant(name: str, aliases: dict[str, str]) -> Iterator[str]:
    """Yield what a name may be an alias of, the last first."""
    chain = [name]
    while (aliased := aliases.get(chain[-1])) is not None and aliased not in chain:
        chain.append(aliased)
    yield from reversed(chain)


def _words(signature: Signature) -> Iterator[str]:
    for text in (signature.returns, *(parameter.type for parameter in signature.parameters)):
        yield from _WORD.findall(text)
