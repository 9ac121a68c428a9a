"""What one entry of a mapping table says."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Kind(str, enum.Enum):
    """What a CUDA name is in the CUDA headers."""

    FUNCTION = "function"
    TYPE = "type"
    ENUMERATOR = "enumerator"
    MACRO = "macro"
    VARIABLE = "variable"
    NAMESPACE = "namespace"


@dataclass(frozen=True, slots=True)
class Life:
    """The releases in which a name was added, deprecated, changed and removed; None where not known."""

    added: str | None = None
    deprecated: str | None = None
    changed: str | None = None
    removed: str | None = None


@dataclass(frozen=True, slots=True)
class ArgChange:
    """One change to the arguments of a call.

    `op` is one of
    - "wrap":    argument `at` becomes `before` + argument + `after`;
    - "insert":  `text` becomes a new argument in front of argument `at`;
    - "append":  `text` becomes a new last argument;
    - "remove":  argument `at` goes away;
    - "replace": argument `at` becomes `text`;
    - "rename":  the function becomes `text`;
    - "refuse":  the call has no counterpart, and `text` says why.
    Positions count from 0 in the call as CUDA has it, so the changes of one entry do not shift each other.
    With `arity`, the change is made only in calls with exactly so many arguments.
    """

    op: str
    at: int = 0
    before: str = ""
    after: str = ""
    text: str = ""
    arity: int | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A counterpart: its name and the ROCm releases that have it."""

    name: str
    life: Life = Life()
    experimental: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A CUDA name and what becomes of it.

    `hip` is the counterpart to write: the one that the chosen ROCm release has, and with the flavour "roc" the
    roc name where there is one. It is None where that release has none; then `reason` and `alternative` say why
    and what porters use. An entry whose `hip.name` equals `name` needs no rewriting but is known.
    `note` is what a reader of the translation should know although the name has a counterpart.
    `ordinary` marks a plain word (`saturate`, `umax`) that is far more often a project's own than CUDA's: without
    proof that CUDA's is meant it deserves no diagnostic.
    `drop` marks a word that HIP does without (`CUDART_CB`): it goes, and `hip` is None.
    `absent` marks a name that the CUDA release of the sources does not have: it stays, and `hip` is None.
    `typedef` marks a struct, union or enum whose `hip` is a typedef: `struct` in front of the name goes.
    `support` is the header of hipport's own that declares `hip`; empty where HIP's headers do.
    """

    name: str
    kind: Kind
    library: str
    cuda: Life = Life()
    hip: Target | None = None
    roc: Target | None = None
    args: tuple[ArgChange, ...] = ()
    reason: str = ""
    alternative: str = ""
    note: str = ""
    ordinary: bool = False
    drop: bool = False
    absent: bool = False
    support: str = ""
    typedef: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the CUDA struct `owner` whose HIP counterpart has another name (or none: `hip` is None).

    `function`, of hipport's own `header`, says of the struct what the member would, where HIP has none.
    """

    owner: str
    name: str
    hip: str | None
    rocm: Life = Life()
    reason: str = ""
    alternative: str = ""
    function: str = ""
    header: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    """A CUDA header and the HIP header that takes its place.

    `hip` None and `drop` True: HIP needs none, the line goes. `hip` None and `drop` False: no counterpart.
    """

    name: str
    library: str
    hip: str | None = None
    roc: str | None = None
    drop: bool = False
    reason: str = ""
    alternative: str = ""
    note: str = ""
