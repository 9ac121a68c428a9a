"""Functions whose counterpart depends on the number of arguments of the call."""

from __future__ import annotations

from hipport.mappings.entry import ArgChange
from hipport.translate.references import Reference
from hipport.translate.syntax.calls import call_of
from hipport.translate.work import Work

OPERATIONS = ("rename", "refuse")


def variant(work: Work, reference: Reference) -> ArgChange | None:
    """Return the table's change that renames this call or refuses it, by its number of arguments."""
    changes = [change for change in reference.entry.args if change.op in OPERATIONS]
    call = call_of(work.unit, reference.span) if changes else None
    if call is None:
        return None
    return next((change for change in changes if change.arity == len(call.arguments)), None)
