"""Shell completion (click's) of codes of diagnostics, gfx targets and CUDA names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_MOST = 200
"""Names offered: with fewer letters typed, the shell would list thousands."""


def complete_codes(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the codes of diagnostics, with their titles."""
    from click.shell_completion import CompletionItem

    from hipport.report.pages import codes, page

    wanted = [code for code in codes() if code.startswith(incomplete.upper())]
    return [CompletionItem(code, help=found.title if (found := page(code)) else None) for code in wanted]


def complete_targets(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the gfx targets for the last one of a comma-separated list, with products that have them."""
    from click.shell_completion import CompletionItem

    from hipport.toolchain.targets import TARGETS

    before, comma, last = incomplete.rpartition(",")
    named = {name.partition(":")[0] for name in before.split(",")}
    return [
        CompletionItem(before + comma + target.name, help=target.products or None)
        for target in TARGETS.values()
        if target.name.startswith(last) and target.name not in named
    ]


def complete_names(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the CUDA names and headers that begin like this, or with --reverse names in HIP."""
    from click.shell_completion import CompletionItem

    from hipport.mappings.loader import load

    tables = load()
    cuda = {*tables.names, *tables.namespaces, *tables.headers}
    found = sorted(
        name for name in (tables.hip_names if context.params.get("reverse") else cuda) if name.startswith(incomplete)
    )
    return [CompletionItem(name) for name in found[:_MOST]]
