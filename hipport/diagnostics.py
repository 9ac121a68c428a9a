"""What hipport has to say about a place in a source file."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from hipport.source import Edit


class Severity(str, enum.Enum):
    """How bad it is: an error will not compile or will be wrong, a warning may be wrong."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    `path` is the source file as the user named it; `line` and `column` count from 1, columns in characters.
    `code` is stable and has a page `docs/diagnostics/<code>.md`; `advice` says what to do about it.
    `fix` are edits of the source, in offsets of its text, that mend it: the quick fix. Not made unless asked for.
    """

    path: str
    line: int
    column: int
    code: str
    severity: Severity
    message: str
    advice: str = ""
    fix: tuple[Edit, ...] = ()
