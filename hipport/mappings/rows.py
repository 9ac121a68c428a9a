"""The checked rows of a mapping table, with the counterparts for every release."""

from __future__ import annotations

from msgspec import Struct, field

from hipport.mappings.entry import ArgChange, HipName, Kind, Life


class ArgRule(Struct, frozen=True):
    """A change to a call, for ROCm releases before `before` and sources of CUDA `cuda` or later; None means all.

    `target` is what a "rename" writes.
    """

    change: ArgChange
    before: tuple[int, ...] | None = None
    cuda: tuple[int, ...] | None = None
    target: HipName | None = None


class Row(Struct, frozen=True):
    """One CUDA name, header or member as in its table: counterparts for every release, in order of preference."""

    name: str
    line: int
    hip: tuple[HipName, ...] = ()
    roc: tuple[HipName, ...] = ()
    reason: str = ""
    alternative: str = ""
    note: str = ""
    kind: Kind = Kind.FUNCTION
    cuda: Life = field(default_factory=Life)
    args: tuple[ArgRule, ...] = ()
    ordinary: bool = False
    drop: bool = False
    tag: str | None = None
    owner: str = ""


class Group(Struct, frozen=True):
    """The reason shared by names without a counterpart that match a pattern."""

    patterns: tuple[str, ...]
    line: int
    reason: str
    alternative: str


class Library(Struct, frozen=True):
    """One checked table; `versions` is the product whose versions the lives count, if not CUDA."""

    name: str
    file: str
    names: tuple[Row, ...] = ()
    headers: tuple[Row, ...] = ()
    members: tuple[Row, ...] = ()
    groups: tuple[Group, ...] = ()
    versions: str = ""
