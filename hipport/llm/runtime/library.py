"""The engine as a shared library, built for this machine's hardware and kept in the user's cache folder."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from hipport.builds.request import OutputKind
from hipport.builds.shipped import Progress, Shipped, Target, built
from hipport.llm.weights.formats import USUAL, Formats
from hipport.toolchain.places import Surroundings

_LLM = Path(__file__).parents[1]
_NAME = "libhipport_llm.so"


def library(
    target: Target,
    where: Surroundings,
    progress: Progress,
    compiler: str | None = None,
    formats: Formats = USUAL,
    general: int = 0,
) -> Path:
    """Return the engine's library for a target and formats, built if needed. `progress` is called with messages.

    `general`: the width of heads, for models that differ from Llama in more than their sizes; otherwise 0.
    Raises `HipportError` if there is no compiler or the build fails.
    """
    engine = Shipped("engine", _NAME, OutputKind.SHARED, _LLM.parent, ("llm/engine", "llm/kernels"))
    target = exact(target)
    defines = (*defines_of(target), *formats.build_defines(general))
    return built(engine, target, where, progress, compiler=compiler, defines=defines)


def exact(target: Target) -> Target:
    """Replace sm_90 with sm_90a: only this has the matrix units of warp groups, and hands registers between warps."""
    return replace(target, architectures=tuple("sm_90a" if name == "sm_90" else name for name in target.architectures))


def defines_of(target: Target) -> tuple[str, ...]:
    """Return the compiler options for the GPUs: defines if all have Hopper's bulk copies, and matrix units."""
    numbers = [re.findall(r"\d+", name) for name in target.architectures]
    if target.name != "nvidia" or not numbers or not all(found and int(found[0]) >= 90 for found in numbers):
        return ()
    units = set(target.architectures) == {"sm_90a"}
    return ("-DHIPPORT_LLM_HOPPER", *(["-DHIPPORT_LLM_WGMMA"] if units else []))
