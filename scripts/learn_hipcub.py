"""Write the names of CUB's namespace to `mappings/cub.yaml`, with the ROCm release since which hipCUB has each.

    python -m scripts.learn_hipcub 5.7.0=FOLDER 6.0.0=FOLDER ...

A FOLDER holds the `hipcub` headers of one ROCm release. The names are those that the CUDA release in `mappings/known`
declares in namespace `cub`, and those that hipCUB declares in its own. hipCUB has a name if its headers for rocPRIM use
the word, comments aside: aliases and macros that declare it are found, too.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hipport.audit.extract import read as read_extract
from hipport.audit.headers import read_folder
from hipport.mappings.entry import Kind
from hipport.mappings.life import release
from scripts import tablefile
from scripts.import_facts import MAPPINGS
from scripts.tablefile import Spec

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INTRODUCED = re.compile(r"^(?:struct|class|enum|using)\s+([A-Z]\w+)", re.MULTILINE)
"""Matches a type that begins a line, as those of the namespace do: the reader of headers misses some of them."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_SECTIONS = {
    Kind.FUNCTION: "functions",
    Kind.TYPE: "types",
    Kind.ENUMERATOR: "enumerators",
    Kind.VARIABLE: "variables",
}
_CUDA = "cuda-13.0.txt"


@dataclass(frozen=True, slots=True)
class Release:
    """hipCUB of one ROCm release: the words of its headers, and the kinds of names that it declares in `hipcub`."""

    version: str
    words: frozenset[str]
    declared: Mapping[str, Kind]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", nargs="+", metavar="VERSION=FOLDER")
    pairs = (pair.partition("=") for pair in parser.parse_args().releases)
    releases = sorted((read(version, Path(folder)) for version, _, folder in pairs), key=lambda r: release(r.version))
    path = MAPPINGS / "cub.yaml"
    table = tablefile.load(path)
    for name, kind, spec in rows(_of_cuda(), releases):
        for section in table.sections.values():
            section.pop(f"cub::{name}", None)
        table.sections.setdefault(_SECTIONS[kind], {})[f"cub::{name}"] = spec
    path.write_text(tablefile.dump(table))


def read(version: str, folder: Path) -> Release:
    """Read the headers below a folder, those of the CUDA backend aside."""
    paths = [path for path in folder.rglob("*.h*") if "backend/cub" not in path.as_posix()]
    code = "\n".join(_COMMENT.sub(" ", path.read_text(errors="replace")) for path in paths)
    introduced = dict.fromkeys(_INTRODUCED.findall(code), Kind.TYPE)
    return Release(version, frozenset(_WORD.findall(code)), introduced | _scoped(read_folder(folder).names, "hipcub"))


def _of_cuda() -> dict[str, Kind]:
    text = (MAPPINGS / "known" / _CUDA).read_text()
    return _scoped(read_extract(text, _CUDA).folder.names, "cub")


def _scoped(names: Mapping[str, object], scope: str) -> dict[str, Kind]:
    """Return the kinds of the names declared directly in a namespace."""
    prefix = f"{scope}::"
    inside = {name.removeprefix(prefix): each for name, each in names.items() if name.startswith(prefix)}
    return {name: each.kind for name, each in inside.items() if "::" not in name}  # type: ignore[attr-defined]


def rows(cuda: Mapping[str, Kind], releases: Sequence[Release]) -> Iterator[tuple[str, Kind, Spec]]:
    """Yield name, kind and entry of every name of CUB or hipCUB."""
    names = dict(cuda)
    for each in reversed(releases):
        names = {**each.declared, **names}
    for name, kind in names.items():
        if kind in _SECTIONS:
            yield name, kind, _entry(name, releases)


def _entry(name: str, releases: Sequence[Release]) -> Spec:
    having = [number for number, each in enumerate(releases) if name in each.words]
    if not having:
        return {}
    first, last = having[0], having[-1]
    gone = f" removed {releases[last + 1].version}" if last + 1 < len(releases) else ""
    return {"hip": f"hipcub::{name} {releases[first].version}{gone}"}


if __name__ == "__main__":
    main()
