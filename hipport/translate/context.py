"""Everything besides the file itself that the translation of a file depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from hipport.mappings.loader import Tables
from hipport.translate.meanings import NOTHING_KNOWN, Meanings

if TYPE_CHECKING:
    from hipport.translate.memory import Memory

LaunchStyle = Literal["ggl", "chevron"]
WaveSize = Literal[0, 32, 64]


class Options(Struct, frozen=True):
    """User options, the same for every file of a run.

    `launch`: "ggl" rewrites kernel launches to `hipLaunchKernelGGL`, "chevron" keeps `<<<>>>`. `wave_size`: lanes per
    wavefront on the target GPUs, 0 if the translation must be correct with both 32 and 64. `fix`: apply the quick fixes
    of diagnostics. `lane_masks`: shuffles and votes keep CUDA's lane masks, for NVIDIA GPUs.
    """

    launch: LaunchStyle = "ggl"
    wave_size: WaveSize = 0
    fix: bool = False
    lane_masks: bool = False


class Context(Struct, frozen=True):
    """Everything a pass may know besides the file itself.

    `foreign`: definitions in other files of the project that this one includes: CUDA names, which are left unchanged,
    and, as `NAME=VALUE`, constants that encode the number of lanes in a warp.
    `meanings`: what libclang knows about the names in the file; empty unless it was asked.
    `renamed`: names (without folder) of the project's files that are renamed, old to new. `keep_names`: no file is
    renamed. `rehearsal`: nothing is renamed now, but the findings are those of a translation that renames.
    `extension`: the project builds an extension of PyTorch. `memory`: where translations are kept that may be repeated
    with other `foreign` names, all else being equal. `many`: the process translates many files, for which work that is
    done once is worthwhile.
    """

    tables: Tables
    options: Options = Options()
    foreign: frozenset[str] = frozenset()
    meanings: Meanings = NOTHING_KNOWN
    renamed: dict[str, str] = field(default_factory=dict)
    keep_names: bool = False
    rehearsal: bool = False
    extension: bool = False
    memory: Memory | None = None
    many: bool = False
