"""Chooses, for one ROCm release and flavour, what each CUDA name becomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from hipport.errors import HipportError
from hipport.mappings.life import alive, release
from hipport.mappings.model import Entry, Header, Kind, Life, Member, Target
from hipport.mappings.rows import Library, Row
from hipport.mappings.tables import Headers, Tables, is_active

Flavour = Literal["hip", "roc"]


def resolve(libraries: Sequence[Library], rocm: str, flavour: Flavour) -> Tables:
    """The tables for one ROCm release; HipportError where two tables claim one name."""
    choice = _Choice(rocm, release(rocm), flavour)
    rows = [(library, row) for library in libraries for row in library.names]
    headers = [(library, row) for library in libraries for row in library.headers]
    _check_unique(rows)
    _check_unique(headers)
    entries = [choice.entry(library.name, row) for library, row in rows]
    names = {entry.name: entry for entry in entries if entry.kind is not Kind.NAMESPACE}
    return Tables(
        names=names,
        known=frozenset(names),
        active=frozenset(entry.name for entry in names.values() if is_active(entry)),
        headers=Headers({row.name: choice.header(library.name, row) for library, row in headers}),
        members=_members(libraries, choice),
        hip_names=frozenset(t.name for _, row in rows if row.name in names for t in (*row.hip, *row.roc)),
        hip_headers=frozenset(t.name for _, row in headers for t in (*row.hip, *row.roc)),
        namespaces={entry.name: entry for entry in entries if entry.kind is Kind.NAMESPACE},
    )


@dataclass(frozen=True, slots=True)
class _Choice:
    rocm: str
    at: tuple[int, ...]
    flavour: Flavour

    def entry(self, library: str, row: Row) -> Entry:
        hip, roc = self._counterpart(row)
        args = tuple(rule.change for rule in row.args if rule.before is None or self.at < rule.before) if hip else ()
        advice = self._advice(row, hip)
        flags = (row.ordinary, row.drop)
        return Entry(row.name, row.kind, library, row.cuda, hip, roc, args, *advice, row.note, *flags)

    def header(self, library: str, row: Row) -> Header:
        hip, roc = self._counterpart(row)
        spelled = (hip.name if hip else None, roc.name if roc else None)
        return Header(row.name, library, *spelled, row.drop, *self._advice(row, hip), row.note)

    def member(self, row: Row) -> Member | None:
        """None for a member that needs no renaming."""
        hip = self._first_alive(row.hip)
        if hip is None:
            return Member(row.owner, row.name, None, Life(), *self._advice(row, None))
        return Member(row.owner, row.name, hip.name, hip.life) if hip.name != row.name else None

    def _counterpart(self, row: Row) -> tuple[Target | None, Target | None]:
        hip, roc = self._first_alive(row.hip), self._first_alive(row.roc)
        return (roc or hip if self.flavour == "roc" else hip), roc

    def _first_alive(self, targets: Iterable[Target]) -> Target | None:
        return next((target for target in targets if alive(target, self.at)), None)

    def _advice(self, row: Row, hip: object) -> tuple[str, str]:
        """Why there is no counterpart and what to do: the table's words, or what its versions say."""
        if hip or row.drop:
            return "", ""
        if not row.hip:
            return row.reason, row.alternative
        target = row.hip[0]
        came, went = target.life.added, target.life.removed
        if went and self.at >= release(went):
            reason = f"ROCm {went} removed {target.name}"
            return reason, row.alternative or f"stay with a ROCm release before {went}, or replace it"
        when = f"after ROCm {came}" if target.experimental else f"with ROCm {came}"
        reason = f"{target.name} came {when}, and the target is ROCm {self.rocm}"
        return reason, row.alternative or "target a newer ROCm release, or guard the use by HIP_VERSION"


def _members(libraries: Sequence[Library], choice: _Choice) -> dict[str, tuple[Member, ...]]:
    found: dict[str, tuple[Member, ...]] = {}
    for row in (row for library in libraries for row in library.members):
        member = choice.member(row)
        if member is not None:
            found[row.name] = (*found.get(row.name, ()), member)
    return found


def _check_unique(rows: Iterable[tuple[Library, Row]]) -> None:
    seen: dict[str, tuple[Library, Row]] = {}
    for library, row in rows:
        if row.name in seen:
            other, first = seen[row.name]
            raise HipportError(
                f"{library.file}:{row.line}: {row.name}: is in {other.file}:{first.line} already",
                hint="a name belongs to one table, that of the library whose header declares it",
            )
        seen[row.name] = (library, row)
