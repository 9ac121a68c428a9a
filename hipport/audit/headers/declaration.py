"""Data model of header declarations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hipport.mappings.entry import Kind


@dataclass(frozen=True, slots=True)
class Declaration:
    """A name that a header declares at file scope or in a namespace.

    `header` is spelled as in an `#include`. `scope` is the namespace, such as `nvcuda::wmma`; empty at file scope.
    `parameters` is the number of a function's parameters; None for other kinds, for function templates and where
    overloads differ.
    """

    name: str
    kind: Kind
    header: str
    scope: str = ""
    parameters: int | None = None


@dataclass(frozen=True, slots=True)
class HeaderText:
    """The declarations of a single file, before macros that alias other names are resolved.

    `aliases` are the macros that expand to one other name. `members` has the members of structs and unions by every
    name that the file gives them; `same` the names that a `typedef` gives to types declared elsewhere.
    """

    declarations: tuple[Declaration, ...]
    aliases: Mapping[str, str] = field(default_factory=dict)
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    same: Mapping[str, str] = field(default_factory=dict)
