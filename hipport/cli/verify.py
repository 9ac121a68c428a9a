"""`hipport verify`: check that a port behaves like the CUDA original."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from hipport.cli.common import takes
from hipport.cli.findings import has_colour
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
    help="What the original runs on; on the CPU with 32 lanes, as CUDA has them.",
)
@click.option(
    "--port",
    type=click.Choice(["cpu", "nvidia", "amd"]),
    default="cpu",
    show_default=True,
    help="What the port runs on.",
)
@click.option("--port-source", "port_sources", metavar="PATH", multiple=True, help="A source or folder of the port.")
@click.option("--original-exe", metavar="FILE", help="The original, already built.")
@click.option("--port-exe", metavar="FILE", help="The port, already built.")
@click.option(
    "--wave-size",
    "wave_sizes",
    type=click.Choice(["32", "64"]),
    multiple=True,
    default=("64",),
    show_default=True,
    help="Lanes of the port's wavefronts on the CPU; repeatable, each is a port of its own.",
)
@click.option("--build", metavar="FLAGS", default="", help="Flags for all builds, such as '-I include -DN=4'.")
@click.option("--input", "inputs", metavar="PATH", multiple=True, help="A file or folder that the programs read.")
@click.option("--stdin", metavar="FILE", help="What the programs read as standard input. Default: nothing.")
@click.option("--env", "environment", metavar="NAME=VALUE", multiple=True, help="An environment variable.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=300,
    show_default=True,
    metavar="SECONDS",
    help="The longest that a run may take.",
)
@click.option("--memory-limit", "memory", type=click.IntRange(min=1), metavar="MIB", help="Data that a run may have.")
@click.option(
    "--rtol",
    type=click.FloatRange(min=0),
    default=1e-5,
    show_default=True,
    metavar="NUMBER",
    help="Relative tolerance of numbers.",
)
@click.option(
    "--atol",
    type=click.FloatRange(min=0),
    default=1e-8,
    show_default=True,
    metavar="NUMBER",
    help="Absolute tolerance of numbers.",
)
@click.option("--ignore", metavar="REGEX", multiple=True, help="Leave out lines in which this is found.")
@click.option("--skip", metavar="GLOB", multiple=True, help="Do not compare outputs of this name, such as stderr.")
@click.option(
    "--dtype", "dtypes", metavar="[GLOB=]TYPE", multiple=True, help="Elements of binary files: f32, f64, bf16, i32, ..."
)
@click.option("--trace", is_flag=True, help="Name the first kernel after which a buffer differs.")
@click.option(
    "--trace-limit",
    type=click.IntRange(min=1),
    default=1024,
    show_default=True,
    metavar="MIB",
    help="Contents of buffers to keep at a time.",
)
@click.option("--report", "reports", metavar="FILE", multiple=True, help="Write the result to FILE: .html, else JSON.")
@click.option("--work-dir", metavar="DIR", help="Keep programs and runs in DIR. Default: a temporary folder.")
@takes(VerifyOptions)
def command(options: VerifyOptions) -> None:
    """Run a CUDA program and its port with the ARGUMENTS behind --, and compare what they print and write.

    Without --port-source and --port-exe the port is the translation of the sources.
    Exit status: 0 if they are equal, 1 if they differ, 2 if that could not be found out.
    """
    try:
        result = _verify(options)
        for file in options.reports:
            _write_report(result, file)
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


def _write_report(result: Verification, file: str) -> None:
    from hipport.project.write import write_text
    from hipport.verify.report import rendered

    text = rendered(result, file)
    if file == "-":
        click.echo(text, nl=False)
        return
    try:
        write_text(file, text)
    except OSError as error:
        raise HipportError(f"the report {file!r} cannot be written: {error.strerror}") from None


def _show(result: Verification) -> None:
    from hipport.verify.view import draw, plain_lines

    if sys.stdout.isatty():
        from rich.console import Console

        draw(result, Console(no_color=not has_colour(sys.stdout)))
        return
    for line in plain_lines(result):
        click.echo(line)
