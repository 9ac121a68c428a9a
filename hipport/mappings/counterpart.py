"""Resolve one row of a table for the chosen releases and library flavor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from hipport.mappings.choice import Flavour, Releases
from hipport.mappings.entry import ArgChange, Entry, Header, HipName, Life, Member
from hipport.mappings.life import alive, release
from hipport.mappings.rows import ArgRule, Library, Row

PYTORCH = "PyTorch"
"""The product in `versions` whose releases the counterparts' lives count instead of ROCm's."""
_NEWER = "target a newer ROCm release, or guard the use by HIP_VERSION"


class Chooser(Struct, frozen=True):
    """Chooses counterparts for the rows of one library.

    `at` is the ROCm release, or that of PyTorch for the names of its headers; `cuda` is the CUDA release of the
    sources, if one was named and the library follows CUDA's versions. `roc` selects roc names: they were requested and
    the library has some.
    """

    library: Library
    releases: Releases
    flavour: Flavour
    at: tuple[int, ...]
    cuda: tuple[int, ...] | None
    roc: bool

    @classmethod
    def of(cls, library: Library, releases: Releases, flavour: Flavour) -> Chooser:
        counted = releases.cuda if not library.versions else None
        roc = flavour == "roc" and any(row.roc for row in library.names)
        at = releases.torch or releases.rocm if library.versions == PYTORCH else releases.rocm
        return cls(library, releases, flavour, release(at), release(counted) if counted else None, roc)

    def entry(self, row: Row) -> Entry:
        """Return the entry for a name."""
        library = self.library.name
        if absent := self._absent(row):
            advice = (absent, row.alternative or "name the CUDA release of the sources with --cuda")
            flags = (row.ordinary, False, True)
            return Entry(row.name, row.kind, library, row.cuda, None, None, (), *advice, row.note, *flags)
        hip, roc = self._first_alive(row.hip), self._first_alive(row.roc)
        written = roc if self.roc else hip
        args = tuple(self._changes(row)) if written else ()
        advice = self._advice(row, written)
        common = (row.name, row.kind, library, row.cuda, written, roc, args, *advice, row.note)
        return Entry(*common, row.ordinary, row.drop, tag=row.tag)

    def header(self, row: Row) -> Header:
        """Return the entry for a header."""
        hip, roc = self._first_alive(row.hip), self._first_alive(row.roc)
        written = (roc or hip) if self.flavour == "roc" else hip
        spelled = (written.name if written else None, roc.name if roc else None)
        note = row.note if written is hip else ""
        return Header(row.name, self.library.name, *spelled, row.drop, *self._advice(row, written), note)

    def member(self, row: Row) -> Member | None:
        """Return the entry for a member; None if it needs no renaming."""
        hip = self._first_alive(row.hip)
        if hip is None:
            return Member(row.owner, row.name, None, Life(), *self._advice(row, None))
        return Member(row.owner, row.name, hip.name, hip.life) if hip.name != row.name else None

    def _first_alive(self, targets: Iterable[HipName]) -> HipName | None:
        return next((target for target in targets if alive(target, self.at)), None)

    def _changes(self, row: Row) -> Iterator[ArgChange]:
        for rule in row.args:
            if rule.before is not None and self.at >= rule.before:
                continue
            if rule.cuda is not None and (self.cuda is None or self.cuda < rule.cuda):
                continue
            yield self._renamed(rule)

    def _renamed(self, rule: ArgRule) -> ArgChange:
        """Return the rule's change; a renaming whose target the release lacks becomes a refusal."""
        if rule.target is None or alive(rule.target, self.at):
            return rule.change
        return replace(rule.change, op="refuse", text=self._lack(rule.target))

    def _absent(self, row: Row) -> str:
        """Return why the CUDA release of the sources does not have a name; empty if it does."""
        if self.cuda is None:
            return ""
        came, went = row.cuda.added, row.cuda.removed
        if came and self.cuda < release(came):
            return f"it came with CUDA {came}"
        if went and self.cuda >= release(went):
            return f"CUDA {went} removed it"
        return ""

    def _advice(self, row: Row, written: HipName | None) -> tuple[str, str]:
        """Return why there is no counterpart and what to do, from the table's text or derived from its versions.

        A counterpart that takes only some of the calls has what to do about the others.
        """
        if written or row.drop:
            return "", row.alternative if any(rule.change.op == "refuse" for rule in row.args) else ""
        hip, roc = self._first_alive(row.hip), self._first_alive(row.roc)
        if hip is not None:
            return f"the roc library lacks it; the hip library has {hip.name}", "convert with --libs hip"
        if roc is not None and self.flavour == "hip":
            return row.reason or f"the hip library lacks it; ROCm has {roc.name}", _either(row.alternative, roc)
        if not row.hip:
            return row.reason, row.alternative
        return self._lack(row.hip[0]), row.alternative or self._way_out(row.hip[0])

    def _lack(self, target: HipName) -> str:
        came, went = target.life.added, target.life.removed
        if went and self.at >= release(went):
            return f"ROCm {went} removed {target.name}"
        when = f"after ROCm {came}" if target.experimental else f"with ROCm {came}"
        return f"{target.name} came {when}, but the target is ROCm {self.releases.rocm}"

    def _way_out(self, target: HipName) -> str:
        went = target.life.removed
        if went and self.at >= release(went):
            return f"target a ROCm release before {went}, or replace it"
        return _NEWER


def _either(alternative: str, roc: HipName) -> str:
    direct = f"{roc.name}, written with --libs roc"
    return f"{alternative}; or {direct}" if alternative else direct
