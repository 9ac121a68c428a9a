"""`hipport explain`."""

from __future__ import annotations

import io
import re
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.completion import complete_codes
from hipport.cli.findings import has_colour
from hipport.errors import UsageError

if TYPE_CHECKING:
    from hipport.report.pages import Page

_WIDEST = 100
"""Columns of a page in a pipe or on a wider terminal."""
_RULE = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"  # under the head of a table
_STYLES = {"markdown.code": "cyan"}  # Rich's own has a black background, which shows on light terminals
_NAME = re.compile(r"(?i)(?:cu|hip|nv|roc|mi|__)(?!\d)\w+")
_BLANK = re.compile(r"\n{3,}")
_TO_CODE = re.compile(r"\[([^]]*)\]\((HP\d+)\.md[^)]*\)")
_TO_PAGE = re.compile(r"\[([^]]*)\]\(\.\./([\w-]+\.md)[^)]*\)")


class ExplainOptions(Struct, frozen=True):
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
    found = page(f"HP{code}" if code.isdecimal() else code.upper())
    if found is None:
        raise UsageError(f"{code!r} is not a hipport diagnostic", hint=_meant(code, codes()))
    click.echo(_laid_out(found), color=True if has_colour(sys.stdout) else None)


def _meant(code: str, known: Sequence[str]) -> str:
    """Return what may be meant by a word that is no code: the beginning of some, or a name of CUDA or HIP."""
    if any(each.startswith(code.upper()) for each in known):
        return f"Those that begin so: hipport explain | grep ^{code.upper()}"
    if _NAME.fullmatch(code):
        return f"What a name of CUDA becomes: hipport mappings query {code}"
    return "List them with: hipport explain"


def _laid_out(found: Page) -> str:
    """Return the page in lines that are not too long to read: without Markdown's marks, in colors on a terminal."""
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    colors = has_colour(sys.stdout)
    width = min(shutil.get_terminal_size().columns, _WIDEST) if sys.stdout.isatty() else _WIDEST
    with io.StringIO() as text:
        console = Console(file=text, force_terminal=colors, no_color=not colors, width=width, theme=Theme(_STYLES))
        console.print(f"{found.code}: {found.title}\n", style="bold", markup=False, highlight=False)
        console.print(Markdown(_readable(found.text), code_theme="ansi_dark", hyperlinks=False))
        lines = "\n".join(map(str.rstrip, text.getvalue().splitlines()))
    return _BLANK.sub("\n\n", lines if _is_unicode() else lines.replace(_RULE, "-"))


def _is_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def _readable(text: str) -> str:
    """Replace links to other pages: those of a code by its name, those of the documentation by their place in it."""
    text = _TO_CODE.sub(lambda link: link[1] if link[2] in link[1] else f"{link[1]} ({link[2]})", text)
    return _TO_PAGE.sub(r"\1 (docs/\2)", text)
