"""Small tables and headers for tests."""

from __future__ import annotations

from hipport.audit.extract import Extract
from hipport.audit.headers import Declaration, Folder
from hipport.audit.headers.folder import spelled
from hipport.mappings.choice import Origin, Releases
from hipport.mappings.entry import Kind
from hipport.mappings.resolve import resolve
from hipport.mappings.rows import Library
from hipport.mappings.schema import parse_library
from hipport.mappings.tables import Tables

TABLE = """\
library: runtime

functions:
  cudaCopy: hipCopy 5.0.0
  cudaGone: {cuda: removed 12.0, hip: hipGone 5.0.0}
  cudaLater: {cuda: 14.0, hip: hipLater 9.0.0}
  cudaMade: {hip: hipMade, args: [{append: hipDefault, arity: 1}]}
  cudaNever:
  cudaOld: [hipNew 6.0.0, hipOld]

types:
  cudaProp: hipProp

namespaces:
  cooperative_groups: hipgroups

headers:
  cuda_runtime.h: hip/hip_runtime.h

members:
  cudaProp:
    clock: clockRate 6.0.0

groups:
  - match: [cudaNever]
    reason: HIP never had it
    alternative: nothing at all
"""


def library(text: str = TABLE) -> Library:
    return parse_library(text, "runtime.yaml")


def tables(text: str = TABLE, rocm: str = "7.0") -> Tables:
    return resolve([library(text)], Releases(rocm, Origin.ASKED), "hip")


def extract(
    product: str, release: str, *found: Declaration, members: dict[str, tuple[str, ...]] | None = None
) -> Extract:
    headers = frozenset(declaration.header for declaration in found)
    names = {spelled(declaration): declaration for declaration in found}
    return Extract(
        f"{'CUDA' if product == 'cuda' else 'ROCm'} {release}", product, release, Folder(names, headers, members or {})
    )


def cuda(*names: str, kind: Kind = Kind.FUNCTION, header: str = "cuda_runtime.h", scope: str = "") -> list[Declaration]:
    return [Declaration(name, kind, header, scope, 1 if kind is Kind.FUNCTION else None) for name in names]


def hip(*names: str, parameters: int | None = 1) -> list[Declaration]:
    return [Declaration(name, Kind.FUNCTION, "hip/hip_runtime.h", "", parameters) for name in names]
