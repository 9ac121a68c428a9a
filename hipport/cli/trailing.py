"""Commands whose arguments after `--` are for another program."""

from __future__ import annotations

import click

_BEHIND = "hipport.behind_dashes"


class TrailingCommand(click.Command):
    """A command that keeps the arguments after `--` apart; `trailing` names them in the usage line."""

    trailing = "ARGUMENTS"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remove and store the arguments after `--`."""
        if "--" in args:
            split = args.index("--")
            ctx.meta[_BEHIND] = tuple(args[split + 1 :])
            args = args[:split]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the usage line, including the arguments after `--`."""
        return [*super().collect_usage_pieces(ctx), f"[-- {self.trailing}...]"]


def behind_dashes() -> tuple[str, ...]:
    """Return the arguments after `--`."""
    behind: tuple[str, ...] = click.get_current_context().meta.get(_BEHIND, ())
    return behind
