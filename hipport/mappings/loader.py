"""Load the mapping tables, from the user's cache or else from the YAML files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hipport
from hipport.errors import UsageError
from hipport.mappings import cache, packing
from hipport.mappings.choice import Flavour, NameChoice
from hipport.mappings.tables import PROVIDED, Headers, Tables

if TYPE_CHECKING:
    from hipport.mappings.rows import Library

__all__ = ["Headers", "NameChoice", "Tables", "load", "load_choice", "load_libraries", "tables_folder"]


def load(*, rocm: str | None = None, flavour: Flavour = "hip") -> Tables:
    """Return the tables for ROCm release `rocm` (such as "6.2"), by default the newest that they know."""
    return load_choice(NameChoice(rocm=rocm, flavour=flavour))


def load_choice(choice: NameChoice) -> Tables:
    """Return the tables for a choice; UsageError for an unknown release or flavor, HipportError for a bad overlay."""
    if choice.flavour not in ("hip", "roc"):
        raise UsageError(f"{choice.flavour!r} is not a flavor of library names", hint="choose hip or roc")
    folder = tables_folder()
    places = [str(Path(overlay).absolute()) for overlay in choice.overlays]
    asked = f"{hipport.__version__} {choice} {places} {folder} {_stamps(folder)}".encode()
    key = cache.key(packing.FORMAT, asked)
    image = cache.read(key)
    if image is None or not _is_current(image["overlays"]):
        image = _compiled(_sources(folder), choice)
        cache.write(key, image)
    return packing.unpack(image)


def load_libraries() -> list[Library]:
    """Return the unresolved tables: every name, with the counterparts for every release."""
    from hipport.mappings.compile import libraries

    return libraries(_sources(tables_folder()))


def tables_digest(choice: NameChoice) -> str:
    """Return a digest of the tables' content, a shortened SHA-256 that is the same on every machine."""
    overlays: dict[str, bytes] = {}
    if choice.overlays:
        from hipport.mappings.overlays import read_overlays

        overlays = read_overlays(choice.overlays).contents
    import hashlib  # loads a library of its own

    found = hashlib.sha256()
    for name, data in _sources(tables_folder()).items():
        found.update(b"%s\0%d\0%s" % (name.encode(), len(data), data))
    for data in overlays.values():
        found.update(b"%d\0%s" % (len(data), data))
    return found.hexdigest()[:40]


def _compiled(sources: dict[str, bytes], choice: NameChoice) -> dict[str, Any]:
    from hipport.mappings.compile import compile_tables
    from hipport.mappings.overlays import read_overlays

    overlays = read_overlays(choice.overlays)
    return {**packing.pack(compile_tables(sources, choice, overlays)), "overlays": overlays.contents}


def _is_current(overlays: dict[str, bytes]) -> bool:
    """Return whether the overlays of a cached image, and the files that they extend, are unchanged."""
    try:
        return all(Path(path).read_bytes() == data for path, data in overlays.items())
    except OSError:
        return False


def tables_folder() -> Path:
    """Return the folder of the YAML files: inside an installed package, next to the package in a checkout."""
    installed = Path(__file__).with_name("tables")
    return installed if installed.is_dir() else Path(__file__).parents[2] / "mappings"


def _sources(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in _names(folder)}


def _names(folder: Path) -> list[str]:
    names = sorted(path.name for path in folder.iterdir() if path.suffix == ".yaml")
    return [*names, PROVIDED] if (folder / PROVIDED).is_file() else names


def _stamps(folder: Path) -> list[tuple[str, int, int]]:
    """Return the sizes and times that tell, as for byte code, whether the files have changed: faster than reading."""
    found = [(entry.name, entry.stat()) for entry in os.scandir(folder) if entry.name.endswith(".yaml")]
    if (folder / PROVIDED).is_file():
        found.append((PROVIDED, (folder / PROVIDED).stat()))
    return sorted((name, status.st_size, status.st_mtime_ns) for name, status in found)
