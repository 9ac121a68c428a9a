"""Names in namespaces of CUDA's C++ libraries (`cub::DeviceFor`): reported where HIP's library does not have them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping

from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes.names import missing
from hipport.translate.passes.namespaces import is_foreign, opens
from hipport.translate.references import Reference
from hipport.translate.spelling import nearest
from hipport.translate.syntax.definitions import is_declared_at
from hipport.translate.work import Work

_BEHIND = re.compile(r"\s*::\s*([A-Za-z_]\w*)(\s*::)?")
_ALIAS = re.compile(r"\bnamespace\s+(\w+)\s*=\s*(?:::\s*)?(\w+(?:\s*::\s*\w+)*)\s*;")
_USING = re.compile(r"\busing\s+namespace\s+(?:::\s*)?(\w+(?:\s*::\s*\w+)*)\s*;")

Scopes = Mapping[str, frozenset[str]]
"""The names that the tables list of each namespace."""


def run(work: Work) -> Iterator[Diagnostic]:
    """Look up every qualified name of a namespace whose names the tables list, and unqualified ones that HIP lacks."""
    scopes = _scopes(work.context.tables.known)
    code = work.unit.code
    roots = {scope.partition("::")[0] for scope in scopes}
    if not work.unit.words & roots:
        return
    aliases = {name: _compact(target) for name, target in _ALIAS.findall(code) if _compact(target) in scopes}
    places = work.unit.occurrences(frozenset(roots | aliases.keys()))
    own = {root for root, offset in places if opens(code, root, offset)}
    for root, offset in places:
        if root not in own and not is_foreign(code, offset):
            yield from _qualified(work, scopes, aliases.get(root, root), Span(offset, offset + len(root)))
    used = {_compact(target) for target in _USING.findall(code)} - own
    for scope in sorted(aliases.get(each, each) for each in used):
        yield from _unqualified(work, scope, scopes.get(scope, frozenset()))


def _qualified(work: Work, scopes: Scopes, scope: str, written: Span) -> Iterator[Diagnostic]:
    """Look up the name behind a namespace, and behind the namespaces in it that the tables list, too."""
    match = _BEHIND.match(work.unit.code, written.end)
    if match is None:
        return
    span, inner = Span(written.start, match.end(1)), f"{scope}::{match[1]}"
    if match[2] and inner in scopes:
        yield from _qualified(work, scopes, inner, span)
    elif scope in scopes and not (match[2] and match[1].islower()):
        # Other namespaces in a library begin with a small letter and are followed by `::`.
        yield from _looked_up(work, scope, match[1], span, scopes[scope])


def _looked_up(work: Work, scope: str, name: str, span: Span, known: frozenset[str]) -> Iterator[Diagnostic]:
    full = f"{scope}::{name}"
    entry = work.context.tables.names.get(full)
    if entry is None:
        near = nearest(name, known)
        message = f"{full} is unknown: the mapping tables have no such name in namespace {scope}"
        advice = f"Did you mean {scope}::{near}?" if near else ""
        yield work.report(span, "HP112", Severity.WARNING, message, advice)
    elif entry.hip is None and not entry.ordinary:
        yield missing(work, Reference(entry, span))


def _unqualified(work: Work, scope: str, known: frozenset[str]) -> Iterator[Diagnostic]:
    """Look up the names of a namespace that is used by `using namespace`."""
    unit, names = work.unit, work.context.tables.names
    lacking = frozenset(name for name in known & unit.words if names[f"{scope}::{name}"].hip is None)
    places = [place for place in unit.occurrences(lacking) if not is_foreign(unit.code, place[1])]
    own = {name for name, offset in places if is_declared_at(unit, name, offset)}
    for name, offset in places:
        entry = names[f"{scope}::{name}"]
        if name not in own and not entry.ordinary:
            yield missing(work, Reference(entry, Span(offset, offset + len(name))))


def _compact(name: str) -> str:
    return re.sub(r"\s", "", name)


@functools.lru_cache(maxsize=4)
def _scopes(known: frozenset[str]) -> Scopes:
    found: dict[str, set[str]] = {}
    for full in known:
        if "::" in full:
            scope, _, name = full.rpartition("::")
            found.setdefault(scope, set()).add(name)
    return {scope: frozenset(names) for scope, names in found.items()}
