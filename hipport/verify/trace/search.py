"""Find the first buffer that differs by more than the tolerance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hipport.counts import count_of
from hipport.verify.compare import element_type
from hipport.verify.model import Comparison, Difference, Rules, TraceFinding
from hipport.verify.trace.elements import element_of, holds_pointers
from hipport.verify.trace.run import Trace, Tracer
from hipport.verify.trace.walk import Place, walk

_NOTES = 5
"""Maximum number of notes shown."""


def search(original: Tracer, port: Tracer, rules: Rules, limit: int) -> TraceFinding:
    """Run both programs for hashes, then again for the contents of buffers with different hashes, until one differs.

    A run writes at most `limit` bytes of contents, so there may be several. Raises `HipportError`.
    """
    traces = original.run(), port.run()
    walked = walk(*(trace.launches for trace in traces))
    notes = [*walked.notes, *_stopped(traces)]
    places = []
    for place in walked.places:
        if why := _not_comparable(place, limit):
            notes.append((place.launch.number, f"buffer {place.buffer} is not compared: {why}"))
        else:
            places.append(place)
    for batch in _batches(places, limit):
        original.run(batch)
        port.run(batch)
        for place in batch:
            comparison = _compare(place, original.contents(place), port.contents(place), rules)
            if comparison.count:
                up_to = [text for number, text in sorted(notes) if number <= place.launch.number]
                return TraceFinding(walked.launches, place.launch.title, place.moment, comparison, tuple(_first(up_to)))
    return TraceFinding(walked.launches, notes=tuple(_first(text for _, text in sorted(notes))))


def _stopped(traces: tuple[Trace, Trace]) -> Iterator[tuple[int, str]]:
    """Yield notes on runs that timed out."""
    for trace, which in zip(traces, ("original", "port"), strict=True):
        if trace.stopped:
            yield (
                len(trace.launches),
                f"the {which} was stopped at the timeout, after {count_of(len(trace.launches), 'launch', 'launches')}",
            )


def _first(notes: Iterable[str]) -> list[str]:
    unique = list(dict.fromkeys(notes))
    more = [f"and {len(unique) - _NOTES} more of this kind"] if len(unique) > _NOTES else []
    return unique[:_NOTES] + more


def _not_comparable(place: Place, limit: int) -> str | None:
    """Return why the contents of a buffer cannot be compared, or None if they can."""
    old, new = place.sizes
    if old is None or new is None:
        return f"it exists only in the {'port' if old is None else 'original'}"
    if old != new:
        return f"{old:,} bytes in the original, {new:,} in the port"
    if old > limit:
        return f"its size of {old:,} bytes exceeds --trace-limit"
    return "it contains pointers" if holds_pointers(place.type) else None


def _batches(places: Iterable[Place], limit: int) -> Iterator[list[Place]]:
    """Yield the places in order, in batches that fit the limit."""
    batch: list[Place] = []
    size = 0
    for place in places:
        needed = place.sizes[0] or 0
        if batch and size + needed > limit:
            yield batch
            batch, size = [], 0
        batch.append(place)
        size += needed
    if batch:
        yield batch


def _compare(place: Place, original: bytes | None, port: bytes | None, rules: Rules) -> Comparison:
    from hipport.verify.arrays import compare_raw
    from hipport.verify.content import compare_bytes

    name = f"buffer {place.buffer}"
    if original is None or port is None:
        there = ["reached" if data is not None else "not reached" for data in (original, port)]
        return Comparison(name, "launch", (Difference("", *there),), 1)
    element = element_type(name, rules) or element_of(place.type)
    if element is None:
        found = compare_bytes(
            name, original, port, f"its type is unknown; use --dtype '{name}=TYPE' to compare numbers"
        )
    else:
        found = compare_raw(name, original, port, element, rules.tolerance)
    return replace(found, name=f"{name}, argument {place.argument}" if place.argument else name)
