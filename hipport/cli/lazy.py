"""Command groups that import a command on first use."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from typing import Any

import click

ARGUMENTS = "hipport.arguments"
"""Key of the command line's arguments in the `meta` of a click context."""

_WIDEST, _NARROWEST = 80, 50
"""Click's limits of the width of a help text."""
COLORS = {"auto": None, "always": True, "never": False}


def color_option(*, hidden: bool = False) -> click.Option:
    """Return the option `--color`, which sets the color of the context."""
    return click.Option(
        ["--color"],
        type=click.Choice(list(COLORS)),
        expose_value=False,
        hidden=hidden,
        callback=_set_color,
        help="When to color output; auto, the default: on a terminal, unless NO_COLOR is set.",
    )


def _set_color(context: click.Context, _: click.Parameter, chosen: str | None) -> None:
    if chosen is not None:
        context.color = COLORS[chosen]


def _columns() -> int:
    """Return what `shutil.get_terminal_size` returns; importing that takes a tenth of the time of `--help`."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told) > 0:
        return int(told)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _WIDEST if sys.__stdout__ else _WIDEST
    except (ValueError, OSError):
        return _WIDEST


class LazyGroup(click.Group):
    """A group whose commands are `command` in `PACKAGE.<name>` (with `_` for `-`); `summaries` has a line for each."""

    def __init__(self, name: str, *, package: str, summaries: Mapping[str, str], **settings: Any) -> None:
        super().__init__(name, **settings)
        self._package = package
        self._summaries = summaries

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments of the outermost group, for reports that state the command."""
        ctx.meta.setdefault(ARGUMENTS, tuple(args))
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of the summaries."""
        return list(self._summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self._summaries:
            return None
        command = importlib.import_module(f"{self._package}.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        if not isinstance(command, LazyGroup) and not any("--color" in each.opts for each in command.params):
            command.params.append(color_option(hidden=True))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name; the error for an unknown one names those that are similar."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            import difflib  # takes longer to import than most commands take to start

            similar = difflib.get_close_matches(args[0], self._summaries, cutoff=0.6)
            if not similar:
                raise
            meant = " or ".join(map(repr, similar))
            raise click.UsageError(f"No such command {args[0]!r}. Did you mean {meant}?", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; Ctrl-C ends it with exit status 130."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("\nhipport: interrupted", err=True)
            raise SystemExit(130) from None

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, as wide as the terminal is."""
        if ctx.terminal_width is None and click.formatting.FORCED_WIDTH is None:
            ctx.terminal_width = max(min(_columns(), _WIDEST) - 2, _NARROWEST)
        return super().get_help(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the summaries without importing any command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._summaries.items()))
