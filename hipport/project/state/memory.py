"""Store the results of a run for the next one on this machine: findings of unchanged files, digests by file times."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import astuple

from hipport.diagnostics import Change, Diagnostic, Quote, Severity
from hipport.errors import HipportError
from hipport.files.documents import parse_json
from hipport.files.hashes import Sighting
from hipport.files.includes import Seen
from hipport.project.translate import Outcome
from hipport.source import Edit, Replace, Span, Wrap


class Record(Struct, frozen=True):
    """The translation of one source, with the digests of input and output.

    `renamed` are those that its includes and findings follow; for a build file, it is instead the digest that
    `hipport.project.tree.run` computes of its surroundings.
    """

    input: str
    output: str
    renamed: Mapping[str, str]
    outcome: Outcome


class Memory(Struct, frozen=True):
    """Results of earlier runs: `records` are valid only for the translator identified by `key`, `sightings` for any."""

    key: str = ""
    records: Mapping[str, Record] = field(default_factory=dict)
    sightings: Mapping[str, Sighting] = field(default_factory=dict)


def to_bytes(memory: Memory) -> bytes:
    """Return the memory as JSON."""
    records = {name: pack_record(record) for name, record in memory.records.items()}
    return json.dumps({"key": memory.key, "records": records, "sightings": dict(memory.sightings)}).encode()


def from_bytes(data: bytes) -> Memory:
    """Parse a stored memory; return an empty one if it is damaged."""
    try:
        found = parse_json(data, "memory.json")
        records = {name: unpack_record(name, record) for name, record in found["records"].items()}
        sightings = {place: _sighting(seen) for place, seen in found["sightings"].items()}
        return Memory(str(found["key"]), records, sightings)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, HipportError):
        return Memory()


def _sighting(seen: list[Any]) -> Sighting:
    size, modified, changed, inode, read, digest = seen
    return (size, modified, changed, inode, read, digest)


def pack_record(record: Record) -> list[Any]:
    """Return a record as plain lists, numbers and texts; the outcome's `data` and `digest` are left out."""
    outcome = record.outcome
    seen = [
        sorted(outcome.seen.defines),
        sorted(outcome.seen.uses),
        outcome.seen.includes,
        sorted(outcome.seen.declares),
        outcome.seen.reads,
    ]
    unknown = [[name, _packed_finding(diagnostic)] for name, diagnostic in outcome.unknown]
    found = [_packed_finding(diagnostic) for diagnostic in outcome.diagnostics]
    told = [sorted(outcome.foreign), outcome.meant]
    return [record.input, record.output, dict(record.renamed), told, seen, found, outcome.support, unknown]


def unpack_record(name: str, packed: list[Any]) -> Record:
    """Return the record of a source called `name`. Raises ValueError, TypeError or another for damaged data."""
    digest, output, renamed, (foreign, meant), seen, found, support, unknown = packed
    defines, uses, includes, declares, reads = seen
    outcome = Outcome(
        diagnostics=tuple(_unpacked_finding(name, item) for item in found),
        seen=Seen(frozenset(defines), frozenset(uses), tuple(includes), frozenset(declares), tuple(reads)),
        support=tuple(support),
        foreign=frozenset(foreign),
        meant=str(meant),
        unknown=tuple((str(each), _unpacked_finding(name, item)) for each, item in unknown),
    )
    return Record(digest, output, renamed, outcome)


def _packed_finding(found: Diagnostic) -> list[Any]:
    fix = [_packed_edit(edit) for edit in found.fix]
    quote = None if found.quote is None else astuple(found.quote)
    place = (found.line, found.column, found.code, found.severity.value)
    return [*place, found.message, found.advice, fix, quote, [astuple(change) for change in found.changes]]


def _unpacked_finding(name: str, packed: list[Any]) -> Diagnostic:
    line, column, code, severity, message, advice, fix, quote, changes = packed
    return Diagnostic(
        name,
        line,
        column,
        code,
        Severity(severity),
        message,
        advice,
        tuple(_unpacked_edit(*packed) for packed in fix),
        None if quote is None else Quote(*quote),
        tuple(Change(*change) for change in changes),
    )


def _packed_edit(edit: Edit) -> list[Any]:
    if isinstance(edit, Wrap):
        return ["wrap", *astuple(edit)]
    return ["replace", edit.start, edit.end, edit.text, edit.whole, [astuple(span) for span in edit.kept]]


def _unpacked_edit(kind: str, *values: Any) -> Edit:
    if kind == "wrap":
        return Wrap(*values)
    start, end, text, whole, kept = values
    return Replace(start, end, text, whole, tuple(Span(*place) for place in kept))
