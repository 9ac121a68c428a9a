"""Facts from other files about types and functions, for following ballots; `shapes` writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_FACT = re.compile(r"(\w+)\{:?\}=(\w+):?(.*)\Z", re.DOTALL)


@dataclass(frozen=True)
class Told:
    """Facts from other files about types and functions."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    classes: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    takes: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    ballots: frozenset[str] = frozenset()


def told_shapes(facts: Iterable[str]) -> Told:
    """Read what other files tell."""
    found = sorted(match.groups() for fact in facts if (match := _FACT.match(fact)) is not None)
    return Told(
        {name: text for name, kind, text in found if kind == "alias"},
        {name: _pairs(text) for name, kind, text in found if kind == "class"},
        {name: _pairs(text) for name, kind, text in found if kind == "takes"},
        frozenset(name for name, kind, _ in found if kind == "ballot"),
    )


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, kind) for each in text.split(",") for name, _, kind in [each.partition(" ")])


NOTHING_TOLD = Told()
