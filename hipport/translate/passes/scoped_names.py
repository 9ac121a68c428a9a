"""Names in namespaces of CUDA's C++ libraries (`cub::DeviceFor`): reported where HIP's library does not have them."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes.names import missing
from hipport.translate.passes.namespaces import is_foreign, opens
from hipport.translate.references import Reference
from hipport.translate.work import Work

_BEHIND = re.compile(r"\s*::\s*([A-Za-z_]\w*)(\s*::)?")
_CLOSE = 0.8


def run(work: Work) -> Iterator[Diagnostic]:
    """Look up every qualified name of a namespace whose names the tables list."""
    scopes = _scopes(work.context.tables.known)
    code = work.unit.code
    places = work.unit.occurrences(frozenset(scopes))
    own = {root for root, offset in places if opens(code, root, offset)}
    for root, offset in places:
        match = _BEHIND.match(code, offset + len(root))
        if match is None or root in own or is_foreign(code, offset):
            continue
        # Only namespaces within a library begin with a small letter and are followed by `::`.
        if not (match[2] and match[1].islower()):
            yield from _looked_up(work, root, match[1], Span(offset, match.end(1)), scopes[root])


def _looked_up(work: Work, root: str, name: str, span: Span, known: frozenset[str]) -> Iterator[Diagnostic]:
    full = f"{root}::{name}"
    entry = work.context.tables.names.get(full)
    if entry is None:
        near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=_CLOSE)
        message = f"{full} is unknown: the mapping tables have no such name in namespace {root}"
        advice = f"Did you mean {root}::{near[0]}?" if near else ""
        yield work.report(span, "HP112", Severity.WARNING, message, advice)
    elif entry.hip is None and not entry.ordinary:
        yield missing(work, Reference(entry, span))


@functools.lru_cache(maxsize=4)
def _scopes(known: frozenset[str]) -> dict[str, frozenset[str]]:
    """Return the names of each namespace that the tables list by name."""
    found: dict[str, set[str]] = {}
    for full in known:
        if "::" in full:
            root, _, name = full.partition("::")
            found.setdefault(root, set()).add(name)
    return {root: frozenset(names) for root, names in found.items()}
