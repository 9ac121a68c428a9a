"""Perform the tasks of a job on the machine it was assigned to.

A command never writes directly to its outputs: it writes to a folder beside them, whose files are moved into place
when complete, the output after all others and its record last. A machine that dies leaves this folder behind, and
nothing reads it.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from hipport.builds.scheduler import record
from hipport.builds.scheduler.check import appears, trouble
from hipport.builds.scheduler.protocol import Batch, Ended, Site, Task, TaskOutcome
from hipport.builds.scheduler.variables import taken_over
from hipport.files.locks import locked_if_possible
from hipport.toolchain.temporary import own_temporary_folder

PART = ".part-"
"""Prefix of folders with unfinished outputs."""

_OTHERS = (signal.SIGKILL, signal.SIGTERM)
"""Signals sent from outside, for example by the kernel when memory is short: killed commands may be retried."""

_NOT_FOUND = 127
"""The exit status with which shells report that a command cannot be run."""

_WAIT = 600.0
"""Seconds to wait for another machine that makes the same output."""


class KilledError(Exception):
    """A command was killed from outside; the job can be retried."""


def perform(job: Batch) -> Ended:
    """Perform the tasks of a job until one fails. Raises `KilledError`, and OSError if the file system fails."""
    outcomes: list[TaskOutcome] = []
    if refusal := trouble(job.site):
        return Ended(job.number, (TaskOutcome(job.tasks[0].step, here(), refusal=refusal),))
    for task in job.tasks:
        outcomes.append(_done(job.site, task))
        if outcomes[-1].status or outcomes[-1].refusal:
            break
    return Ended(job.number, tuple(outcomes))


def here() -> str:
    """Return the host and process ID for use in messages."""
    return f"{socket.gethostname()} (process {os.getpid()})"


def _done(site: Site, task: Task) -> TaskOutcome:
    for path, digest in task.inputs:
        if digest is not None and not _same(site.folder, path, digest):
            return TaskOutcome(task.step, here(), refusal=f"sees another {path} than {site.host}")
    output = Path(site.folder) / task.output
    output.parent.mkdir(parents=True, exist_ok=True)
    # Whoever does not get the lock puts the same bytes in place, each in one step.
    with locked_if_possible(Path(f"{output}.lock"), _WAIT):
        known = record.load(site.folder, task.output)
        if known is not None and record.holds(known, site.folder, task, partial(record.digest_at, site.folder)):
            return TaskOutcome(task.step, here(), text=known.text, made=False)
        return _made(site, task, output)


def _same(folder: str, path: str, digest: str) -> bool:
    return appears(str(Path(folder) / path)) and record.digest_at(folder, path) == digest


def _made(site: Site, task: Task, output: Path) -> TaskOutcome:
    part = tempfile.mkdtemp(prefix=f"{PART}{output.name}-", dir=output.parent)
    try:
        started = os.stat(part).st_mtime_ns  # noqa: PTH116 - by the clock of the file system
        status, text = _run(list(_aside(task, os.path.relpath(part, site.folder))), site)
        if -status in _OTHERS:
            raise KilledError(f"{task.title}: ended by signal {-status} on {here()}")
        if status:
            return TaskOutcome(task.step, here(), status, text)
        _put_in_place(Path(part), output)
        record.save(site.folder, task, text, started)
        return TaskOutcome(task.step, here(), text=text)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _run(command: list[str], site: Site) -> tuple[int, str]:
    """Run a command and return its exit status and output."""
    try:
        with own_temporary_folder(taken_over(os.environ, site.environment)) as environ:
            done = subprocess.run(
                command,
                cwd=site.folder,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
    except (FileNotFoundError, PermissionError) as error:
        return _NOT_FOUND, f"{error}\n"
    return done.returncode, done.stdout.decode(errors="surrogateescape")


def _aside(task: Task, part: str) -> Iterator[str]:
    """Yield the command with outputs redirected to the folder `part`."""
    moved = {path: f"{part}/{Path(path).name}" for path in (task.output, task.depfile) if path}
    before = ""
    for argument in task.command:
        # The values of these options are only written into the dependency file.
        yield argument if before in ("-MQ", "-MT") else _redirected(argument, moved)
        before = argument


def _redirected(argument: str, moved: Mapping[str, str]) -> str:
    for flag in ("", "-o", "-output="):
        if argument.startswith(flag) and argument[len(flag) :] in moved:
            return flag + moved[argument[len(flag) :]]
    return argument


def _put_in_place(part: Path, output: Path) -> None:
    names = sorted((path.name for path in part.iterdir()), key=lambda name: name == output.name)
    for name in names:
        (part / name).replace(output.parent / name)
