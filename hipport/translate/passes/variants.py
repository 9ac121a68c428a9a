"""Functions whose counterpart depends on the arguments of the call, and changes that only some calls need."""

from __future__ import annotations

from hipport.mappings.entry import ArgChange, Kind
from hipport.source import Span
from hipport.translate.passes.c_sources import is_c
from hipport.translate.passes.constness import is_of_type
from hipport.translate.references import Reference
from hipport.translate.syntax.calls import Call, call_of
from hipport.translate.work import Work

OPERATIONS = ("rename", "refuse")
_VALUE, _STATEMENT = "value", "statement"


def variant(work: Work, reference: Reference) -> ArgChange | None:
    """Return the table's change that renames this call or refuses it."""
    changes = [change for change in reference.entry.args if change.op in OPERATIONS]
    call = call_of(work.unit, reference.span) if changes else None
    if call is None:
        return None
    usable = [change for change in changes if not change.header or not is_c(work)]  # the headers are C++
    fitting = (change for change in usable if applies(work, reference.span, call, change))
    return min(fitting, key=lambda change: not change.given, default=None)


def applies(work: Work, name: Span, call: Call, change: ArgChange) -> bool:
    """Return whether a change is for this call, by the number of its arguments and by what it asks for."""
    if change.arity not in (None, len(call.arguments)):
        return False
    if change.given in (_VALUE, _STATEMENT):
        return _is_used(work, name) is (change.given == _VALUE)
    names = _spellings(work, change.given) if change.given else ()
    written = {work.unit.code[argument.start : argument.end].strip() for argument in call.arguments}
    return (
        not change.given
        or any(
            name in written or any(is_of_type(work.unit, argument, name) for argument in call.arguments)
            for name in names
        )
        or (_is_type(work, change.given) and any(text.startswith("{") for text in written))
    )


def _spellings(work: Work, name: str) -> tuple[str, ...]:
    """Return the names of a type: CUDA's, and HIP's in a source that was translated before."""
    entry = work.context.tables.names.get(name)
    return (name, entry.hip.name) if entry is not None and entry.hip is not None else (name,)


def _is_type(work: Work, name: str) -> bool:
    entry = work.context.tables.names.get(name)
    return entry is not None and entry.kind is Kind.TYPE


def _is_used(work: Work, name: Span) -> bool:
    """Return whether the value of a call is used: the call is not a statement of its own."""
    node = work.unit.node_at(name)
    while node is not None and node.type != "call_expression":
        node = work.unit.parent(node)
    parent = work.unit.parent(node) if node is not None else None
    return parent is not None and parent.type != "expression_statement"
