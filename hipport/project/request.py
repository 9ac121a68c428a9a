"""The user's request for a run, and the report on it."""

from __future__ import annotations

import enum

from msgspec import Struct

from hipport.buildfiles.build_systems import DEFAULT_TARGETS, kind_of
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.choice import ANY, NameChoice, Releases
from hipport.project.task import Action
from hipport.translate.context import Options


class Mode(str, enum.Enum):
    """Where the translation goes."""

    OUTPUT = "output"
    IN_PLACE = "in-place"
    STDOUT = "stdout"
    DIFF = "diff"
    CHECK = "check"


class Policy(enum.Enum):
    """How to treat hand edits in the output: leave them alone, merge with what is new, or overwrite."""

    SPARE = enum.auto()
    MERGE = enum.auto()
    FORCE = enum.auto()


class Verdict(str, enum.Enum):
    """What happens to an output file; the values are shown to the user."""

    SAME = "up to date"
    WRITE = "written"
    REMOVE = "removed"
    MERGE = "merged"
    EDITED = "edited"
    """Edited by hand; there is nothing new to merge."""
    BLOCKED = "left as edited"
    """Edited by hand; the new content was not merged."""
    UNKNOWN = "left as found"
    """Not written by hipport, and in the way."""
    ABSENT = "removed by hand"
    """There is nothing new for it."""
    CONFLICT = "in conflict"
    """Edited or removed by hand, and changed or removed in the input: the user has to resolve it."""


AT_REST = frozenset({Verdict.SAME, Verdict.EDITED, Verdict.ABSENT})
"""Verdicts that an up-to-date tree may have."""


class FileVerdict(Struct, frozen=True):
    """What happened, or with `ConvertRequest.dry` would happen, to the output file at `path`."""

    path: str
    verdict: Verdict


class Semantic(Struct, frozen=True):
    """The user's settings for compiling the sources.

    `database`: a `compile_commands.json` or the folder that contains one, or None; `flags`: compiler options for all
    units, such as `-Iinclude` and `-DN=1`, with paths relative to `folder`.
    """

    database: str | None = None
    flags: tuple[str, ...] = ()
    folder: str = "."


class ConvertRequest(Struct, frozen=True):
    """One run of `hipport convert`.

    `names` selects releases and libraries; `folder` is where `Mode.OUTPUT` writes; `jobs` is the maximum number of
    processes, None for one per processor. `support`: also write hipport's own headers that translations include.
    `build_files`: translate build files; `targets` replace the NVIDIA architectures that they name. `policy` says how
    to treat hand edits in the folder, `accepted` names the files whose conflicts the user has settled; with `dry` the
    folder is only read. `semantic`: ask libclang what names refer to.
    `convert_ported`: also translate files that are HIP already by the project's own port.
    `whole_project`: the paths are a project, which has sources.
    `rehearsal`: every file keeps its place and name, and the findings are those of `Mode.OUTPUT`.
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
    accepted: frozenset[str] = frozenset()
    dry: bool = False
    semantic: Semantic | None = None
    rehearsal: bool = False
    convert_ported: bool = False
    whole_project: bool = False


class FileResult(Struct, frozen=True):
    """Result for one file.

    `source` and `target` are paths as the user would name them. `changed`: the file differs from its source in bytes,
    name or link text. `failed`: it could not be read or written, so there is no target. `before` and `after` are the
    contents (for a link, its text): for `Mode.DIFF` of files that change, for `Mode.STDOUT` of the file. `ported`: it
    is a source that is HIP already.
    """

    source: str
    target: str
    action: Action
    changed: bool = False
    failed: bool = False
    before: bytes = b""
    after: bytes = b""
    ported: bool = False

    @property
    def build_file(self) -> bool:
        """Return whether the file is a build file rather than a source."""
        return self.action is Action.TRANSLATE and kind_of(self.source) is not None


class Report(Struct, frozen=True):
    """All results of a run, in the order of the tree; `releases` is None if there was nothing to translate.

    `support_dirs` are the folders with hipport's own headers that translations include. `verdicts` cover all files of
    an output tree, including removed ones; None if no earlier run is known.
    """

    mode: Mode
    files: tuple[FileResult, ...]
    diagnostics: tuple[Diagnostic, ...]
    releases: Releases | None = None
    support_dirs: tuple[str, ...] = ()
    verdicts: tuple[FileVerdict, ...] | None = None

    def count(self, severity: Severity) -> int:
        """Return the number of diagnostics of this severity."""
        return sum(diagnostic.severity is severity for diagnostic in self.diagnostics)

    def at_least(self, severity: Severity) -> bool:
        """Return whether there is a diagnostic of this severity or worse."""
        order = list(Severity)
        return any(order.index(found.severity) <= order.index(severity) for found in self.diagnostics)

    @property
    def changed(self) -> bool:
        """Return whether any file differs from its source."""
        return any(file.changed for file in self.files)

    @property
    def stale(self) -> bool:
        """Return whether an output tree differs from its wanted state."""
        return any(file.verdict not in AT_REST for file in self.verdicts or ())

    @property
    def exit_status(self) -> int:
        """Return 0 if clean, 1 with errors, and for `Mode.CHECK` also 1 if anything would change."""
        return int(self.count(Severity.ERROR) > 0 or (self.mode is Mode.CHECK and self.changed))
