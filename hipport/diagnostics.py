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
class Quote:
    """What a finding is about: the line of the source, without its end, and the column behind the range in it."""

    text: str
    end: int


@dataclass(frozen=True, slots=True)
class Change:
    """A step of a quick fix, as editors want it: what lies between two places, the second excluded, becomes `text`.

    Lines and columns count from 1, columns in characters, all of them in the source as it was.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    `path` is the source file as the user named it; `line` and `column` count from 1, columns in characters.
    `code` is stable and has a page `docs/diagnostics/<code>.md`; `advice` says what to do about it.
    `fix` are edits of the source, in offsets of its text, that mend it: the quick fix. Not made unless asked for.
    `changes` are the same edits in lines and columns. `quote` is None for what is wrong with a file, not in it.
    """

    path: str
    line: int
    column: int
    code: str
    severity: Severity
    message: str
    advice: str = ""
    fix: tuple[Edit, ...] = ()
    quote: Quote | None = None
    changes: tuple[Change, ...] = ()
