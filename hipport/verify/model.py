"""What a verification is told, and what it finds."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from pathlib import Path


class Platform(str, enum.Enum):
    """What a program runs on."""

    CPU = "cpu"
    NVIDIA = "nvidia"
    AMD = "amd"


@dataclass(frozen=True, slots=True)
class Program:
    """One of the programs: sources to build or an executable; `wave_size` is that of the CPU target."""

    label: str
    platform: Platform
    sources: tuple[str, ...] = ()
    executable: str | None = None
    wave_size: int | None = None

    @property
    def title(self) -> str:
        """The program for people: `port (cpu, 64 lanes)`."""
        lanes = f", {self.wave_size} lanes" if self.wave_size and self.executable is None else ""
        return f"{self.label} ({self.platform.value}{lanes})"


@dataclass(frozen=True, slots=True)
class Conditions:
    """How programs run: `inputs` are copied to where they start, `timeout` is in seconds, `memory` in MiB."""

    arguments: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    stdin: str | None = None
    environment: tuple[tuple[str, str], ...] = ()
    timeout: float = 300
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Two numbers are close if they differ by no more than `absolute`, or `relative` of the larger one."""

    relative: float = 1e-5
    absolute: float = 1e-8


@dataclass(frozen=True, slots=True)
class Rules:
    """How outputs are compared.

    Lines in which a pattern of `ignore` is found are left out; outputs whose name matches a glob of `skip`, too.
    `types` has (glob, element type) for files, and for the buffers of a trace by their names `buffer N`.
    """

    tolerance: Tolerance = Tolerance()
    ignore: tuple[re.Pattern[str], ...] = ()
    skip: tuple[str, ...] = ()
    types: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """A verification; paths as the user wrote them. `trace_limit` is in bytes, None for no trace."""

    original: Program
    ports: tuple[Program, ...]
    conditions: Conditions = Conditions()
    rules: Rules = Rules()
    build_flags: tuple[str, ...] = ()
    trace_limit: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run left: `status` as wait() has it (negative: the signal), None if it was stopped at the timeout.

    `files` are those that the program wrote, by their names below the folder in which it started.
    """

    status: int | None
    stdout: Path
    stderr: Path
    files: dict[str, Path]
    seconds: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where the two differ, and what each has there."""

    where: str
    original: str
    port: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Something that was compared, and how.

    `differences` are the first of `count`. `worst` is the largest absolute error among the numbers compared, those
    within the tolerance included; None if there are none.
    """

    name: str
    how: str
    differences: tuple[Difference, ...] = ()
    count: int = 0
    worst: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a trace found: the first launch around which a buffer differs, None if there is none.

    `launch` describes it; `when` is `after` if the kernel made the difference, `before` if the host did.
    `notes` say what else differs up to there, and what could not be compared.
    """

    launches: int
    launch: str | None = None
    when: str = ""
    comparison: Comparison | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a port compares to the original."""

    port: Program
    comparisons: tuple[Comparison, ...]
    seconds: float
    finding: Finding | None = None

    @property
    def equal(self) -> bool:
        """Whether nothing differs; a buffer in between that differs counts."""
        traced = self.finding is None or self.finding.launch is None
        return traced and all(item.count == 0 for item in self.comparisons)


@dataclass(frozen=True, slots=True)
class Result:
    """The verdicts on all ports."""

    original: Program
    seconds: float
    verdicts: tuple[Verdict, ...]

    @property
    def equal(self) -> bool:
        """Whether every port does what the original does."""
        return all(verdict.equal for verdict in self.verdicts)
