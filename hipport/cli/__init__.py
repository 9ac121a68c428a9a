"""The command line: one file per command, each with a `command` object, imported on first use."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator

import click

import hipport
from hipport.cli.lazy import LazyGroup, color_option
from hipport.cli.patterns import kept_patterns
from hipport.errors import HipportError, UsageError
from hipport.files.system import unwound_by_signals

COMMANDS = {
    "port": "Port a project: translate it, build it, list what is left to do.",
    "convert": "Translate CUDA sources to HIP.",
    "update": "Update a HIP tree from its CUDA tree, merging manual edits.",
    "init": "Draft a hipport.toml for a project.",
    "doctor": "Check this machine for problems that would make a port fail.",
    "check": "Report what HIP lacks and what may behave differently on AMD GPUs.",
    "build": "Build HIP or CUDA sources for several gfx targets.",
    "run": "Run a program on a GPU, or its machine code for AMD GPUs emulated.",
    "verify": "Run a CUDA program and its port, and compare their output.",
    "inspect": "Show the code objects inside a binary.",
    "explain": "Explain a diagnostic: what it means and what to do.",
    "mappings": "Query the mapping tables, check them against headers, update them.",
    "bench": "Measure copies between the GPUs of this machine.",
    "llm": "Run language models: generate text, chat, serve, benchmark.",
    "lsp": "Show findings and fixes in editors: a language server.",
    "translate-unit": "Translate one source and its headers, for a build system.",
    "cmake-dir": "Print the path of hipport's CMake files.",
    "include-dir": "Print the path of hipport's headers.",
}

_NO_ROOM = frozenset({errno.ENOSPC, errno.EFBIG, errno.EIO, *((errno.EDQUOT,) if hasattr(errno, "EDQUOT") else ())})
"""What writes fail with that a disk or a pipe does not take."""


@click.group(
    cls=LazyGroup,
    package="hipport.cli",
    summaries=COMMANDS,
    params=[color_option()],
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(hipport.__version__, "-V", "--version", prog_name="hipport")
def _hipport() -> None:
    """Port CUDA code to AMD GPUs."""


def main() -> None:
    """Run the command line; exit with a message and status 1 for a `HipportError`, 2 for wrong usage."""
    _print_anything()
    try:
        with unwound_by_signals(), kept_patterns():
            raise SystemExit(_hipport(standalone_mode=True))
    except HipportError as error:
        click.echo(f"hipport: error: {error}", err=True)
        if error.hint:
            click.echo(f"  {error.hint}", err=True)
        raise SystemExit(2 if isinstance(error, UsageError) else 1) from None
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        for line in _no_room(error):
            click.echo(line, err=True)
        raise SystemExit(1) from None


def _no_room(error: OSError) -> Iterator[str]:
    """Yield which file cannot be written for lack of room; what hipport writes to files has a name (`naming`)."""
    if error.filename is not None:
        yield f"hipport: error: cannot write {os.fspath(error.filename)}: {error.strerror}"
        yield "  Free disk space: for the output, temporary files (TMPDIR) and the cache (XDG_CACHE_HOME)."
        return
    yield f"hipport: error: cannot write to the standard output: {error.strerror}"
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what still waits to be written


def _print_anything() -> None:
    """Print `?` for what the encoding of a pipe lacks, such as code page 1252 of Windows, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")
