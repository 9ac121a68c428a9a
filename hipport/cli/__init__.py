"""The command line: one file per command, each with a `command` object, imported on first use."""

from __future__ import annotations

import click

import hipport
from hipport.cli.lazy import LazyGroup
from hipport.errors import HipportError, UsageError

COMMANDS = {
    "convert": "Translate CUDA sources to HIP.",
    "update": "Bring a HIP tree up to date with its CUDA tree, edits merged.",
    "doctor": "Say what on this machine would make a port fail, and how to mend it.",
    "check": "Say what in CUDA sources will not work with HIP, or behave otherwise.",
    "build": "Build HIP or CUDA sources for several gfx targets.",
    "verify": "Compare what a port does with what the CUDA original does.",
    "inspect": "Show the code objects inside a binary.",
    "explain": "Show what a diagnostic means and what to do.",
    "mappings": "Ask the mapping tables, check them against headers, bring them up to date.",
    "bench": "Measure what the GPUs of this machine reach: copies between them.",
    "llm": "Run language models: continue a text, talk, serve, measure.",
    "translate-unit": "Translate one source with its headers, for a build system.",
    "cmake-dir": "Print the folder of hipport's CMake files.",
    "include-dir": "Print the folder of hipport's own headers.",
}


@click.group(
    cls=LazyGroup,
    package="hipport.cli",
    summaries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(hipport.__version__, prog_name="hipport")
def _hipport() -> None:
    """Take CUDA code to AMD GPUs."""


def main() -> None:
    """Run the command line; exit with a message and status 1 for a `HipportError`, 2 for wrong usage."""
    try:
        raise SystemExit(_hipport(standalone_mode=True))
    except HipportError as error:
        click.echo(f"hipport: error: {error}", err=True)
        if error.hint:
            click.echo(f"  {error.hint}", err=True)
        raise SystemExit(2 if isinstance(error, UsageError) else 1) from None
