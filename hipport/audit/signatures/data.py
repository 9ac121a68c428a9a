"""The signatures that ship: those of CUDA's functions that have a counterpart, and those of the counterparts."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from hipport.audit.rules import known_folder, read_document
from hipport.audit.signatures.model import Declarations, read
from hipport.mappings.entry import Kind
from hipport.mappings.loader import load

RELEASES = ("5.2", "5.7", "6.0", "6.1", "6.2", "6.4")


def path(product: str) -> Path:
    """Return the file of a product, `cuda` or `rocm`."""
    return known_folder() / "signatures" / f"{product}.tsv"


@functools.cache
def shipped(product: str) -> Mapping[str, Declarations]:
    """Return what ships of a product, by release."""
    return read(read_document(path(product)), path(product).name)


def cuda_names() -> frozenset[str]:
    """Return the CUDA functions that some ROCm release has."""
    return frozenset(
        name
        for rocm in RELEASES
        for name, entry in load(rocm=rocm).names.items()
        if entry.hip is not None and entry.kind in (Kind.FUNCTION, Kind.MACRO)
    )


def hip_names() -> frozenset[str]:
    """Return the counterparts of CUDA's functions in all releases."""
    entries = [entry for rocm in RELEASES for entry in load(rocm=rocm).names.values() if entry.hip is not None]
    names = {entry.hip.name for entry in entries if entry.hip and entry.kind in (Kind.FUNCTION, Kind.MACRO)}
    return frozenset(names | {change.text for entry in entries for change in entry.args if change.op == "rename"})


def hip_types() -> frozenset[str]:
    """Return the counterparts of CUDA's types in all releases."""
    entries = (entry for rocm in RELEASES for entry in load(rocm=rocm).names.values() if entry.kind is Kind.TYPE)
    return frozenset(entry.hip.name for entry in entries if entry.hip is not None)
