"""Choose the CUDA name for a HIP name, by CUDA release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hipport.mappings.entry import Kind
from hipport.mappings.life import release
from hipport.mappings.reverse import Origin

_OLDEST = (11,)
"""The oldest CUDA release that the headers support."""

_PREFERRED = ("runtime", "driver")
_VERSIONED = re.compile(r"_(v\d+|st|enum|union|ptsz|ptds|v\d+_st)$")
_PREFIXES = re.compile(r"^(cuda|cu|CUDA|CU|nv|nvtx)(?=[A-Z_a-z])")
_DRIVER_ENUMS = ("hipJit",)
"""Enumerations that both the runtime and the driver define, where HIP's functions take the driver's."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A CUDA name for a HIP name: valid from release `since`, up to but excluding `before` (None: no limit)."""

    origin: Origin
    since: tuple[int, ...] | None = None
    before: tuple[int, ...] | None = None

    @property
    def always(self) -> bool:
        return self.since is None and self.before is None


def meanings(hip: str, origins: Sequence[Origin]) -> tuple[Meaning, ...]:
    """Return the meanings of a HIP name: the first that a CUDA release has applies, and the last always does.

    If several CUDA names map to one HIP name, a similarly spelled name goes first, the runtime's before the driver's,
    and a call that keeps its arguments before one that does not. With a single origin the release is not checked: if
    the name is missing there, the compiler reports it.
    """
    ranked = sorted(origins, key=lambda origin: _rank(hip, origin))
    return tuple(_until_sure(ranked))


def _until_sure(ranked: Sequence[Origin]) -> Iterator[Meaning]:
    """Yield the best meaning, then a fallback for the releases in which it is missing."""
    best = _dated(ranked[0])
    spare = next((each for each in map(_dated, ranked[1:]) if _adds(each, best)), None)
    if spare is None:
        yield Meaning(best.origin)
    else:
        yield from (best, Meaning(spare.origin))


def _adds(other: Meaning, best: Meaning) -> bool:
    """Return whether a name of the same library exists in releases that do not have the best one."""
    if best.always or other.origin.library != best.origin.library or _VERSIONED.search(other.origin.name):
        return False
    earlier = best.since is not None and (other.since is None or other.since < best.since)
    later = best.before is not None and (other.before is None or other.before > best.before)
    return earlier or later


def _dated(origin: Origin) -> Meaning:
    came, went = origin.cuda.added, origin.cuda.removed
    if not origin.dated:
        return Meaning(origin)
    since = release(came) if came and release(came) > _OLDEST else None
    return Meaning(origin, since, release(went) if went else None)


def _rank(hip: str, origin: Origin) -> tuple[object, ...]:
    wanted = ("driver", "runtime") if hip.startswith(_DRIVER_ENUMS) else _PREFERRED
    place = wanted.index(origin.library) if origin.library in wanted else len(wanted)
    gone = origin.dated and origin.cuda.removed is not None and release(origin.cuda.removed) <= _OLDEST
    alike = _core(origin.name) == _core(hip)
    return (
        gone,
        place if origin.kind is not Kind.FUNCTION else 0,
        not alike,
        not origin.plain,
        place,
        *_oddness(origin),
    )


def _oddness(origin: Origin) -> tuple[bool, int, str]:
    return (bool(_VERSIONED.search(origin.name)), len(origin.name), origin.name)


def _core(name: str) -> str:
    """Return a name without its platform prefix, so that `cudaMalloc` and `hipMalloc` compare equal."""
    bare = re.sub(r"^(make_)?(hip|HIP)_?", "", name)
    return re.sub(r"[_]", "", _PREFIXES.sub("", bare)).lower()
