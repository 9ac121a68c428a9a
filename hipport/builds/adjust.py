"""Adjust a plan independently of its target: archive instead of link, prefix compiles with a launcher."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from hipport.builds.plan import BuildPlan, BuildStep, StepKind
from hipport.builds.request import BuildRequest, OutputKind
from hipport.errors import HipportError

_COMPILES = (StepKind.DEVICE, StepKind.HOST)
_FAT_BINARY = ".hipfb"


def adjusted(plan: BuildPlan, request: BuildRequest, ar: str = "ar") -> BuildPlan:
    """Return the plan with an archive step (made by `ar`) or compiler launcher if the request asks for one.

    Raises `HipportError` if the launcher is not found.
    """
    if request.kind is OutputKind.STATIC:
        plan = _archived(plan, ar)
    return _launched(plan, request.launcher) if request.launcher else plan


def _archived(plan: BuildPlan, ar: str) -> BuildPlan:
    """Replace the link with a static library of its objects, whose dependencies are linked by its users."""
    *steps, link = plan.steps
    made = {step.output for step in steps}
    objects = tuple(path for path in link.inputs if path in made or path.endswith(".o"))
    command = (ar, "rcsD", link.output, *objects)
    archive = BuildStep(StepKind.ARCHIVE, "archive", command, objects, link.output)
    return BuildPlan((*steps, archive), plan.product, plan.files, plan.links)


def _launched(plan: BuildPlan, name: str) -> BuildPlan:
    path = shutil.which(name)
    if path is None:
        raise HipportError(f"cannot find the launcher {name}", hint="Install it, or omit --launcher.")
    steps = tuple(_with_launcher(step, path) if step.kind in _COMPILES else step for step in plan.steps)
    return replace(plan, steps=steps)


def _with_launcher(step: BuildStep, launcher: str) -> BuildStep:
    """Return the step with the launcher in front of its command.

    A host compile that embeds a fat binary depends on a file that launchers do not track, since the command only has
    its name. ccache can be told about it; any other launcher is left out of such a step.
    """
    embedded = [path for path in step.inputs if path.endswith(_FAT_BINARY)]
    if not embedded:
        return replace(step, command=(launcher, *step.command))
    if Path(launcher).name != "ccache":
        return step
    return replace(step, command=("env", f"CCACHE_EXTRAFILES={embedded[0]}", launcher, *step.command))
