"""Findings as diagnostics of the protocol."""

from __future__ import annotations

from lsprotocol import types

from hipport.diagnostics import Change, Diagnostic, Severity
from hipport.lsp.text import Text
from hipport.report.pages import folder

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
_MOST = 2000
"""Diagnostics sent for one document: generated sources have more, and editors would be busy with them for long."""


def position(text: Text, offset: int) -> types.Position:
    return types.Position(*text.place(offset))


def span(text: Text, start: int, end: int) -> types.Range:
    return types.Range(position(text, start), position(text, end))


def place_of(text: Text, found: Diagnostic) -> tuple[int, int]:
    """Return the offsets between which a finding is; one about the file as a whole is at its first line."""
    start = text.offset_of(found.line, found.column)
    end = text.offset_of(found.line, found.quote.end) if found.quote is not None else text.line_end(max(found.line, 1))
    return start, max(start, end)


def diagnostics(text: Text, findings: tuple[Diagnostic, ...]) -> list[types.Diagnostic]:
    """Return findings as the protocol's diagnostics: errors first where there are too many to send."""
    order = list(Severity)
    kept = sorted(range(len(findings)), key=lambda index: order.index(findings[index].severity))[:_MOST]
    return [diagnostic(text, findings[index]) for index in sorted(kept)]


def diagnostic(text: Text, found: Diagnostic) -> types.Diagnostic:
    page = folder() / f"{found.code}.md"
    return types.Diagnostic(
        span(text, *place_of(text, found)),
        f"{found.message}\n{found.advice}" if found.advice else found.message,
        severity=_SEVERITIES[found.severity],
        code=found.code,
        code_description=types.CodeDescription(page.as_uri()) if page.is_file() else None,
        source="hipport",
    )


def text_edit(text: Text, change: Change) -> types.TextEdit:
    start, end = text.offset_of(change.line, change.column), text.offset_of(change.end_line, change.end_column)
    return types.TextEdit(span(text, start, end), change.text)
