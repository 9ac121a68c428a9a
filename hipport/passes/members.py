"""Members of CUDA structs that HIP calls otherwise, or does not have."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.model import Member
from hipport.passes.work import Work
from hipport.source import Edit, Replace, Span
from hipport.syntax.members import accesses, variables


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Rename the members of variables that the file declares with a type of the tables."""
    table = work.context.tables.members
    for name, span, owners in _owned(work, frozenset(table)):
        for member in table[name]:
            if member.owner in owners:
                yield _change(work, member, span)
                break


def _owned(work: Work, members: frozenset[str]) -> Iterator[tuple[str, Span, frozenset[str]]]:
    """The member names, where they stand, and the types that each may belong to: as libclang says, else by syntax."""
    known = work.context.meanings.members
    for name, offset in work.unit.occurrences(members) if known else ():
        if offset in known:
            yield name, Span(offset, offset + len(name)), known[offset]
    found = [access for access in accesses(work.unit, members) if access.span.start not in known]
    if found:
        types = variables(
            work.unit, frozenset(m.owner for owned in work.context.tables.members.values() for m in owned)
        )
        for access in found:
            yield access.member, access.span, types.get(access.variable, frozenset())


def _change(work: Work, member: Member, span: Span) -> Edit | Diagnostic:
    if member.hip is not None:
        return Replace(span.start, span.end, member.hip)
    message = f"{member.owner} has no member {member.name} in HIP"
    if member.reason:
        message += f": {member.reason}"
    return work.report(span, "HP107", Severity.ERROR, message, member.alternative)
