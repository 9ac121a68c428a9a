"""What libclang is asked with, and what it knows about a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from hipport.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Semantic:
    """What the user said about how the sources are compiled.

    `database`: a `compile_commands.json` or the folder that holds one, None where there is none; `flags`: compiler
    options for all units, such as `-Iinclude` and `-DN=1`, relative paths seen from `folder`.
    """

    database: str | None = None
    flags: tuple[str, ...] = ()
    folder: str = "."


@dataclass(frozen=True, slots=True)
class Meanings:
    """What the names of a file refer to where libclang knows, by offset in the text of the file.

    `cuda`: places where a name means the CUDA entity; `own`: where it means something else. `members`: places of member
    names with the types that the member may be looked up under in the tables, none where it is no CUDA type's.
    `sure`: libclang understood the file, in all units that include it; if not, it may lack a definition that makes a
    name the project's own. `diagnostics` is what there is to say about that.
    """

    cuda: frozenset[int] = frozenset()
    own: frozenset[int] = frozenset()
    members: Mapping[int, frozenset[str]] = field(default_factory=dict)
    sure: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def digest(self) -> str:
        """What tells these meanings from others; empty where nothing is known."""
        if self == NOTHING_KNOWN:
            return ""
        members = sorted((offset, sorted(owners)) for offset, owners in self.members.items())
        told = (sorted(self.cuda), sorted(self.own), members, self.sure, self.diagnostics)
        return hashlib.sha256(repr(told).encode("utf-8", "surrogateescape")).hexdigest()[:40]


NOTHING_KNOWN = Meanings()
