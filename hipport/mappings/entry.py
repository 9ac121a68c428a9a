"""Data model of the entries in a mapping table."""

from __future__ import annotations

import enum

from msgspec import Struct


class Kind(str, enum.Enum):
    """The kind of entity that a CUDA name denotes in the CUDA headers."""

    FUNCTION = "function"
    TYPE = "type"
    ENUMERATOR = "enumerator"
    MACRO = "macro"
    VARIABLE = "variable"
    NAMESPACE = "namespace"


class Life(Struct, frozen=True):
    """The releases in which a name was added, deprecated, changed and removed; None if unknown."""

    added: str | None = None
    deprecated: str | None = None
    changed: str | None = None
    removed: str | None = None


class ArgChange(Struct, frozen=True):
    """One change to the arguments of a call.

    `op` is one of
    - "wrap":    argument `at` becomes `before` + argument + `after`;
    - "insert":  `text` becomes a new argument before argument `at`;
    - "append":  `text` becomes a new last argument;
    - "remove":  argument `at` is removed;
    - "replace": argument `at` becomes `text`;
    - "rename":  the function becomes `text`;
    - "refuse":  the call has no counterpart, and `text` says why;
    - "result":  where the sign matters, the call becomes `text` + "(" + call + ")".
    Positions count from 0 in the original CUDA call, so the changes of one entry do not shift each other.
    With `arity`, the change is made only in calls with exactly that many arguments. With `given`, it is made only where
    an argument is declared with that type or is that name, with "value" where the value of the call is used, with
    "statement" elsewhere.
    `header` is the hipport header that declares what a "rename" writes; empty if HIP's headers do.
    """

    op: str
    at: int = 0
    before: str = ""
    after: str = ""
    text: str = ""
    arity: int | None = None
    given: str = ""
    header: str = ""


class HipName(Struct, frozen=True):
    """A counterpart: its name and the ROCm releases that have it."""

    name: str
    life: Life = Life()
    experimental: bool = False


class Entry(Struct, frozen=True):
    """A CUDA name and its translation.

    `hip` is the counterpart to write, from the chosen ROCm release; with the flavor "roc" it is the roc name if there
    is one. It is None if that release has none; then `reason` and `alternative` say why and what porters use. An entry
    whose `hip.name` equals `name` needs no rewriting but is known.
    `note` is what a reader of the translation should know although the name has a counterpart.
    `ordinary` marks a plain word (`saturate`, `umax`) that is far more often a project's own than CUDA's: without proof
    that it refers to CUDA's, it gets no diagnostic.
    `drop` marks a word that HIP does not need (`CUDART_CB`): it is removed, and `hip` is None.
    `absent` marks a name that the CUDA release of the sources does not have: it stays, and `hip` is None.
    `tag` is not None for a struct, union or enum whose `hip` is a typedef: it follows `struct` in place of `hip`. If it
    is empty, the tag is not known, and `struct` is removed.
    `support` is the hipport header that declares `hip`, or with `overloads` only adds to it; empty if HIP's headers do.
    """

    name: str
    kind: Kind
    library: str
    cuda: Life = Life()
    hip: HipName | None = None
    roc: HipName | None = None
    args: tuple[ArgChange, ...] = ()
    reason: str = ""
    alternative: str = ""
    note: str = ""
    ordinary: bool = False
    drop: bool = False
    absent: bool = False
    support: str = ""
    tag: str | None = None
    overloads: bool = False


class Member(Struct, frozen=True):
    """A member of the CUDA struct `owner` whose HIP counterpart has another name (or none: `hip` is None).

    `function`, declared by hipport's own `header`, returns for the struct what the member would hold, if HIP lacks it.
    """

    owner: str
    name: str
    hip: str | None
    rocm: Life = Life()
    reason: str = ""
    alternative: str = ""
    function: str = ""
    header: str = ""


class Header(Struct, frozen=True):
    """A CUDA header and the HIP header that replaces it.

    If `hip` is None, there is no counterpart; with `drop`, HIP needs none and the line is removed.
    """

    name: str
    library: str
    hip: str | None = None
    roc: str | None = None
    drop: bool = False
    reason: str = ""
    alternative: str = ""
    note: str = ""
