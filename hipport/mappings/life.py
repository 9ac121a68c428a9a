"""Parse the tables' one-line notation of a counterpart and its life, such as `hipMalloc 1.5.0 deprecated 6.1.0`."""

from __future__ import annotations

import functools

from hipport import lazy_re as re
from hipport.mappings.entry import HipName, Life

EVENTS = ("added", "deprecated", "changed", "removed")

VERSION = re.compile(r"\d+(\.\d+){0,3}\Z")


@functools.lru_cache(maxsize=1024)
def release(text: str) -> tuple[int, ...]:
    """Parse `5.2.3` as (5, 2, 3), for comparison; `6`, `6.0` and `6.0.0` are equal. ValueError for anything else."""
    if not VERSION.match(text):
        raise ValueError(f"{text!r} is not a version such as 6.2 or 5.2.3")
    numbers = [int(part) for part in text.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


@functools.lru_cache(maxsize=4096)
def parse_life(text: str) -> Life:
    """Parse `9.0 deprecated 11.0 removed 12.0`; the first version, which added the name, may be missing."""
    words = text.split()
    events = dict.fromkeys(EVENTS, "")
    if words and words[0] not in EVENTS:
        words.insert(0, "added")
    for event, version in zip(words[::2], words[1::2], strict=False):
        if event not in EVENTS or events[event]:
            raise ValueError(f"{event!r}: expected {', '.join(EVENTS[1:])}, each once and with a version")
        release(version)
        events[event] = version
    if len(words) % 2:
        raise ValueError(f"a version is missing after {words[-1]!r}")
    return Life(**{event: version or None for event, version in events.items()})


def parse_target(text: str) -> HipName:
    """Parse `hipX 6.3.0 experimental`: a name, followed by its life in ROCm releases."""
    name, _, rest = text.strip().partition(" ")
    if not name:
        raise ValueError("a name is missing")
    life, marker, tail = rest.partition("experimental")
    if tail.strip():
        raise ValueError(f"{tail.strip()!r} after 'experimental', which must come last")
    return HipName(name, parse_life(life), bool(marker))


def format_life(life: Life) -> str:
    """Return the notation that `parse_life` reads."""
    later = [f"{event} {version}" for event in EVENTS[1:] if (version := getattr(life, event))]
    return " ".join(([life.added] if life.added else []) + later)


def format_target(target: HipName) -> str:
    """Return the notation that `parse_target` reads."""
    parts = (target.name, format_life(target.life), "experimental" if target.experimental else "")
    return " ".join(part for part in parts if part)


def alive(target: HipName, at: tuple[int, ...]) -> bool:
    """Return whether ROCm release `at` has the name; one added as experimental counts from the next release."""
    came, went = target.life.added, target.life.removed
    if came and (at < release(came) or (target.experimental and at == release(came))):
        return False
    return not (went and at >= release(went))
