"""Store the names that a release declares in a text file, for checks without headers or network.

    hip-python 7.2.2.562.43
    rocm 7.2.2

    [headers]
    hip/hip_runtime.h

    [function hip/hip_runtime.h]
    hipInit 1

    [members]
    hipUUID: bytes

The first line is the source of the names, the second the product and its release; the headers that were read follow.
The heading of a group of names gives their kind, header and, for C++, namespace; a function is followed by the number
of its parameters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from hipport.audit.headers import Declaration, Folder
from hipport.audit.headers.folder import spelled
from hipport.errors import HipportError
from hipport.mappings.entry import Kind

_MEMBERS = "[members]"
_HEADERS = "[headers]"


@dataclass(frozen=True, slots=True)
class Extract:
    """The names of one release; `product` is `cuda` or `rocm`."""

    source: str
    product: str
    release: str
    folder: Folder

    def header_of(self, name: str) -> str:
        """Return the header that declares a name; empty if none does."""
        found = self.folder.names.get(name)
        return found.header if found is not None else ""


def write(extract: Extract) -> str:
    """Return the text of an extract."""
    lines = [extract.source, f"{extract.product} {extract.release}", "", _HEADERS, *sorted(extract.folder.headers)]
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for declaration in extract.folder.names.values():
        group: tuple[str, ...] = (declaration.kind.value, declaration.header, declaration.scope)
        count = "" if declaration.parameters is None else f" {declaration.parameters}"
        groups[group].append(declaration.name + count)
    for group in sorted(groups, key=lambda key: (key[1], key[0], key[2])):
        lines += ["", f"[{' '.join(part for part in group if part)}]", *sorted(groups[group])]
    members = extract.folder.members
    lines += ["", _MEMBERS, *(f"{owner}: {' '.join(names)}".rstrip() for owner, names in sorted(members.items()))]
    return "\n".join(lines) + "\n"


def read(text: str, file: str) -> Extract:
    """Parse the text that `write` returns; HipportError for a damaged file."""
    lines = iter(enumerate(text.splitlines(), 1))
    try:
        (_, source), (_, who) = next(lines), next(lines)
        product, release = who.split(" ")
    except (StopIteration, ValueError):
        raise _damaged(file, 1) from None
    names: dict[str, Declaration] = {}
    members: dict[str, tuple[str, ...]] = {}
    headers: set[str] = set()
    for group, number, line in _grouped(lines, file):
        if group == _MEMBERS:
            owner, _, rest = line.partition(":")
            members[owner] = tuple(rest.split())
        elif group == _HEADERS:
            headers.add(line)
        else:
            declaration = _declaration(group, line, file, number)
            names[spelled(declaration)] = declaration
    return Extract(source, product, release, Folder(names, frozenset(headers), members))


def _grouped(lines: Iterator[tuple[int, str]], file: str) -> Iterator[tuple[str, int, str]]:
    group = ""
    for number, line in lines:
        if line.startswith("["):
            group = line
        elif line and not group:
            raise _damaged(file, number)
        elif line:
            yield group, number, line


def _declaration(group: str, line: str, file: str, number: int) -> Declaration:
    kind, header, scope = [*group.strip("[]").split(" "), ""][:3]
    name, _, count = line.partition(" ")
    try:
        return Declaration(name, Kind(kind), header, scope, int(count) if count else None)
    except ValueError:
        raise _damaged(file, number) from None


def _damaged(file: str, number: int) -> HipportError:
    return HipportError(f"{file}:{number}: not a list of names", hint="Recreate it with: python -m scripts.known_names")
