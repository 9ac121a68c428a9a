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
    found = list(accesses(work.unit, frozenset(table)))
    if not found:
        return
    owners = frozenset(member.owner for members in table.values() for member in members)
    types = variables(work.unit, owners)
    for access in found:
        for member in table[access.member]:
            if member.owner in types.get(access.variable, ()):
                yield _change(work, member, access.span)
                break


def _change(work: Work, member: Member, span: Span) -> Edit | Diagnostic:
    if member.hip is not None:
        return Replace(span.start, span.end, member.hip)
    message = f"{member.owner} has no member {member.name} in HIP"
    if member.reason:
        message += f": {member.reason}"
    return work.report(span, "HP107", Severity.ERROR, message, member.alternative)
