"""Run the steps of a build, and keep what they print."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from hipport.errors import HipportError
from hipport.port.failures import Failure, failures
from hipport.port.systems import BuildPlan, Step
from hipport.toolchain.temporary import own_temporary_folder

_MOST = 64 << 20
"""Bytes of output of one step that are searched for errors."""
_LAST = 15
"""Lines to show of a step that failed without an error that could be read."""


@dataclass(frozen=True, slots=True)
class Built:
    """The result of a build: the step that failed, if any, its last lines, and all errors."""

    failed: Step | None
    last_lines: tuple[str, ...]
    failures: tuple[Failure, ...]


def run_build(plan: BuildPlan, log: Path, progress: Callable[[str], None]) -> Built:
    """Run the steps up to the first that fails and that others need, with their output in a log file.

    Raises HipportError.

    `progress` receives a line for each step. What runs is the tree's own build system, with all that it does.
    """
    found: list[Failure] = []
    failed: Step | None = None
    last_lines: tuple[str, ...] = ()
    with _opened(log) as stream, own_temporary_folder(plan.environment) as environment:
        for step in plan.steps:
            for title, command in ((step.title, step.command), ("again", step.again)):
                progress(f"{title}: {shlex.join(command)}")
                start = stream.tell()
                status = _run(command, step.folder, environment, stream)
                if status == 0 or not step.again:
                    break
            output = _output(log, start)
            found += failures(output, str(Path(step.folder).absolute()), str(Path(step.source).absolute()))
            if status != 0 and failed is None:
                failed, last_lines = step, tuple(output.splitlines()[-_LAST:])
            if failed is not None and not failed.independent:
                break
    return Built(failed, last_lines, tuple(found))


def _opened(log: Path) -> BinaryIO:
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        return log.open("wb")
    except OSError as error:
        raise HipportError(f"cannot write {log}: {error.strerror}") from None


def _run(command: Sequence[str], folder: str, environment: dict[str, str], stream: BinaryIO) -> int:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except OSError as error:
        hint = f"The tree is built with {command[0]}: install it, or build the tree elsewhere."
        raise HipportError(f"cannot run {command[0]}: {error.strerror}", hint=hint) from None
    finally:
        stream.seek(0, 2)
    return done.returncode


def _output(log: Path, start: int) -> str:
    with log.open("rb") as stream:
        stream.seek(start)
        return stream.read(_MOST).decode("utf-8", "replace")
