"""Names in namespaces of CUDA's C++ libraries (`cub::DeviceFor`) that HIP's library does not have.

They are reported, unless a header of hipport declares them in the namespace of HIP's library.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Span
from hipport.translate.passes.insertion import include
from hipport.translate.passes.names import missing
from hipport.translate.passes.namespaces import USING, compact, is_foreign, may_be_looked_up, opens
from hipport.translate.references import Reference
from hipport.translate.syntax.brackets import skip_blanks
from hipport.translate.syntax.definitions import is_declared_at
from hipport.translate.syntax.lexer import DirectiveKind, parameters
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_BEHIND = re.compile(r"\s*::\s*([A-Za-z_]\w*)(\s*::)?")
_ALIAS = re.compile(r"namespace(?<!\wnamespace)\s+(\w+)\s*=\s*(?:::\s*)?(\w+(?:\s*::\s*\w+)*)\s*;")

Scopes = Mapping[str, frozenset[str]]
"""The names that the tables list of each namespace."""


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Look up every qualified name of a namespace whose names the tables list, and unqualified ones that HIP lacks."""
    headers: dict[str, int] = {}
    included = {reference.entry.support for reference in work.references.found}  # by another pass
    for found in _found(work):
        if isinstance(found, Diagnostic):
            yield found
        elif found.entry.support not in included:
            headers.setdefault(found.entry.support, found.span.start)
    if headers:
        yield from include(work, headers, min(headers.values()))


def _found(work: Work) -> Iterator[Diagnostic | Reference]:
    """Yield diagnostics, and names that a header of hipport declares."""
    scopes = work.context.tables.scopes
    code, visible = work.unit.code, work.visible_code
    roots = {scope.partition("::")[0] for scope in scopes}
    if work.visible_words.isdisjoint(roots):
        return
    aliases = _visible(work) | {
        name: compact(target) for name, target in _ALIAS.findall(visible) if compact(target) in scopes
    }
    places = work.unit.occurrences(frozenset(roots | aliases.keys()))
    own = {root for root, offset in places if opens(code, root, offset)}
    for root, offset in places:
        if root not in own and not is_foreign(code, offset):
            yield from _qualified(work, scopes, aliases.get(root, root), Span(offset, offset + len(root)))
    used = {compact(target) for target in USING.findall(visible)} - own
    for scope in sorted(aliases.get(each, each) for each in used):
        yield from _unqualified(work, scope, scopes.get(scope, frozenset()))


def _visible(work: Work) -> dict[str, str]:
    """Return namespaces by the names they have behind `using namespace` of one around them, as `wmma` of `nvcuda`.

    Those around them have names of CUDA only: in others, such as thrust, inner names are often those of projects, too.
    """
    namespaces, visible = work.context.tables.namespaces, {}
    for target in map(compact, USING.findall(work.visible_code)):
        space = namespaces.get(target)
        for scope in work.context.tables.scopes if space is not None and space.hip is None else ():
            around, _, name = scope.rpartition("::")
            if around == target and name != "std":
                visible[name] = scope
    return visible


def _qualified(work: Work, scopes: Scopes, scope: str, written: Span) -> Iterator[Diagnostic | Reference]:
    """Look up the name behind a namespace, and behind the namespaces in it that the tables list, too."""
    match = _BEHIND.match(work.unit.code, written.end)
    if match is None:
        return
    span, inner = Span(written.start, match.end(1)), f"{scope}::{match[1]}"
    if match[2] and inner in scopes:
        yield from _qualified(work, scopes, inner, span)
    elif scope in scopes and not (match[2] and match[1].islower()) and not _names_namespace(work, written):
        # Other namespaces in a library begin with a small letter and are followed by `::`.
        yield from _looked_up(work, scope, match[1], span, scopes[scope])


_OF_NAMESPACE = re.compile(r"\bnamespace\s+(?:[A-Za-z_]\w*\s*=\s*)?(?:::\s*)?\Z")


def _names_namespace(work: Work, written: Span) -> bool:
    """Return whether a namespace is named: `using namespace thrust::placeholders;`, `namespace p = thrust::system;`."""
    return _OF_NAMESPACE.search(work.unit.code, max(0, written.start - 100), written.start) is not None


def _looked_up(
    work: Work, scope: str, name: str, span: Span, known: frozenset[str]
) -> Iterator[Diagnostic | Reference]:
    full = f"{scope}::{name}"
    entry = work.context.tables.names.get(full)
    if entry is None:
        if _is_made(work.unit, name, span):
            return
        space = work.context.tables.namespaces.get(scope)
        if space is not None and space.hip is None:
            return  # The tables list some names of such a namespace only; compat headers have others.
        from hipport.translate.spelling import nearest  # few files have unknown names

        near = nearest(name, known)
        message = f"{full} is unknown: the mapping tables have no such name in namespace {scope}"
        advice = f"Did you mean {scope}::{near}?" if near else ""
        yield work.report(span, "HP112", Severity.WARNING, message, advice)
    elif entry.support:
        yield Reference(entry, span)
    elif entry.hip is None and not entry.ordinary:
        yield missing(work, Reference(entry, span))


def _is_made(unit: Unit, name: str, span: Span) -> bool:
    """Return whether a macro makes the name: `cub::__VA_ARGS__`, `cub::kind##Sum`, `cub::Device##kind`."""
    line = unit.directive_at(span.start)
    if line is None or line.kind is not DirectiveKind.DEFINE:
        return False
    is_pasted = unit.code.startswith("##", skip_blanks(unit.code, span.end))
    return is_pasted or name in parameters(unit.code[line.span.start : line.body.start])


def _unqualified(work: Work, scope: str, known: frozenset[str]) -> Iterator[Diagnostic | Reference]:
    """Look up the names of a namespace that is used by `using namespace`."""
    unit, names = work.unit, work.context.tables.names
    entries = {name: names[f"{scope}::{name}"] for name in known & unit.words}
    lacking = frozenset(name for name, entry in entries.items() if entry.hip is None or entry.support)
    places = [place for place in unit.occurrences(lacking) if may_be_looked_up(unit, place[1])]
    own = {name for name, offset in places if is_declared_at(unit, name, offset)}
    for name, offset in places:
        if name not in own and not entries[name].ordinary:
            reference = Reference(entries[name], Span(offset, offset + len(name)))
            yield reference if reference.entry.support else missing(work, reference)
