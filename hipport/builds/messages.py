"""Deduplicate tool output: a unit is compiled for every target and gives the same diagnostics each time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hipport.builds.plan import BuildPlan
from hipport.builds.runner import Done

_COUNT = re.compile(r"^\d+ (?:warnings?|errors?)(?: and \d+ errors?)? generated(?: when compiling for \S+)?\.\n", re.M)


@dataclass(frozen=True, slots=True)
class Message:
    """The output of a tool, and the titles of the steps that printed it."""

    titles: tuple[str, ...]
    text: str
    failed: bool

    @property
    def where(self) -> str:
        """Return the titles in one line, grouped by unit: `k.hip for gfx90a, gfx1030`."""
        reasons: dict[str, list[str]] = {}
        for title in self.titles:
            unit, _, reason = title.partition(" for ")
            reasons.setdefault(unit, []).append(reason)
        return "; ".join(f"{unit} for {', '.join(of)}" if of[0] else unit for unit, of in reasons.items())


def messages(plan: BuildPlan, events: Iterable[Done]) -> list[Message]:
    """Return each distinct message once, warnings first, in order of first appearance."""
    titles: dict[tuple[bool, str], list[str]] = {}
    for event in events:
        text = _COUNT.sub("", event.text)
        if text.strip() or event.failed:
            titles.setdefault((event.failed, text), []).append(plan.steps[event.step].title)
    found = [Message(tuple(of_text), text, failed) for (failed, text), of_text in titles.items()]
    return sorted(found, key=lambda message: message.failed)


def explained(text: str) -> Iterator[str]:
    """Yield what a compiler's message about files means, whatever the target."""
    if "File name too long" in text:
        yield "compilers name temporary files after the source and add to it: shorten its name, to 230 bytes say"
