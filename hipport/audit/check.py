"""Check the tables against headers: whatever a release should have by the tables, its headers must declare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hipport.audit.accepted import Acceptance
from hipport.audit.extract import Extract
from hipport.audit.rules import rules
from hipport.audit.sync import TODO
from hipport.mappings.entry import Header, Life
from hipport.mappings.life import release
from hipport.mappings.loader import Tables

_HEADERS = "headers"
_MEMBERS = "members"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of the tables that `name` exists in the headers, made by the table's line for `cuda`."""

    library: str
    cuda: str
    name: str


@dataclass(frozen=True, slots=True)
class Miss:
    """A claim that the headers do not confirm; `reason` says why that is accepted, or is empty."""

    claim: Claim
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AuditResult:
    """Result of checking the claims about one release.

    `found` and `unjudged` count names by library; a name is not judged if no header that could declare it is available.
    `idle` are acceptances that are no longer needed; `fallen` maps libraries that fell below their floor to (found,
    floor).
    """

    source: str
    release: str
    found: Mapping[str, int]
    misses: tuple[Miss, ...]
    unjudged: Mapping[str, int]
    idle: tuple[Acceptance, ...]
    fallen: Mapping[str, tuple[int, int]]

    @property
    def open(self) -> tuple[Miss, ...]:
        """Return the misses that are not accepted."""
        return tuple(miss for miss in self.misses if not miss.reason)

    @property
    def passed(self) -> bool:
        """Return whether no name is missing, no acceptance idle and no library below its floor."""
        return not (self.open or self.idle or self.fallen)


def check(
    extract: Extract, tables: Tables, acceptances: Iterable[Acceptance], floors: Mapping[str, int] | None = None
) -> AuditResult:
    """Check every claim of the tables about the release of the extract, for which they are resolved."""
    claims = list(_hip_claims(extract, tables) if extract.product == "rocm" else _cuda_claims(extract, tables))
    concerned = [one for one in acceptances if one.concerns(extract.source)]
    judged = [claim for claim, judged in claims if judged]
    misses = tuple(_miss(claim, concerned) for claim in judged if not _is_there(claim, extract))
    missing = {miss.claim for miss in misses}
    found = Counter(claim.library for claim in judged if claim not in missing)
    unjudged = Counter(claim.library for claim, judged in claims if not judged)
    fallen = {name: (found[name], floor) for name, floor in (floors or {}).items() if found[name] < floor}
    return AuditResult(
        extract.source, extract.release, found, misses, unjudged, _idle(concerned, claims, misses, tables), fallen
    )


def unfinished(tables: Tables) -> list[str]:
    """Return the names whose reason is still the placeholder that `sync` writes."""
    return sorted(entry.name for entry in tables.names.values() if entry.reason.startswith(TODO))


def _miss(claim: Claim, acceptances: Sequence[Acceptance]) -> Miss:
    return Miss(claim, next((one.reason for one in acceptances if one.names.match(claim.name)), ""))


def _idle(
    acceptances: Sequence[Acceptance], claims: Sequence[tuple[Claim, bool]], misses: Iterable[Miss], tables: Tables
) -> tuple[Acceptance, ...]:
    """Return acceptances that excuse nothing: their names were found, or are in no table for any release."""
    used = {miss.claim.name for miss in misses}
    unjudged = {claim.name for claim, judged in claims if not judged}
    judged = {claim.name for claim, judged in claims if judged}
    anywhere = [*tables.known, *tables.hip_names, *tables.hip_headers, *judged, *unjudged]
    idle = [one for one in acceptances if not one.names.any_of(used) and not one.names.any_of(unjudged)]
    return tuple(one for one in idle if one.names.any_of(judged) or not one.names.any_of(anywhere))


def _is_there(claim: Claim, extract: Extract) -> bool:
    if claim.library == _HEADERS:
        return claim.name in extract.folder.headers
    owner, dot, member = claim.name.partition(".")
    if dot:
        return member.split(".")[0] in extract.folder.members.get(owner, ())
    return extract.folder.declares(claim.name)


def _hip_claims(extract: Extract, tables: Tables) -> Iterator[tuple[Claim, bool]]:
    """Yield the counterparts, members and headers HIP has by the tables, each with whether the extract can judge it."""
    seen = set()
    for entry in tables.names.values():
        for target in () if entry.support and not entry.overloads else (entry.hip, entry.roc):
            if target is not None and target.name not in seen:
                seen.add(target.name)
                yield Claim(entry.library, entry.name, target.name), _has_headers_of(target.name, extract)
    yield from _member_claims(extract, tables)
    if not any(header.endswith(".pxd") for header in extract.folder.headers):
        folders = {header.split("/")[0] for header in extract.folder.headers if "/" in header}
        for name, header in sorted(_hip_headers(tables).items()):
            yield Claim(_HEADERS, header.name, name), name.split("/")[0] in folders


def _hip_headers(tables: Tables) -> dict[str, Header]:
    every = tables.headers.all().values()
    return {name: header for header in every for name in (header.hip, header.roc) if name and "*" not in name}


def _has_headers_of(name: str, extract: Extract) -> bool:
    return not extract.folder.headers.isdisjoint(rules().headers_of(name))


def _member_claims(extract: Extract, tables: Tables) -> Iterator[tuple[Claim, bool]]:
    for members in tables.members.values():
        for member in members:
            owner = tables.names.get(member.owner)
            if owner is not None and owner.hip is not None and member.hip is not None:
                name = f"{owner.hip.name}.{member.hip}"
                yield Claim(_MEMBERS, f"{member.owner}.{member.name}", name), owner.hip.name in extract.folder.members


def _cuda_claims(extract: Extract, tables: Tables) -> Iterator[tuple[Claim, bool]]:
    """Yield the names this CUDA release has by the tables, each with whether headers of its library are available."""
    at = release(extract.release)
    headers = [tables.headers.get(name) for name in extract.folder.headers]
    here = {header.library for header in headers if header is not None and "*" not in header.name}
    for entry in tables.names.values():
        if _is_in(entry.cuda, at):
            yield Claim(entry.library, entry.name, entry.name), entry.library in here


def _is_in(life: Life, at: tuple[int, ...]) -> bool:
    return not (life.added and at < release(life.added)) and not (life.removed and at >= release(life.removed))
