"""Members of CUDA structs that have another name in HIP, or none."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.entry import Member
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.passes import insertion
from hipport.translate.syntax.members import accesses, variables
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Rename members of variables whose declared type is in the tables, or replace them by a function call."""
    table = work.context.tables.members
    headers: dict[str, int] = {}
    for name, span, owners in _owned(work, frozenset(table)):
        member = next((member for member in table[name] if member.owner in owners), None)
        if member is None:
            continue
        call = tuple(_call(work, member, span))
        if call:
            yield from call
            headers.setdefault(member.header, span.start)
        else:
            yield _change(work, member, span)
    if headers:
        yield from insertion.include(work, headers, min(headers.values()))


def _call(work: Work, member: Member, span: Span) -> Iterator[Edit]:
    """Rewrite `p.deviceOverlap` as `hipport::compat::device_overlap(p)`, where it is read."""
    in_cpp = not work.unit.source.name.endswith(".c")
    access = work.unit.enclosing(span, "field_expression") if member.function and in_cpp else None
    of = access.child_by_field_name("argument") if access is not None else None
    if access is None or of is None or access.end_byte != span.end or _is_written(work, access):
        return
    yield Wrap(of.start_byte, of.end_byte, f"{member.function}(", ")")
    yield Replace(of.end_byte, span.end, "")


def _is_written(work: Work, access: Node) -> bool:
    """Return whether the member is assigned to or its address is taken."""
    outer = work.unit.parent(access)
    if outer is None or outer.type in ("pointer_expression", "update_expression"):
        return True
    return outer.type == "assignment_expression" and outer.child_by_field_name("left") == access


def _owned(work: Work, members: frozenset[str]) -> Iterator[tuple[str, Span, frozenset[str]]]:
    """Yield member names, their ranges and the types they may belong to: from libclang, else by syntax."""
    known = work.context.meanings.members
    for name, offset in work.unit.occurrences(members) if known else ():
        if offset in known:
            yield name, Span(offset, offset + len(name)), known[offset]
    owners = work.unit.words & work.context.tables.owners
    if not owners:
        return
    found = [access for access in accesses(work.unit, members) if access.span.start not in known]
    if found:
        types = variables(work.unit, owners)
        for access in found:
            yield access.member, access.span, types.get(access.variable, frozenset())


def _change(work: Work, member: Member, span: Span) -> Edit | Diagnostic:
    if member.hip is not None:
        return Replace(span.start, span.end, member.hip)
    message = f"{member.owner} has no member {member.name} in HIP"
    if member.reason:
        message += f": {member.reason}"
    return work.report(span, "HP107", Severity.ERROR, message, member.alternative)
