"""What the tools said, each thing once: a unit is compiled for every target, and says the same each time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hipport.build.plan import Plan
from hipport.build.runner import Done

_COUNT = re.compile(r"^\d+ (?:warnings?|errors?)(?: and \d+ errors?)? generated(?: when compiling for \S+)?\.\n", re.M)


@dataclass(frozen=True, slots=True)
class Message:
    """The words of a tool, and the titles of the steps in which it said them."""

    titles: tuple[str, ...]
    text: str
    failed: bool


def messages(plan: Plan, events: Iterable[Done]) -> list[Message]:
    """What was said, warnings first, in the order in which it was first said."""
    titles: dict[tuple[bool, str], list[str]] = {}
    for event in events:
        text = _COUNT.sub("", event.text)
        if text.strip() or event.failed:
            titles.setdefault((event.failed, text), []).append(plan.steps[event.step].title)
    found = [Message(tuple(of_text), text, failed) for (failed, text), of_text in titles.items()]
    return sorted(found, key=lambda message: message.failed)
