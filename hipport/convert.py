"""Translates one source file: parse, passes, apply. Pure: bytes in, bytes out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from hipport.diagnostics import Diagnostic

if TYPE_CHECKING:
    from hipport.mappings.loader import Tables

LaunchStyle = Literal["ggl", "chevron"]


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chose, the same for every file of a run.

    `launch`: "ggl" rewrites kernel launches to `hipLaunchKernelGGL`, "chevron" keeps `<<<>>>`.
    """

    launch: LaunchStyle = "ggl"


@dataclass(frozen=True, slots=True)
class Context:
    """What a pass may know besides the file itself.

    `foreign`: CUDA names that other files of the project, included by this one, define themselves; they stay.
    `renamed`: names (without folder) of the project's files that get another name, old to new.
    """

    tables: Tables
    options: Options = Options()
    foreign: frozenset[str] = frozenset()
    renamed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Conversion:
    """The translation of one file.

    `defines`: CUDA names that the file itself defines where its includers see them; `uses`: CUDA names of the
    tables that occur in it as code; `includes`: its `#include` operands as spelled, without quotes or brackets.
    """

    data: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    defines: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    includes: tuple[str, ...] = ()


def convert_source(data: bytes, name: str, context: Context) -> Conversion:
    """Translate the bytes of one file; `name` is what diagnostics call it.

    Never raises for any input bytes: what cannot be understood stays as it was.
    """
    raise NotImplementedError
