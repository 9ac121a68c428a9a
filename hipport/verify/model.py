"""The request and the results of a verification."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from pathlib import Path


class Platform(str, enum.Enum):
    CPU = "cpu"
    NVIDIA = "nvidia"
    AMD = "amd"


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run: sources to build, or an executable; `wave_size` applies to the CPU target.

    `emulate` is the AMD GPU whose machine code is emulated, one of the `targets` of the build.
    """

    label: str
    platform: Platform
    sources: tuple[str, ...] = ()
    executable: str | None = None
    wave_size: int | None = None
    emulate: str | None = None
    targets: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The program's name in messages: `port (cpu, 64 lanes)`."""
        if self.emulate:
            return f"{self.label} ({self.emulate}, emulated)"
        lanes = f", {self.wave_size} lanes" if self.wave_size and self.executable is None else ""
        return f"{self.label} ({self.platform.value}{lanes})"


@dataclass(frozen=True, slots=True)
class Conditions:
    """How programs run: `inputs` are copied to their working folder, `timeout` is in seconds, `memory` in MiB."""

    arguments: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    stdin: str | None = None
    environment: tuple[tuple[str, str], ...] = ()
    timeout: float = 300
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The maximum difference of two numbers: `absolute`, or `relative` to the larger one, whichever is greater."""

    relative: float = 1e-5
    absolute: float = 1e-8


@dataclass(frozen=True, slots=True)
class Rules:
    """How outputs are compared.

    Lines that match a pattern of `ignore` and outputs whose name matches a glob of `skip` are left out. `types` has
    (glob, element type) for files, and for the buffers of a trace, named `buffer N`.
    """

    tolerance: Tolerance = Tolerance()
    ignore: tuple[re.Pattern[str], ...] = ()
    skip: tuple[str, ...] = ()
    types: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """A verification; paths are as given by the user. `trace_limit` is in bytes, None for no trace."""

    original: Program
    ports: tuple[Program, ...]
    conditions: Conditions = Conditions()
    rules: Rules = Rules()
    build_flags: tuple[str, ...] = ()
    trace_limit: int | None = None


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The result of a run: `status` as returned by wait() (negative for a signal), None if it timed out.

    `files` are those that the program wrote, by their paths relative to its working folder.
    """

    status: int | None
    stdout: Path
    stderr: Path
    files: dict[str, Path]
    seconds: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where two outputs differ, with both values."""

    where: str
    original: str
    port: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of one output.

    `differences` are the first of `count`. `worst` is the largest absolute error among the numbers compared,
    including those within the tolerance; None if there are none.
    """

    name: str
    how: str
    differences: tuple[Difference, ...] = ()
    count: int = 0
    worst: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class TraceFinding:
    """The result of a trace: the first launch around which a buffer differs, None if there is none.

    `launch` describes it; `when` is `after` if the kernel caused the difference, `before` if the host did. `notes`
    list other differences up to that launch, and buffers that could not be compared.
    """

    launches: int
    launch: str | None = None
    when: str = ""
    comparison: Comparison | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The comparison of a port with the original."""

    port: Program
    comparisons: tuple[Comparison, ...]
    seconds: float
    finding: TraceFinding | None = None

    @property
    def equal(self) -> bool:
        """True if nothing differs, including intermediate buffers of a trace."""
        traced = self.finding is None or self.finding.launch is None
        return traced and all(item.count == 0 for item in self.comparisons)


@dataclass(frozen=True, slots=True)
class Verification:
    """The verdicts on all ports."""

    original: Program
    seconds: float
    verdicts: tuple[Verdict, ...]

    @property
    def equal(self) -> bool:
        """True if all ports equal the original."""
        return all(verdict.equal for verdict in self.verdicts)
