"""What the user asks for, and what comes of it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from hipport.context import Options
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.choice import ANY, NameChoice, Releases
from hipport.project.task import Action


class Mode(str, enum.Enum):
    """What is done with the translation."""

    OUTPUT = "output"
    IN_PLACE = "in-place"
    STDOUT = "stdout"
    DIFF = "diff"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Request:
    """One run of `hipport convert`.

    `names` says which releases and libraries are written; `folder` is where `Mode.OUTPUT` writes; `jobs` the most
    processes to use, None for one per processor. `support`: the headers of hipport's own that translations include
    are written too.
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


@dataclass(frozen=True, slots=True)
class Report:
    """All that a run found, in the order of the tree; `releases` is None where there was nothing to translate.

    `support_dirs` are the folders with the headers of hipport's own that translations include.
    """

    mode: Mode
    files: tuple[FileResult, ...]
    diagnostics: tuple[Diagnostic, ...]
    releases: Releases | None = None
    support_dirs: tuple[str, ...] = ()

    def count(self, severity: Severity) -> int:
        """How many diagnostics of this severity there are."""
        return sum(diagnostic.severity is severity for diagnostic in self.diagnostics)

    @property
    def changed(self) -> bool:
        """Whether any file differs from its source."""
        return any(file.changed for file in self.files)

    @property
    def exit_status(self) -> int:
        """0 when clean, 1 with errors, and for `Mode.CHECK` also when anything would change."""
        return int(self.count(Severity.ERROR) > 0 or (self.mode is Mode.CHECK and self.changed))
