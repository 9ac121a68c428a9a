"""Findings that a project's settings select: `select`, `ignore` and `per-file-ignores`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from hipport.diagnostics import Diagnostic
from hipport.errors import HipportError
from hipport.files.paths import relative
from hipport.project.request import Report
from hipport.project.settings import TreeSettings

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_ALWAYS = "HP9"
"""Codes about files that could not be read or written: findings of a run, not of the sources."""


def selected_report(report: Report, settings: TreeSettings) -> Report:
    """Return the report with the selected findings only. Raises HipportError for codes that do not exist."""
    return replace(report, diagnostics=selected(report.diagnostics, settings))


def selected(diagnostics: tuple[Diagnostic, ...], settings: TreeSettings) -> tuple[Diagnostic, ...]:
    """Return the selected findings, in order. Raises HipportError for codes that do not exist."""
    if not (settings.select or settings.ignore or settings.per_file_ignores):
        return diagnostics
    check_codes(settings)
    matchers = [(_matcher(settings.folder, pattern), ignored) for pattern, ignored in settings.per_file_ignores]

    def is_selected(found: Diagnostic) -> bool:
        if found.code.startswith(_ALWAYS):
            return True
        if found.code.startswith(settings.ignore) or (settings.select and not found.code.startswith(settings.select)):
            return False
        path = relative(found.path, settings.folder)
        return not any(found.code.startswith(ignored) and spec.match_file(path) for spec, ignored in matchers)

    return tuple(filter(is_selected, diagnostics))


def _matcher(folder: str, pattern: str) -> GitIgnoreSpec:
    """Return the matcher of a pattern; HipportError for one that git would not take, such as `!`."""
    from pathspec import GitIgnoreSpec  # takes as long to import as a small file to translate

    try:
        return GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        hint = "Patterns are those of .gitignore, such as third_party/ or *_test.cu."
        raise HipportError(f"{folder}: per-file-ignores: {pattern!r} is not a pattern", hint=hint) from None


def check_codes(settings: TreeSettings) -> None:
    """Raise HipportError for codes that no diagnostic has, or that cannot be ignored."""
    by_file = (code for _, ignored in settings.per_file_ignores for code in ignored)
    _check(settings.folder, "select", settings.select)
    _check(settings.folder, "ignore", (*settings.ignore, *by_file))


def _check(folder: str, key: str, given: Iterable[str]) -> None:
    from hipport.report.pages import codes

    for code in given:
        if not any(known.startswith(code) for known in codes()):
            hint = "List the codes with: hipport explain"
            raise HipportError(f"{folder}: {key}: no diagnostic has the code {code}", hint=hint)
        if key == "ignore" and code.startswith(_ALWAYS):
            hint = "These codes are about files that could not be read or written."
            raise HipportError(f"{folder}: {key}: {code} cannot be ignored", hint=hint)
