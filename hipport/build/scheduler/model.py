"""What goes between the machines of a build."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Site:
    """What all machines have to agree on; `host` is the machine that says so.

    `folder` is the working folder of all commands. `probe` is a file there that holds `token`: who reads that sees the
    same file system. `folders` must be there, `tools` must say the same of themselves (see `fingerprint`).
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
    """A step of a plan, to be done anywhere.

    `inputs` are paths with the digest of their content, None for what an earlier task of the same job makes. `key`
    stands for the command and the tools' versions. Paths are seen from the site's folder.
    """

    step: int
    title: str
    command: tuple[str, ...]
    inputs: tuple[tuple[str, str | None], ...]
    output: str
    depfile: str | None
    key: str


@dataclass(frozen=True, slots=True)
class Job:
    """Tasks for one machine, one after the other."""

    number: int
    site: Site
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task: the exit status of its command and what it printed; `where` it was.

    `made` is False if the output was there already. `refusal` says why the machine did not even try.
    """

    step: int
    where: str
    status: int = 0
    text: str = ""
    made: bool = True
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """A job that is over: the outcomes of the tasks that were begun, or the `error` that kept it from being done."""

    number: int
    outcomes: tuple[Outcome, ...] = ()
    error: str = ""


class Pool(Protocol):
    """Machines that do jobs: what an engine such as Dask has to offer."""

    def width(self) -> int:
        """How many jobs are worth handing out at a time; more would only wait."""

    def submit(self, job: Job) -> None:
        """Have a job done by `perform` on some machine, once more if that machine dies."""

    def wait(self) -> Ended | None:
        """A job that has ended; None if there is none for a second. Raises `HipportError` if none can be expected."""

    def cancel(self) -> None:
        """Forget all jobs that have not ended."""
