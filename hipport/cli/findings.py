"""Output of commands that translate or check: reports, diagnostics, a summary."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

from hipport.errors import HipportError

if TYPE_CHECKING:
    from typing import TextIO

    from hipport.project.request import Report


def write_report(result: Report, file: str) -> None:
    """Write a report to a file, or to standard output for `-`. Raises HipportError."""
    from hipport.project.write import write_text
    from hipport.report.formats import rendered

    if file == "-":
        click.echo(rendered(result, file), nl=False)
        return
    try:
        write_text(file, rendered(result, file))
    except OSError as error:
        hint = "The sources were processed; only the report is missing."
        raise HipportError(f"cannot write the report {file!r}: {error.strerror}", hint=hint) from None


def print_findings(result: Report, limit: int, seconds: float, *, checked: bool = False) -> None:
    """Print diagnostics and a summary on standard error; `checked` is set if nothing was to be translated."""
    from hipport.report.console import Style, diagnostic_lines, effort_lines, summary

    terminal = sys.stderr.isatty()
    style = Style(shutil.get_terminal_size().columns if terminal else None, has_colour(sys.stderr))
    for line in (*diagnostic_lines(result.diagnostics, style, limit), *effort_lines(result.diagnostics, style)):
        click.echo(line, err=True)
    click.echo(summary(result, seconds if terminal else None, checked=checked), err=True)


def has_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal with colors, and the user wants them."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
