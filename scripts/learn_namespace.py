"""Write the names of a C++ namespace of CUDA to its table, with the ROCm release since which HIP's library has each.

    python -m scripts.learn_namespace cub.yaml cub=hipcub 5.7.0=FOLDER 6.0.0=FOLDER ...
    python -m scripts.learn_namespace thrust.yaml thrust=thrust thrust::cuda=thrust::hip 5.7.0=FOLDER ...

A FOLDER holds the library's headers of one ROCm release. The names are those that the CUDA release in `mappings/known`
declares in the namespace, and those that the HIP library declares in its own. HIP's library has a name if its headers
use the word, comments aside: aliases and macros that declare it are found, too. Of structs whose name begins with
`Device`, CUB's algorithms for a whole device, the static members are names, too.

The words do not tell namespaces apart: `python -m scripts.undeclared_targets` lists the rows to correct.
"""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hipport.audit.extract import read as read_extract
from hipport.audit.headers import read_folder
from hipport.audit.headers.declaration import Declaration
from hipport.mappings.entry import Kind
from hipport.mappings.life import release
from scripts import tablefile
from scripts.import_facts import MAPPINGS
from scripts.tablefile import Spec

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INTRODUCED = re.compile(r"^(?:struct|class|enum|using)\s+([A-Z]\w+)", re.MULTILINE)
"""Matches a type that begins a line, as those of the namespace do: the reader of headers misses some of them."""
_QUALIFIED = r"(?<![\w:])(?:::)?{}::([A-Za-z]\w*)(?=\s*[<(])"
"""Matches a name of a function or template that the library's own code qualifies by the namespace."""
_BODY = r"\bnamespace\s+{}\s*\{{([^{{}}]*)\}}"
_EXPORTED = re.compile(r"\busing\s+(?:\w+::)+(\w+)\s*;")
_INNER = re.compile(r"^ *using (?!std|thrust::detail)\w+::(\w+);", re.MULTILINE)
"""Matches the export of a name of an inner namespace, such as `using random::minstd_rand;`."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_SECTIONS = {
    Kind.FUNCTION: "functions",
    Kind.TYPE: "types",
    Kind.ENUMERATOR: "enumerators",
    Kind.VARIABLE: "variables",
}
_MEMBER = re.compile(
    r"\b(?:struct|class)\s+(?P<owner>Device\w+)\s*\{|\bstatic\s+(?:HIPCUB_\w+\s+)?hipError_t\s+(?P<name>[A-Z]\w*)\s*\("
)
"""Matches the head of a struct with algorithms for a whole device, and those of its static members."""
_CUDA = "cuda-13.0.txt"
_FOR_CUDA = re.compile(r"backend/cub|/system/cuda/")


@dataclass(frozen=True, slots=True)
class Release:
    """The library of one ROCm release: the words of its headers, and what they declare, by full name."""

    version: str
    words: frozenset[str]
    code: str
    declared: Mapping[str, Declaration]


@dataclass(frozen=True, slots=True)
class Scope:
    """A namespace of CUDA and its counterpart."""

    cuda: str
    hip: str


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", help="a file of the folder mappings")
    parser.add_argument("pairs", nargs="+", metavar="CUDA=HIP|VERSION=FOLDER", help="namespaces, then releases")
    arguments = parser.parse_args()
    pairs = [pair.split("=", 1) for pair in arguments.pairs]
    scopes = [Scope(left, right) for left, right in pairs if not left[0].isdigit()]
    folders = [(left, Path(right)) for left, right in pairs if left[0].isdigit()]
    releases = sorted((read(*each) for each in folders), key=lambda each: release(each.version))
    path = MAPPINGS / arguments.table
    table = tablefile.load(path)
    for scope in scopes:
        of_structs = ((name, Kind.FUNCTION, spec) for name, spec in members(scope, releases))
        for name, kind, spec in itertools.chain(rows(scope, releases), of_structs):
            for section in table.sections.values():
                section.pop(name, None)
            table.sections.setdefault(_SECTIONS[kind], {})[name] = spec
    path.write_text(tablefile.dump(table))


def read(version: str, folder: Path) -> Release:
    """Read the headers below a folder, those for CUDA aside."""
    code = read_code(folder)
    return Release(version, frozenset(_WORD.findall(code)), code, read_folder(folder).names)


def read_code(folder: Path) -> str:
    """Return the code of all headers below a folder, without comments."""
    paths = [path for path in sorted(folder.rglob("*.h*")) if not _FOR_CUDA.search(path.as_posix())]
    return "\n".join(_COMMENT.sub(" ", path.read_text(errors="replace")) for path in paths)


def members(scope: Scope, releases: Sequence[Release]) -> Iterator[tuple[str, Spec]]:
    """Yield full name and entry of every static member of HIP's structs for a whole device."""
    found = [set(_members(each.code)) for each in releases]
    for member in sorted(set().union(*found)):
        yield f"{scope.cuda}::{member}", _life(scope, member, releases, [member in each for each in found])


