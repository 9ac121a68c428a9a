"""The command line: one file per command, each with a `command` object; imported when first used."""

from __future__ import annotations

import importlib

import click

import hipport
from hipport.errors import HipportError, UsageError

COMMANDS = {
    "convert": "Translate CUDA sources to HIP.",
    "update": "Bring a HIP tree up to date with its CUDA tree, edits merged.",
    "check": "Say what in CUDA sources will not work with HIP, or behave otherwise.",
    "build": "Build HIP or CUDA sources for several gfx targets.",
    "verify": "Compare what a port does with what the CUDA original does.",
    "inspect": "Show the code objects inside a binary.",
    "explain": "Show what a diagnostic means and what to do.",
    "mappings": "Ask the mapping tables, check them against headers, bring them up to date.",
    "translate-unit": "Translate one source with its headers, for a build system.",
    "cmake-dir": "Print the folder of hipport's CMake files.",
    "include-dir": "Print the folder of hipport's own headers.",
}


class _LazyGroup(click.Group):
    """A group whose commands are imported from `hipport.cli.<name>` (with `_` for `-`) when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"hipport.cli.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(hipport.__version__, prog_name="hipport")
def _hipport() -> None:
    """Take CUDA code to AMD GPUs."""


def main() -> None:
    """Run the command line; a `HipportError` becomes a message and exit status 1, wrong use 2."""
    try:
        raise SystemExit(_hipport(standalone_mode=True))
    except HipportError as error:
        click.echo(f"hipport: error: {error}", err=True)
        if error.hint:
            click.echo(f"  {error.hint}", err=True)
        raise SystemExit(2 if isinstance(error, UsageError) else 1) from None
