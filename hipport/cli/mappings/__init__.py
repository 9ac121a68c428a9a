"""`hipport mappings`: one file per command, imported when it is asked for."""

from __future__ import annotations

import importlib

import click

_COMMANDS = {
    "query": "Show all that the tables say about a name.",
    "check": "Check that headers declare what the tables say there is.",
    "coverage": "Show how much of a CUDA release the tables know.",
    "sync": "Propose the lines that new headers add to the tables.",
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = importlib.import_module(f"hipport.cli.mappings.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group("mappings", cls=_LazyGroup)
def command() -> None:
    """Ask the mapping tables, check them against headers, bring them up to date."""
