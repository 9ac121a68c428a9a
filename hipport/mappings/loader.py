"""Loads the mapping tables: from the user's cache, else from the YAML files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import hipport
from hipport.errors import UsageError
from hipport.mappings import cache, packing
from hipport.mappings.life import release
from hipport.mappings.tables import Headers, Tables

if TYPE_CHECKING:
    from hipport.mappings.resolve import Flavour

__all__ = ["Headers", "Tables", "load", "tables_folder"]


def load(*, rocm: str | None = None, flavour: Flavour = "hip") -> Tables:
    """The tables for ROCm release `rocm` (such as "6.2"), or for the newest one that they know.

    Flavour "roc" prefers the names of the roc libraries (rocBLAS and so on) where there are any.
    UsageError for a release or flavour that is none.
    """
    if rocm is not None:
        _check_release(rocm)
    if flavour not in ("hip", "roc"):
        raise UsageError(f"{flavour!r} is no flavour of library names", hint="choose hip or roc")
    sources = _sources(tables_folder())
    choice = f"{hipport.__version__} {rocm} {flavour}".encode()
    key = cache.key(packing.FORMAT, choice, *(part for name, data in sources.items() for part in (name.encode(), data)))
    image = cache.read(key)
    if image is None:
        from hipport.mappings.compile import compile_tables

        image = packing.pack(compile_tables(sources, rocm, flavour))
        cache.write(key, image)
    return packing.unpack(image)


def tables_folder() -> Path:
    """Where the YAML files are: in the package when it is installed, beside it in a checkout."""
    installed = Path(__file__).with_name("tables")
    return installed if installed.is_dir() else Path(__file__).parents[2] / "mappings"


def _sources(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.yaml"))}


def _check_release(rocm: str) -> None:
    try:
        release(rocm)
    except ValueError as error:
        raise UsageError(f"ROCm release: {error}") from None
