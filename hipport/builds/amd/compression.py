"""Compressed fat binaries: find a bundler that supports them, and adapt a plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hipport.builds.plan import BuildPlan, BuildStep, StepKind
from hipport.errors import HipportError
from hipport.toolchain.compilers import Compiler
from hipport.toolchain.places import Surroundings
from hipport.toolchain.process import run
from hipport.toolchain.tools import find_tools

_SINCE = 18
"""The first LLVM release whose bundler and compiler can compress."""


def compressing_bundler(where: Surroundings, compiler: Compiler) -> Path:
    """Return the first bundler that can compress, preferring the compiler's own. Raises `HipportError` if none can."""
    found = list(find_tools("clang-offload-bundler", where, compiler))
    for path in found:
        said = run([path, "--help"])
        if said is not None and "--compress " in said.stdout:
            return path
    raise HipportError(
        f"--compress: no bundler on this machine can compress: {', '.join(map(str, found)) or 'none found'}",
        hint=f"Install clang-offload-bundler of LLVM {_SINCE} or newer. Debian: apt-get install clang-tools-19.",
    )


def compressed(plan: BuildPlan, compiler: Compiler, *, rdc: bool) -> BuildPlan:
    """Return the plan with compressed fat binaries, made by the bundler or, with `rdc`, by the compiler's link.

    Raises `HipportError` if `rdc` is set and the compiler is too old.
    """
    if rdc and int(compiler.clang.split(".")[0]) < _SINCE:
        raise HipportError(
            f"--compress with -fgpu-rdc needs clang {_SINCE} or newer, not {compiler}",
            hint="Choose another compiler with --compiler.",
        )
    return replace(plan, steps=tuple(_compressed(step, rdc) for step in plan.steps))


def _compressed(step: BuildStep, rdc: bool) -> BuildStep:
    program, *arguments = step.command
    if step.kind is StepKind.BUNDLE:
        return replace(step, command=(program, "-compress", *arguments))
    if rdc and step.kind is StepKind.LINK:
        return replace(step, command=(program, "--offload-compress", *arguments))
    return step