def _members(code: str) -> Iterator[str]:
    owner = ""
    for match in _MEMBER.finditer(code):
        owner = match["owner"] or owner
        if match["name"] and owner:
            yield f"{owner}::{match['name']}"


def rows(scope: Scope, releases: Sequence[Release]) -> Iterator[tuple[str, Kind, Spec]]:
    """Yield full name, kind and entry of every name of a namespace of CUDA's or HIP's library."""
    text = (MAPPINGS / "known" / _CUDA).read_text()
    names = _scoped(read_extract(text, _CUDA).folder.names, scope.cuda)
    for each in reversed(releases):
        names = {**_in_hip(scope, each), **names}
    for name, kind in names.items():
        if kind in _SECTIONS:
            yield f"{scope.cuda}::{name}", kind, _entry(scope, name, releases)


def _in_hip(scope: Scope, found: Release) -> dict[str, Kind]:
    """Return the kinds of the names of HIP's namespace in one release."""
    kinds = dict.fromkeys(_exported(scope, found.code), Kind.TYPE) | _scoped(found.declared, scope.hip)
    if scope.hip != scope.cuda:
        return dict.fromkeys(_INTRODUCED.findall(found.code), Kind.TYPE) | kinds if "::" not in scope.hip else kinds
    # Of a library that keeps CUDA's namespace, names in capitals are parameters of templates.
    qualified = dict.fromkeys(re.findall(_QUALIFIED.format(scope.hip), found.code), Kind.FUNCTION)
    exported = dict.fromkeys(_INNER.findall(found.code), Kind.TYPE)
    return {name: kind for name, kind in (exported | qualified | kinds).items() if name[0].islower()}


def _exported(scope: Scope, code: str) -> Iterator[str]:
    """Yield the names that `using` declarations bring into a namespace."""
    for body in re.findall(_BODY.format(scope.hip.rpartition("::")[2]), code):
        yield from _EXPORTED.findall(body)


def _scoped(names: Mapping[str, Declaration], scope: str) -> dict[str, Kind]:
    """Return the kinds of the names declared directly in a namespace."""
    prefix = f"{scope}::"
    inside = {name.removeprefix(prefix): each for name, each in names.items() if name.startswith(prefix)}
    return {name: each.kind for name, each in inside.items() if "::" not in name}


def _entry(scope: Scope, name: str, releases: Sequence[Release]) -> Spec:
    return _life(scope, name, releases, [name in each.words for each in releases])


def _life(scope: Scope, name: str, releases: Sequence[Release], has: Sequence[bool]) -> Spec:
    having = [number for number, one in enumerate(has) if one]
    if not having:
        return {}
    first, last = having[0], having[-1]
    gone = f" removed {releases[last + 1].version}" if last + 1 < len(releases) else ""
    return {"hip": f"{scope.hip}::{name} {releases[first].version}{gone}"}


if __name__ == "__main__":
    main()
