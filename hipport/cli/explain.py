"""`hipport explain`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from hipport.cli.common import takes
from hipport.cli.completion import complete_codes
from hipport.cli.findings import has_colour
from hipport.errors import UsageError

if TYPE_CHECKING:
    from hipport.report.pages import Page

_WIDEST = 100
"""Columns of a page on a wider terminal."""


@dataclass(frozen=True, slots=True)
class ExplainOptions:
    """The options of `hipport explain`."""

    code: str | None


@click.command()
@click.argument("code", required=False, shell_complete=complete_codes)
@takes(ExplainOptions)
def command(options: ExplainOptions) -> None:
    """Explain a diagnostic CODE such as HP104: what it means and what to do. Without CODE, list all."""
    from hipport.report.pages import codes, page

    code = options.code
    if code is None:
        for name in codes():
            found = page(name)
            click.echo(f"{name}  {found.title if found else ''}")
        return
    found = page(code.upper())
    if found is None:
        raise UsageError(f"{code!r} is not a hipport diagnostic", hint="List them with: hipport explain")
    if sys.stdout.isatty():
        _draw(found)
    else:
        click.echo(f"{found.code}: {found.title}\n\n{found.text}")


def _draw(found: Page) -> None:
    """Lay the page out for a terminal, in lines that are not too long to read."""
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(no_color=not has_colour(sys.stdout))
    console.print(f"{found.code}: {found.title}\n", style="bold", markup=False, highlight=False)
    console.print(Markdown(found.text, code_theme="ansi_dark"), width=min(console.width, _WIDEST))
