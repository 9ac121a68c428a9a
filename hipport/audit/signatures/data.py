"""The signatures that ship: those of CUDA's functions that have a counterpart, and those of the counterparts."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from hipport.audit.rules import known_folder, read_document
from hipport.audit.signatures.model import Declarations, read

RELEASES = ("5.2", "5.7", "6.0", "6.1", "6.2", "6.4")


def path(product: str) -> Path:
    """Return the file of a product, `cuda` or `rocm`."""
    return known_folder() / "signatures" / f"{product}.tsv"


@functools.cache
def shipped(product: str) -> Mapping[str, Declarations]:
    """Return what ships of a product, by release."""
    return read(read_document(path(product)), path(product).name)
