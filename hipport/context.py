"""What the translation of a file depends on besides the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hipport.mappings.loader import Tables
from hipport.semantic.model import NOTHING_KNOWN, Meanings

LaunchStyle = Literal["ggl", "chevron"]
WaveSize = Literal[0, 32, 64]


@dataclass(frozen=True, slots=True)
class Options:
    """What the user chose, the same for every file of a run.

    `launch`: "ggl" rewrites kernel launches to `hipLaunchKernelGGL`, "chevron" keeps `<<<>>>`. `wave_size`: lanes of a
    wavefront on the GPUs that the translation is for, 0 where it has to be right with 32 and with 64. `fix`: the quick
    fixes of diagnostics are carried out. `lane_masks`: shuffles and votes keep CUDA's masks, for NVIDIA GPUs.
    """

    launch: LaunchStyle = "ggl"
    wave_size: WaveSize = 0
    fix: bool = False
    lane_masks: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """What a rewriting step may know besides the file itself.

    `foreign`: what other files of the project, included by this one, define themselves: CUDA names, which stay, and as
    `NAME=VALUE` constants that tell how many lanes a warp has.
    `meanings`: what libclang knows of the names in the file; nothing unless it was asked.
    `renamed`: names (without folder) of the project's files that get another name, old to new. `keep_names`: no file
    gets one. `rehearsal`: nothing is renamed now, but findings are those of a translation that does.
    """

    tables: Tables
    options: Options = Options()
    foreign: frozenset[str] = frozenset()
    meanings: Meanings = NOTHING_KNOWN
    renamed: dict[str, str] = field(default_factory=dict)
    keep_names: bool = False
    rehearsal: bool = False
