"""Write a plan as the text of a build.ninja."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from hipport.builds.freshness import stamp_path
from hipport.builds.plan import BuildPlan, BuildStep
from hipport.errors import UsageError

_HEADER = """\
# Written by hipport build; changes will be overwritten.
ninja_required_version = 1.10
builddir = {folder}

rule run
  command = $command
  description = $step
"""


def ninja_text(plan: BuildPlan, folder: str) -> str:
    """Return the build file; `folder` is where ninja keeps its log. Each step's description is its number."""
    made = {step.output for step in plan.steps}
    steps = ("".join(f"{line}\n" for line in _lines(number, step, made)) for number, step in enumerate(plan.steps))
    return "\n".join([_HEADER.format(folder=_value(folder)), *steps, f"default {_path(plan.product)}\n"])


def _lines(number: int, step: BuildStep, made: set[str]) -> Iterator[str]:
    """Yield the statement of a step. Inputs that no step makes are represented by a stamp: see `freshness`."""
    inputs = [*(path for path in step.inputs if path in made), stamp_path(step.output)]
    yield f"build {_path(step.output)}: run {' '.join(map(_path, inputs))}"
    yield f"  command = {shlex.join(map(_one_line, step.command)).replace('$', '$$')}"
    yield f"  step = {number}"


def _one_line(text: str) -> str:
    """Return the text. Raises `UsageError` for line breaks and NUL."""
    if any(character in text for character in "\n\r\0"):
        hint = "Rename the file or option."
        raise UsageError(f"a build cannot have paths and options with line breaks or NUL: {text!r}", hint=hint)
    return text


def _value(text: str) -> str:
    """Escape text as a variable's value. Raises `UsageError` for line breaks and NUL."""
    return _one_line(text).replace("$", "$$")


def _path(text: str) -> str:
    """Escape text as a path in a build statement. Raises `UsageError` for `|`, which ninja cannot escape."""
    if "|" in text:
        raise UsageError(f"a path in a build cannot contain a |: {text}", hint="Rename the file or folder.")
    return _value(text).replace(" ", "$ ").replace(":", "$:")
