"""A build as data: steps with their commands, inputs and outputs, and the files that must exist before the first."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class StepKind(str, enum.Enum):
    ASSEMBLE = "assemble"
    DEVICE = "device"
    BUNDLE = "bundle"
    HOST = "host"
    LINK = "link"
    ARCHIVE = "archive"


@dataclass(frozen=True, slots=True)
class BuildStep:
    """One command with its input and output paths; `depfile` is the dependency file it writes, or None."""

    kind: StepKind
    title: str
    command: tuple[str, ...]
    inputs: tuple[str, ...]
    output: str
    depfile: str | None = None


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """All steps of a build in dependency order.

    `product` is the output of the last step, in the build folder. `files` (path, text) and `links` (path, target)
    must exist before the first step.
    """

    steps: tuple[BuildStep, ...]
    product: str
    files: tuple[tuple[str, str], ...] = ()
    links: tuple[tuple[str, str], ...] = ()
