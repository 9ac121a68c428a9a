"""Decide whether a translation would come out the same with what other files define."""

from __future__ import annotations

from hipport.files.facts import names_only, read
from hipport.translate.context import Context
from hipport.translate.dataflow.cross_lane import CROSS_LANE
from hipport.translate.hazards.group_names import LACKING
from hipport.translate.passes import coordinates, half_operators, mixed_types, pasted
from hipport.translate.references import References, resolve
from hipport.translate.syntax.unit import Unit

_ASKED = CROSS_LANE | coordinates.NAMES | half_operators.TYPES | LACKING
"""Names that passes look for among the foreign ones themselves, instead of relying on references."""


def told_nothing_new(unit: Unit, before: References, context: Context) -> bool:
    """Return whether the foreign names change no reference of a file, nor anything that passes ask of them."""
    if not names_only(context.foreign) or pasted.may_paste(unit):
        return False
    names = {read(each).subject for each in context.foreign}
    if names & _ASKED or (names & mixed_types.NAMES and unit.words & coordinates.NAMES):
        return False
    after = resolve(unit, context.tables, context.foreign, context.meanings)
    return after.found == before.found and after.substitutes == before.substitutes
