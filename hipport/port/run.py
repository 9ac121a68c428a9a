"""Run the steps of a build, and keep what they print."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import time
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
_PAUSE = 1.0
"""Seconds between two looks at a step that runs."""
_SECONDS_TO_END = 5.0
"""Seconds that an interrupted step has to end by itself."""
_TAIL = 4096
"""Bytes at the end of the log in which its last line is looked for."""
_LAST = 15
"""Lines to show of a step that failed without an error that could be read."""

Watch = Callable[[float, str], None]
"""Receives the seconds that a step has taken, and the last line that it printed."""


@dataclass(frozen=True, slots=True)
class Built:
    """The result of a build: the step that failed, if any, its last lines, and all errors."""

    failed: Step | None
    last_lines: tuple[str, ...]
    failures: tuple[Failure, ...]


def run_build(plan: BuildPlan, log: Path, progress: Callable[[str], None], watch: Watch | None = None) -> Built:
    """Run the steps up to the first that fails and that others need, with their output in a log file.

    Raises HipportError.

    `progress` receives a line for each step, `watch` what the running one printed last, about every second. What runs
    is the tree's own build system, with all that it does.
    """
    found: list[Failure] = []
    failed: Step | None = None
    last_lines: tuple[str, ...] = ()
    with _opened(log) as stream, own_temporary_folder(plan.environment) as environment:
        for step in plan.steps:
            for title, command in ((step.title, step.command), ("again", step.again)):
                progress(f"{title}: {shlex.join(command)}")
                start = stream.tell()
                status = _run(command, step.folder, environment, stream, watch)
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


def _run(
    command: Sequence[str], folder: str, environment: dict[str, str], stream: BinaryIO, watch: Watch | None
) -> int:
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        hint = f"The tree is built with {command[0]}: install it, or build the tree elsewhere."
        raise HipportError(f"cannot run {command[0]}: {error.strerror}", hint=hint) from None
    try:
        status = _waited(process, Path(stream.name), watch)
    except BaseException:  # interrupted: what runs must not go on without its parent
        _stop(process)
        raise
    stream.seek(0, 2)
    return status


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a step and what it started: make deletes what it has written in part, if it gets the time."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(_SECONDS_TO_END)
    except (subprocess.TimeoutExpired, ProcessLookupError, PermissionError):
        pass
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _waited(process: subprocess.Popen[bytes], log: Path, watch: Watch | None) -> int:
    started = time.monotonic()
    while True:
        try:
            return process.wait(timeout=_PAUSE)
        except subprocess.TimeoutExpired:
            if watch is not None:
                watch(time.monotonic() - started, _last_line(log))


def _last_line(log: Path) -> str:
    """Return the last line of a log that is not empty, as far as it has been written."""
    with log.open("rb") as stream:
        stream.seek(max(stream.seek(0, os.SEEK_END) - _TAIL, 0))
        lines = stream.read().decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _output(log: Path, start: int) -> str:
    with log.open("rb") as stream:
        stream.seek(start)
        return stream.read(_MOST).decode("utf-8", "replace")
