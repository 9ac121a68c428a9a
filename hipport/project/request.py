"""What the user asks for, and what comes of it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from hipport.buildfiles.names import DEFAULT_TARGETS, kind_of
from hipport.context import Options
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.choice import ANY, NameChoice, Releases
from hipport.project.task import Action
from hipport.semantic.model import Semantic


class Mode(str, enum.Enum):
    """What is done with the translation."""

    OUTPUT = "output"
    IN_PLACE = "in-place"
    STDOUT = "stdout"
    DIFF = "diff"
    CHECK = "check"


class Policy(enum.Enum):
    """How hand edits in the output are met: left alone, merged with what is new, or written over."""

    SPARE = enum.auto()
    MERGE = enum.auto()
    FORCE = enum.auto()


class Verdict(str, enum.Enum):
    """What becomes of a file of the output; the values are for the user to read."""

    SAME = "up to date"
    WRITE = "written"
    REMOVE = "removed"
    MERGE = "merged"
    EDITED = "edited"
    """Edited by hand, and nothing new to be brought in."""
    BLOCKED = "left as edited"
    """Edited by hand, and what is new was not brought in."""
    UNKNOWN = "left as found"
    """Not written by hipport, and in the way."""
    ABSENT = "removed by hand"
    """And nothing new."""
    CONFLICT = "in conflict"
    """Edited or removed by hand, and changed or gone in the input: for the user to settle."""


AT_REST = frozenset({Verdict.SAME, Verdict.EDITED, Verdict.ABSENT})
"""What a tree that is up to date may hold."""


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """What became, or with `Request.dry` would become, of a file of an output tree at `path`."""

    path: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Request:
    """One run of `hipport convert`.

    `names` says which releases and libraries are written; `folder` is where `Mode.OUTPUT` writes; `jobs` the most
    processes to use, None for one per processor. `support`: the headers of hipport's own that translations include
    are written too. `build_files`: build files are translated; `targets` are what they build for where they name
    NVIDIA architectures. `policy` says how hand edits in the folder are met; with `dry` the folder is only looked at.
    `semantic`: libclang is asked what names refer to. `rehearsal`: every file keeps its place and name, and the
    findings are those of `Mode.OUTPUT`.
    """

    paths: tuple[str, ...]
    mode: Mode
    options: Options
    names: NameChoice = ANY
    folder: str | None = None
    keep_names: bool = False
    gitignore: bool = True
    jobs: int | None = None
    support: bool = True
    build_files: bool = True
    targets: tuple[str, ...] = DEFAULT_TARGETS
    policy: Policy = Policy.SPARE
    dry: bool = False
    semantic: Semantic | None = None
    rehearsal: bool = False


@dataclass(frozen=True, slots=True)
class FileResult:
    """What became of one file.

    `source` and `target` are paths as the user would name them. `changed`: the file differs from its source in
    bytes, name or link text. `failed`: it could not be read or written, so there is no target. `before` and
    `after` are the contents, of a link its text: for `Mode.DIFF` of the files that change, for `Mode.STDOUT`
    of the file.
    """

    source: str
    target: str
    action: Action
    changed: bool = False
    failed: bool = False
    before: bytes = b""
    after: bytes = b""

    @property
    def build_file(self) -> bool:
        """Whether it says how the project is built, and is no source."""
        return self.action is Action.TRANSLATE and kind_of(self.source) is not None


@dataclass(frozen=True, slots=True)
class Report:
    """All that a run found, in the order of the tree; `releases` is None where there was nothing to translate.

    `support_dirs` are the folders with the headers of hipport's own that translations include. `verdicts`: on all files
    of an output tree, and those that went, None where no earlier run is known.
    """

    mode: Mode
    files: tuple[FileResult, ...]
    diagnostics: tuple[Diagnostic, ...]
    releases: Releases | None = None
    support_dirs: tuple[str, ...] = ()
    verdicts: tuple[FileVerdict, ...] | None = None

    def count(self, severity: Severity) -> int:
        """How many diagnostics of this severity there are."""
        return sum(diagnostic.severity is severity for diagnostic in self.diagnostics)

    def at_least(self, severity: Severity) -> bool:
        """Whether there is a diagnostic of this severity, or a worse one."""
        order = list(Severity)
        return any(order.index(found.severity) <= order.index(severity) for found in self.diagnostics)

    @property
    def changed(self) -> bool:
        """Whether any file differs from its source."""
        return any(file.changed for file in self.files)

    @property
    def stale(self) -> bool:
        """Whether an output tree differs from what it is to be."""
        return any(file.verdict not in AT_REST for file in self.verdicts or ())

    @property
    def exit_status(self) -> int:
        """0 when clean, 1 with errors, and for `Mode.CHECK` also when anything would change."""
        return int(self.count(Severity.ERROR) > 0 or (self.mode is Mode.CHECK and self.changed))
