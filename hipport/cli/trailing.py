"""Commands whose arguments behind `--` are for another program."""

from __future__ import annotations

import click

_BEHIND = "hipport.behind_dashes"


class TrailingCommand(click.Command):
    """A command that keeps what stands behind `--` apart; `trailing` names it in the usage line."""

    trailing = "ARGUMENTS"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take off what stands behind `--`."""
        if "--" in args:
            split = args.index("--")
            ctx.meta[_BEHIND] = tuple(args[split + 1 :])
            args = args[:split]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """The usage line with what may follow."""
        return [*super().collect_usage_pieces(ctx), f"[-- {self.trailing}...]"]


def behind_dashes() -> tuple[str, ...]:
    """What stood behind `--`."""
    behind: tuple[str, ...] = click.get_current_context().meta.get(_BEHIND, ())
    return behind
