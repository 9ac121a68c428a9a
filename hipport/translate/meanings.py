"""What libclang knows about the names in one file."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from hipport.diagnostics import Diagnostic


class Meanings(Struct, frozen=True):
    """What the names of a file refer to, as far as libclang knows, by offset in the text of the file.

    `cuda`: places where a name refers to the CUDA entity; `own`: places where it refers to something else. `members`:
    places of member names, with the types to look the member up under in the tables; none if it is not a CUDA type's.
    `sure`: libclang understood the file in all units that include it; if not, it may lack a definition that makes a
    name the project's own. `diagnostics` reports that.
    """

    cuda: frozenset[int] = frozenset()
    own: frozenset[int] = frozenset()
    members: Mapping[int, frozenset[str]] = field(default_factory=dict)
    sure: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def digest(self) -> str:
        """Return a digest of these meanings; empty if nothing is known."""
        if self == NOTHING_KNOWN:
            return ""
        import hashlib  # loads a library of its own

        members = sorted((offset, sorted(owners)) for offset, owners in self.members.items())
        told = (sorted(self.cuda), sorted(self.own), members, self.sure, self.diagnostics)
        return hashlib.sha256(repr(told).encode("utf-8", "surrogateescape")).hexdigest()[:40]


NOTHING_KNOWN = Meanings()
