"""Facts from other files about types and functions, for following ballots; `shapes` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from hipport.files.facts import Kind, facts_of


class Told(Struct, frozen=True, dict=True):
    """Facts from other files about types and functions."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    classes: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    takes: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    ballots: frozenset[str] = frozenset()
    wave_sizes: frozenset[str] = frozenset()


def told_shapes(facts: Iterable[str]) -> Told:
    """Read what other files tell."""
    known = [*facts_of(facts, Kind.SHAPE, Kind.BALLOT, Kind.WAVE_SIZE)]
    found = sorted((each.subject, *each.value.partition(":")[::2]) for each in known if each.kind is Kind.SHAPE)
    return Told(
        {name: text for name, kind, text in found if kind == "alias"},
        {name: _pairs(text) for name, kind, text in found if kind == "class"},
        {name: _pairs(text) for name, kind, text in found if kind == "takes"},
        frozenset(each.subject for each in known if each.kind is Kind.BALLOT),
        frozenset(each.subject for each in known if each.kind is Kind.WAVE_SIZE),
    )


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, kind) for each in text.split(",") for name, _, kind in [each.partition(" ")])


NOTHING_TOLD = Told()
