"""`hipport explain`."""

from __future__ import annotations

from dataclasses import dataclass

import click

from hipport.cli.common import takes
from hipport.errors import UsageError


@dataclass(frozen=True, slots=True)
class ExplainOptions:
    """The options of `hipport explain`."""

    code: str | None


@click.command()
@click.argument("code", required=False)
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
    click.echo(f"{found.code}: {found.title}\n\n{found.text}")
