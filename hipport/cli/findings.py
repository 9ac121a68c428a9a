"""Output of commands that translate or check: reports, diagnostics, a summary."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hipport.cli.lazy import ARGUMENTS
from hipport.errors import HipportError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from hipport.diagnostics import Diagnostic
    from hipport.project.request import Report
    from hipport.report.about import About
    from hipport.report.console import Style


def write_report(result: Report, file: str, about: About | None = None) -> None:
    """Write a report to a file, or to standard output for `-`. Raises HipportError."""
    from hipport.project.write import write_text
    from hipport.report.formats import rendered

    if file == "-":
        click.echo(rendered(result, file, about), nl=False)
        return
    try:
        write_text(file, rendered(result, file, about))
    except OSError as error:
        hint = "The sources were processed; only the report is missing."
        raise HipportError(f"cannot write the report {file!r}: {error.strerror}", hint=hint) from None


def about_run(paths: Sequence[str], *, checked: bool = False) -> About:
    """Return the facts that an HTML report states: the project is named by the folder of the first path."""
    from hipport.report.about import About

    first = Path(paths[0]).absolute() if paths else Path.cwd()
    folder = first if first.is_dir() else first.parent
    return About(folder.name, command_line(), _date(), checked)


def command_line() -> str:
    """Return the command that is running, as it could be typed."""
    import shlex

    context = click.get_current_context(silent=True)
    return shlex.join(["hipport", *context.meta.get(ARGUMENTS, ())]) if context is not None else ""


def _date() -> str:
    """Return the time in UTC; SOURCE_DATE_EPOCH makes reports reproducible."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(epoch) if epoch.isdecimal() else time.time()
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


def print_findings(result: Report, limit: int, seconds: float, *, checked: bool = False, quiet: bool = False) -> None:
    """Print diagnostics and a summary on standard error; with `quiet`, errors only.

    `checked` is set if nothing was to be translated.
    """
    from hipport.diagnostics import Severity
    from hipport.report.console import effort_lines, summary_lines

    if quiet:
        print_diagnostics([found for found in result.diagnostics if found.severity is Severity.ERROR], limit)
        return
    print_diagnostics(result.diagnostics, limit)
    for line in effort_lines(result.diagnostics, _style()):
        click.echo(line, err=True)
    for line in summary_lines(result, _style(), seconds if sys.stderr.isatty() else None, checked=checked):
        click.echo(line, err=True)


def print_diagnostics(diagnostics: Sequence[Diagnostic], limit: int = 0) -> None:
    """Print findings on standard error, at most `limit` of them; 0 is all."""
    from hipport.report.console import diagnostic_lines

    for line in diagnostic_lines(diagnostics, _style(), limit):
        click.echo(line, err=True)


def _style() -> Style:
    from hipport.report.console import Style

    context = click.get_current_context(silent=True)
    offered = (
        {name for parameter in context.command.params for name in parameter.opts} if context is not None else set()
    )
    return Style(
        _columns() if sys.stderr.isatty() else None,
        has_colour(sys.stderr),
        rest="--max-diagnostics 0 shows all" if "--max-diagnostics" in offered else "the report has all",
        fix="--fix" if "--fix" in offered else "hipport check --fix",
    )


def _columns() -> int:
    import shutil  # imports all formats of archives

    return shutil.get_terminal_size().columns


def has_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal with colors, and the user wants them; --color decides if it is given."""
    context = click.get_current_context(silent=True)
    if context is not None and context.color is not None:
        return context.color
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
