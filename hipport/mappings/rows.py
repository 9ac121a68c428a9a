"""The rows of a mapping table, checked, with the counterparts of every release."""

from __future__ import annotations

from dataclasses import dataclass, field

from hipport.mappings.model import ArgChange, Kind, Life, Target


@dataclass(frozen=True, slots=True)
class ArgRule:
    """A change to a call: for ROCm releases before `before` or for all, for sources of CUDA from `cuda` on or for all.

    `target` is what a "rename" writes.
    """

    change: ArgChange
    before: tuple[int, ...] | None = None
    cuda: tuple[int, ...] | None = None
    target: Target | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One CUDA name, header or member as its table has it: counterparts of every release, the preferred first."""

    name: str
    line: int
    hip: tuple[Target, ...] = ()
    roc: tuple[Target, ...] = ()
    reason: str = ""
    alternative: str = ""
    note: str = ""
    kind: Kind = Kind.FUNCTION
    cuda: Life = field(default_factory=Life)
    args: tuple[ArgRule, ...] = ()
    ordinary: bool = False
    drop: bool = False
    typedef: bool = False
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The reason that names of a pattern without a counterpart share."""

    patterns: tuple[str, ...]
    line: int
    reason: str
    alternative: str


@dataclass(frozen=True, slots=True)
class Library:
    """One checked table. `versions` is the product whose versions the lives count where that is not CUDA."""

    name: str
    file: str
    names: tuple[Row, ...] = ()
    headers: tuple[Row, ...] = ()
    members: tuple[Row, ...] = ()
    groups: tuple[Group, ...] = ()
    versions: str = ""
