"""What a header declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hipport.mappings.model import Kind


@dataclass(frozen=True, slots=True)
class Declaration:
    """A name that a header declares at file scope or in a namespace.

    `header` is how an `#include` spells the header. `scope` is the namespace, such as `nvcuda::wmma`; empty at file
    scope. `parameters` is how many a function has; None for other kinds, for templates of functions and where functions
    of the same name differ.
    """

    name: str
    kind: Kind
    header: str
    scope: str = ""
    parameters: int | None = None


@dataclass(frozen=True, slots=True)
class HeaderText:
    """What one file says by itself, before macros that stand for other names are looked up.

    `aliases` are the macros that stand for one other name. `members` has the members of structs and unions by every
    name that the file gives them; `same` the names that a `typedef` gives to types declared elsewhere.
    """

    declarations: tuple[Declaration, ...]
    aliases: Mapping[str, str] = field(default_factory=dict)
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    same: Mapping[str, str] = field(default_factory=dict)
