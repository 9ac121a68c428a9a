"""Walk through two traces in parallel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hipport.counts import count_of
from hipport.verify.trace.file import MOMENTS, Argument, Content, Launch


@dataclass(frozen=True, slots=True)
class Place:
    """A buffer that differs before or after a launch, and that one of the programs has changed there.

    `type` is the type of the pointers to it that kernels were given, if any; `argument` is the position of the first
    such pointer among the arguments of this launch, from 1, or 0.
    """

    launch: Launch
    moment: str
    buffer: int
    sizes: tuple[int | None, int | None]
    type: str = ""
    argument: int = 0

    @property
    def key(self) -> str:
        """The place as a line in the list of wanted contents, and as part of the names of their files."""
        return f"{self.launch.number} {self.moment} {self.buffer}"


@dataclass(frozen=True, slots=True)
class Walk:
    """The differences of two traces, in order; `notes` has (launch number, difference other than in a buffer)."""

    places: tuple[Place, ...]
    notes: tuple[tuple[int, str], ...]
    launches: int


def walk(original: Sequence[Launch], port: Sequence[Launch]) -> Walk:
    """Compare launches one by one, as long as both programs launch the same kernels."""
    places: list[Place] = []
    notes: list[tuple[int, str]] = []
    state: tuple[dict[int, Content], dict[int, Content]] = ({}, {})
    types: dict[int, str] = {}
    together = 0
    for old, new in zip(original, port, strict=False):
        if old.name != new.name:
            notes.append((old.number, f"launch {old.number} is {old.name} in the original, {new.name} in the port"))
            return Walk(tuple(places), tuple(notes), together)
        together += 1
        notes += [(old.number, text) for text in _differences(old, new)]
        types |= _types(new) | _types(old)
        places += _changed(old, new, state, types)
    if len(original) != len(port):
        notes.append((together + 1, f"the original launches {count_of(len(original), 'kernel')}, the port {len(port)}"))
    return Walk(tuple(places), tuple(notes), together)


def _changed(
    old: Launch, new: Launch, state: tuple[dict[int, Content], dict[int, Content]], types: dict[int, str]
) -> Iterator[Place]:
    """Yield the differing buffers that a launch, or the host before it, has changed; updates `state`."""
    pointers = _pointers(old)
    for moment in MOMENTS:
        changes = old.changes[moment], new.changes[moment]
        state[0].update(changes[0])
        state[1].update(changes[1])
        for buffer in sorted(changes[0].keys() | changes[1].keys()):
            ours, theirs = state[0].get(buffer), state[1].get(buffer)
            if ours != theirs:
                sizes = ours.size if ours else None, theirs.size if theirs else None
                yield Place(old, moment, buffer, sizes, types.get(buffer, ""), pointers.get(buffer, 0))


def _pointers(launch: Launch) -> dict[int, int]:
    """Return the buffers passed to a launch, with the index of the first argument that points into each."""
    found: dict[int, int] = {}
    for index, argument in enumerate(launch.arguments, 1):
        buffer, plus, _ = argument.value.partition("+")
        if plus:
            found.setdefault(int(buffer), index)
    return found


def _types(launch: Launch) -> dict[int, str]:
    return {buffer: launch.arguments[index - 1].type for buffer, index in _pointers(launch).items()}


def _differences(old: Launch, new: Launch) -> Iterator[str]:
    """Yield the differences in configuration and arguments between two launches of a kernel."""
    for what, ours, theirs in (
        ("grid", old.grid, new.grid),
        ("block", old.block, new.block),
        ("shared memory", f"{old.shared_bytes} bytes", f"{new.shared_bytes} bytes"),
    ):
        if ours != theirs:
            yield f"{what} of launch {old.number}, {old.name}: {ours} in the original, {theirs} in the port"
    for index, (first, second) in enumerate(zip(old.arguments, new.arguments, strict=False), 1):
        if _told_differently(first, second):
            yield f"argument {index} of launch {old.number}, {old.name}, differs"
    for launch, which in ((old, "original"), (new, "port")):
        if not launch.ended:
            yield f"the {which} ended in launch {launch.number}, {launch.name}"


def _told_differently(first: Argument, second: Argument) -> bool:
    """Return whether both values are known and differ; types are ignored, since one type may have two spellings."""
    return bool(first.value and second.value) and first.value != second.value
