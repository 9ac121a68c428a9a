"""`hipport verify`: check that a port behaves like the CUDA original."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from hipport.cli.common import reports_option, takes
from hipport.cli.findings import about_run, has_colour
from hipport.cli.trailing import TrailingCommand, behind_dashes
from hipport.errors import HipportError, UsageError
from hipport.verify.options import VerifyOptions

if TYPE_CHECKING:
    from hipport.verify.model import Verification


@click.command(cls=TrailingCommand, name="verify")
@click.argument("sources", nargs=-1, metavar="[SOURCE|FOLDER]...")
@click.option(
    "--original",
    type=click.Choice(["cpu", "nvidia"]),
    default="cpu",
    show_default=True,
    help="What the original runs on. On the CPU it runs with warps of 32 lanes.",
)
@click.option(
    "--port",
    type=click.Choice(["cpu", "nvidia", "amd"]),
    default="cpu",
    show_default=True,
    help="What the port runs on.",
)
@click.option(
    "--emulate",
    metavar="TARGETS",
    multiple=True,
    help="Run the port's machine code for AMD GPUs, emulated: comma-separated targets (gfx90a,gfx1100), one run each.",
)
@click.option("--port-source", "port_sources", metavar="PATH", multiple=True, help="Source file or folder of the port.")
@click.option("--original-exe", metavar="FILE", help="Executable of the original.")
@click.option("--port-exe", metavar="FILE", help="Executable of the port.")
@click.option(
    "--wave-size",
    "wave_sizes",
    type=click.Choice(["32", "64"]),
    multiple=True,
    default=("64",),
    show_default=True,
    help="Lanes per wavefront of the port on the CPU; repeatable, for one run each.",
)
@click.option("--build", metavar="FLAGS", default="", help="Flags for all builds, such as '-I include -DN=4'.")
@click.option("--input", "inputs", metavar="PATH", multiple=True, help="File or folder that the programs read.")
@click.option("--stdin", metavar="FILE", help="Standard input of the programs. Default: empty.")
@click.option(
    "--env", "environment", metavar="NAME=VALUE", multiple=True, help="Environment variable for the programs."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=300,
    show_default=True,
    metavar="SECONDS",
    help="Time limit of each run.",
)
@click.option("--memory-limit", "memory", type=click.IntRange(min=1), metavar="MIB", help="Memory limit of each run.")
@click.option(
    "--rtol",
    type=click.FloatRange(min=0),
    default=1e-5,
    show_default=True,
    metavar="NUMBER",
    help="Relative tolerance for numbers.",
)
@click.option(
    "--atol",
    type=click.FloatRange(min=0),
    default=1e-8,
    show_default=True,
    metavar="NUMBER",
    help="Absolute tolerance for numbers.",
)
@click.option("--ignore", metavar="REGEX", multiple=True, help="Ignore lines that match.")
@click.option("--skip", metavar="GLOB", multiple=True, help="Do not compare outputs with this name, such as stderr.")
@click.option(
    "--dtype",
    "dtypes",
    metavar="[GLOB=]TYPE",
    multiple=True,
    help="Element type of binary files: f32, f64, bf16, i32, ...",
)
@click.option("--trace", is_flag=True, help="Find the first kernel launch after which a buffer differs.")
@click.option(
    "--trace-limit",
    type=click.IntRange(min=1),
    default=1024,
    show_default=True,
    metavar="MIB",
    help="Limit on the buffer contents kept at a time.",
)
@reports_option(".json", ".html")
@click.option("--work-dir", metavar="DIR", help="Folder for programs and runs. Default: a temporary one.")
@takes(VerifyOptions)
def command(options: VerifyOptions) -> None:
    """Run a CUDA program and its port with the ARGUMENTS after --, and compare what they print and write.

    Without --port-source or --port-exe, the port is the translation of the sources.
    Exit status: 0 if the outputs are equal, 1 if they differ, 2 if they could not be compared.
    """
    try:
        result = _verify(options)
        for file in options.reports:
            _write_report(result, file, options)
    except HipportError as error:
        raise UsageError(str(error), hint=error.hint) from error  # status 2, since 1 means that they differ
    _show(result)
    sys.exit(0 if result.equal else 1)


def _verify(options: VerifyOptions) -> Verification:
    from hipport.verify.options import request
    from hipport.verify.pipeline import verify
    from hipport.verify.workplace import workplace

    asked = request(options, behind_dashes())
    with workplace(options.work_dir) as folder:
        return verify(asked, folder, lambda line: click.echo(line, err=True))


def _write_report(result: Verification, file: str, options: VerifyOptions) -> None:
    from hipport.project.write import write_text
    from hipport.verify.report import rendered

    text = rendered(result, file, about_run(options.sources))
    if file == "-":
        click.echo(text, nl=False)
        return
    try:
        write_text(file, text)
    except OSError as error:
        raise HipportError(f"cannot write the report {file!r}: {error.strerror}") from None


def _show(result: Verification) -> None:
    from hipport.verify.view import draw, plain_lines

    if sys.stdout.isatty():
        from rich.console import Console

        draw(result, Console(no_color=not has_colour(sys.stdout)))
        return
    for line in plain_lines(result):
        click.echo(line)
