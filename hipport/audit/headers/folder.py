"""The combined declarations of a folder's headers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hipport.audit.headers import pxd
from hipport.audit.headers.cpp import LexedHeader, lex_header, parse_header, shared_macros
from hipport.audit.headers.declaration import Declaration, HeaderText
from hipport.audit.headers.places import header_files
from hipport.errors import HipportError
from hipport.mappings.entry import Kind

_SUREST = (Kind.ENUMERATOR, Kind.TYPE, Kind.FUNCTION, Kind.VARIABLE, Kind.MACRO)
"""Kinds by precedence: a name declared as several kinds counts as the first of these."""
_STEPS = 8
"""Limit on chains of macros and typedefs: a macro for a macro for a name; no header goes further."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The declarations of a set of headers.

    `names` has the best declaration of each name by its full spelling, such as `nvcuda::wmma::fragment`. `headers` are
    the files that were read and, for `.pxd` files, the C headers that they describe. `members` has the data members of
    structs and unions.
    """

    names: Mapping[str, Declaration]
    headers: frozenset[str]
    members: Mapping[str, tuple[str, ...]]

    def declares(self, name: str) -> bool:
        """Return whether a name is declared, at file scope or as qualified."""
        return name in self.names


def read_folder(folder: Path, only: Sequence[str] = ()) -> Folder:
    """Read all headers below a folder, `.pxd` files among them; `only` as in `header_files`."""
    lexed: list[LexedHeader] = []
    texts: list[HeaderText] = []
    headers: set[str] = set()
    for header, path in header_files(folder, only):
        data = _read(path)
        if path.suffix == ".pxd":
            found = pxd.parse(data, header)
            texts.append(found)
            headers.update(declaration.header for declaration in found.declarations)
        else:
            lexed.append(lex_header(data, header))
        headers.add(header)
    shared = shared_macros(lexed)
    return combine((*texts, *(parse_header(header, shared) for header in lexed)), frozenset(headers))


def combine(texts: Iterable[HeaderText], headers: frozenset[str]) -> Folder:
    """Combine many files: the best declaration of each name, with macros resolved to the names they expand to."""
    texts = tuple(texts)
    all_of: dict[str, list[Declaration]] = defaultdict(list)
    for text in texts:
        for declaration in text.declarations:
            all_of[spelled(declaration)].append(declaration)
    names = {name: _best(found) for name, found in all_of.items()}
    aliases = {name: other for text in texts for name, other in text.aliases.items()}
    names |= {name: _resolved(names[name], names, aliases) for name in aliases if names[name].kind is Kind.MACRO}
    # `#define f f_v2` in front of `int f(int);` declares f_v2.
    names |= {
        other: replace(names[name], name=other) for name, other in aliases.items() if _renames(name, other, names)
    }
    return Folder(names, headers, _members(texts))


def merged(folders: Iterable[Folder]) -> Folder:
    """Merge several folders; for a name that several declare, the first counts."""
    names: dict[str, Declaration] = {}
    headers: set[str] = set()
    members: dict[str, tuple[str, ...]] = {}
    for folder in folders:
        names = {**folder.names, **names}
        headers |= folder.headers
        members = {**folder.members, **members}
    return Folder(names, frozenset(headers), members)


def spelled(declaration: Declaration) -> str:
    """Return the full name, without the global scope."""
    return f"{declaration.scope}::{declaration.name}" if declaration.scope else declaration.name


def _best(found: Sequence[Declaration]) -> Declaration:
    kind = min((declaration.kind for declaration in found), key=_SUREST.index)
    same = [declaration for declaration in found if declaration.kind is kind]
    # The topmost header is the one to include; deeper ones contain forward declarations.
    same.sort(key=lambda declaration: declaration.header.count("/"))
    counts = {declaration.parameters for declaration in same}
    return same[0] if len(counts) == 1 else replace(same[0], parameters=None)


def _resolved(macro: Declaration, names: Mapping[str, Declaration], aliases: Mapping[str, str]) -> Declaration:
    """Return a macro as the kind of name it expands to, if a header declares that."""
    name = macro.name
    for _ in range(_STEPS):
        name = aliases.get(name, "")
        if name not in names:
            return macro
        if names[name].kind is not Kind.MACRO:
            return replace(macro, kind=names[name].kind, parameters=names[name].parameters)
    return macro


def _renames(name: str, other: str, names: Mapping[str, Declaration]) -> bool:
    return other not in names and names[name].kind is not Kind.MACRO


def _members(texts: Iterable[HeaderText]) -> dict[str, tuple[str, ...]]:
    """Return the members by every name of a type, including `typedef`s in other headers."""
    members = {owner: names for text in texts for owner, names in text.members.items()}
    same = {name: other for text in texts for name, other in text.same.items()}
    for name in same:
        other = name
        for _ in range(_STEPS):
            other = same.get(other, "")
            if other in members:
                members.setdefault(name, members[other])
                break
    return members


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise HipportError(f"{path}: {error.strerror}", hint="Check the permissions of the file.") from None
