"""Writes a plan as the text of a build.ninja."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from hipport.build.plan import Plan, Step
from hipport.errors import UsageError

_HEADER = """\
# Written by hipport build; changes are lost.
ninja_required_version = 1.10
builddir = {folder}

rule run
  command = $command
  description = $step

rule compile
  command = $command
  description = $step
  depfile = $depfile
  deps = gcc
"""


def ninja_text(plan: Plan, folder: str) -> str:
    """The whole build file; `folder` is where ninja keeps its log. Steps describe themselves by their numbers."""
    steps = ("".join(f"{line}\n" for line in _lines(number, step)) for number, step in enumerate(plan.steps))
    return "\n".join([_HEADER.format(folder=_value(folder)), *steps, f"default {_path(plan.product)}\n"])


def _lines(number: int, step: Step) -> Iterator[str]:
    rule = "compile" if step.depfile else "run"
    yield f"build {_path(step.output)}: {rule} {' '.join(map(_path, step.inputs))}"
    yield f"  command = {_value(shlex.join(step.command))}"
    yield f"  step = {number}"
    if step.depfile:
        yield f"  depfile = {_value(step.depfile)}"


def _value(text: str) -> str:
    """Text as the value of a variable."""
    if "\n" in text or "\r" in text:
        raise UsageError(f"line breaks cannot be part of a build command: {text!r}", hint="Rename the file or option.")
    return text.replace("$", "$$")


def _path(text: str) -> str:
    """Text as a path of a build statement, in which ninja has no way to write a bar."""
    if "|" in text:
        raise UsageError(f"a path of a build cannot have a | in it: {text}", hint="Rename the file or folder.")
    return _value(text).replace(" ", "$ ").replace(":", "$:")
