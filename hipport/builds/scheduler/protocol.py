"""Messages between the machines of a build, and the protocol of a pool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Site:
    """What all machines must agree on; `host` is the machine that defines it.

    `folder` is the working folder of all commands. `probe` is a file there that holds `token`: a machine that can
    read the token sees the same file system. `folders` must exist, `tools` must have the same fingerprints (see
    `fingerprint`).
    """

    host: str
    folder: str
    probe: str
    token: str
    version: str
    environment: tuple[tuple[str, str], ...]
    folders: tuple[str, ...]
    tools: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Task:
    """A step of a plan that can run on any machine.

    `inputs` are paths with their content digests, None for outputs of an earlier task in the same job. `key`
    identifies the command and the tools' versions. Paths are relative to the site's folder.
    """

    step: int
    title: str
    command: tuple[str, ...]
    inputs: tuple[tuple[str, str | None], ...]
    output: str
    depfile: str | None
    key: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Tasks for one machine, in sequence."""

    number: int
    site: Site
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """The result of a task: the command's exit status and output, and the process (`where`) that ran it.

    `made` is False if the output already existed. `refusal` is why the machine did not run the task at all.
    """

    step: int
    where: str
    status: int = 0
    text: str = ""
    made: bool = True
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """A finished job: the outcomes of its started tasks, or the `error` that prevented it from finishing."""

    number: int
    outcomes: tuple[TaskOutcome, ...] = ()
    error: str = ""


class Pool(Protocol):
    """A set of machines that run jobs: the interface that schedulers such as Dask implement."""

    def width(self) -> int:
        """Return how many jobs are worth submitting at a time; more would only wait."""

    def submit(self, job: Batch) -> None:
        """Have a job done by `perform` on some machine, and again if that machine dies."""

    def wait(self) -> Ended | None:
        """Return a finished job, or None if none finishes within a second.

        Raises `HipportError` if none can be expected.
        """

    def cancel(self) -> None:
        """Cancel all unfinished jobs."""
