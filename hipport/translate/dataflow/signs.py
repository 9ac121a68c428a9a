"""Places where functions show how many lanes their warps have, and pairs of them that disagree."""

from __future__ import annotations

import enum
from collections.abc import Iterable

from msgspec import Struct

from hipport.source import Span
from hipport.translate.dataflow.function import Function
from hipport.translate.dataflow.lanes import Lanes


class Sense(str, enum.Enum):
    """The kinds of dependence of a place on the number of lanes."""

    EXCHANGES = "exchanges"
    NUMBERS = "numbers"
    """It numbers lanes or warps."""
    RETURNS = "returns"
    """It numbers lanes or warps, and its function returns the number."""
    MENTIONS = "mentions"
    """It uses `warpSize` otherwise."""


class Sign(Struct, frozen=True):
    """A place where a function shows how many lanes its warps have."""

    lanes: Lanes
    sense: Sense
    function: str
    file: str
    line: int

    def __str__(self) -> str:
        size = 32 if self.lanes is Lanes.LOGICAL_32 else 0
        return f"{size}:{self.sense.value}:{self.function}:{self.file}:{self.line}"


class Disagreement(Struct, frozen=True):
    """A call at which two functions meet that take warps for different numbers of lanes.

    `first` is a sign of the calling function or of a function called before, `second` one of the function called here.
    """

    caller: Function
    place: Span
    first: Sign
    second: Sign


Signs = tuple[Sign, ...]


def mixes(signs: Iterable[Sign]) -> bool:
    return len({sign.lanes for sign in signs}) > 1


def weight(sign: Sign) -> int:
    return {Sense.EXCHANGES: 0, Sense.RETURNS: 1, Sense.NUMBERS: 1, Sense.MENTIONS: 2}[sign.sense]


def clash(first: Sign, second: Sign) -> bool:
    """Return whether the numbers of lanes of two places have to agree."""
    senses = {first.sense, second.sense}
    return Sense.EXCHANGES in senses or Sense.MENTIONS not in senses
