"""The packages that bring libraries of the host, read from `mappings/doctor/host_packages.yaml`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from hipport.mappings.document import Value, read
from hipport.mappings.loader import tables_folder

_FILE = "doctor/host_packages.yaml"
_LISTS = ("cmake", "headers", "libraries")


class HostPackage(Struct, frozen=True):
    """A package of Debian. `folder` is a pattern for the folder of its headers, if compilers do not search it."""

    debian: str
    folder: str = ""


class HostPackages(Struct, frozen=True):
    """All packages: by names for find_package, by what `#include` lines begin with, and by names after `-l`."""

    cmake: Mapping[str, HostPackage]
    headers: Mapping[str, HostPackage]
    libraries: Mapping[str, HostPackage]

    def of_header(self, operand: str) -> HostPackage | None:
        """Return the package with a header, as an `#include` line names it: by the header itself or its folders."""
        path = Path(operand)
        found = (self.headers.get(str(each)) for each in (path, *path.parents))
        return next(filter(None, found), None)


@functools.cache
def load_host_packages() -> HostPackages:
    """Return all packages. Raises HipportError with file, line and key for an invalid table."""
    root = read((tables_folder() / _FILE).read_text(encoding="utf-8"), _FILE)
    tables: dict[str, dict[str, HostPackage]] = {key: {} for key in _LISTS}
    for name, value in root.members().items():
        parts = value.members((*_LISTS, "folder"))
        package = HostPackage(name, parts["folder"].text() if "folder" in parts else "")
        for key in parts.keys() & set(_LISTS):
            for item in parts[key].items():
                _add(tables[key], item, package)
    return HostPackages(**tables)


def header_folder(package: HostPackage) -> str:
    """Return the folder with the headers of a package that is installed outside of where compilers look; or ""."""
    return next(map(str, sorted(Path("/").glob(package.folder.removeprefix("/")))), "") if package.folder else ""


def _add(table: dict[str, HostPackage], item: Value, package: HostPackage) -> None:
    if item.text() in table:
        item.fail(f"{item.text()!r} is in {table[item.text()].debian}, too")
    table[item.text()] = package
