"""Diagnostics about places in a source file."""

from __future__ import annotations

import enum

from msgspec import Struct

from hipport.source import Edit


class Severity(str, enum.Enum):
    """Severity: an error will not compile or gives wrong results, a warning may give wrong results."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Quote(Struct, frozen=True):
    """The source line of a finding, without its line end, and the column after the finding's range."""

    text: str
    end: int


class Change(Struct, frozen=True):
    """One replacement of a quick fix, as editors expect it: the text between two places, end excluded, becomes `text`.

    Lines and columns count from 1, columns in characters, all of them in the original source.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class Diagnostic(Struct, frozen=True):
    """One finding.

    `path` is the source file as the user named it; `line` and `column` count from 1, columns in characters. `code` is
    stable and has a page `docs/diagnostics/<code>.md`; `advice` says what to do about it.
    `fix` is the quick fix: edits of the source, in offsets of its text, that resolve the finding. Applied only on
    request.
    `changes` are the same edits in lines and columns. `quote` is None for findings about a file as a whole.
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
