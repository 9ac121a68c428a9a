"""`hipport port`."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct
from msgspec.structs import replace

from hipport.cli.common import jobs_option, quiet_option, reports_option, takes
from hipport.cli.device import DeviceOptions
from hipport.cli.findings import about_run, print_diagnostics, print_findings, write_report
from hipport.cli.name_options import NameOptions, chosen_names, name_options
from hipport.cli.project_settings import chosen_findings, chosen_lanes, chosen_launch, chosen_targets
from hipport.counts import count_of

if TYPE_CHECKING:
    from hipport.port.remaining import Remaining
    from hipport.port.run import Built
    from hipport.port.systems import BuildPlan
    from hipport.project.request import Report

_SHOWN = 10
"""Findings of the translation to show before the build; the report has all."""


class PortOptions(Struct, frozen=True):
    """The options of `hipport port`."""

    tree: str
    output: str
    names: NameOptions
    targets: tuple[str, ...]
    definitions: tuple[str, ...]
    build_dir: str | None
    no_build: bool
    convert_ported: bool
    jobs: int | None
    reports: tuple[str, ...]
    quiet: bool


def _checked(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if not re.match(r"[A-Za-z_][\w.:-]*=", value):
            raise click.BadParameter(f"{value!r} is not NAME=VALUE")
    return values


@click.command()
@click.argument("tree", metavar="TREE")
@click.option("-o", "--output", required=True, metavar="OUT", help="Folder for the translated tree.")
@name_options
@click.option(
    "--offload-arch",
    "targets",
    metavar="TARGETS",
    multiple=True,
    help="Comma-separated gfx targets to build for. Default: gfx90a,gfx1030",
)
@click.option(
    "-D",
    "--define",
    "definitions",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_checked,
    help="Set a variable of the project: of CMake, make, or the environment of setup.py. Repeatable.",
)
@click.option("--build-dir", metavar="DIR", help="Folder for the build, its log and the report. Default: OUT.build")
@click.option("--no-build", is_flag=True, help="Translate and report only; the tree's build files are not run.")
@click.option(
    "--convert-ported", is_flag=True, help="Also translate files that are HIP already by the project's own port."
)
@jobs_option
@reports_option(".json", ".sarif", ".html")
@quiet_option
@takes(PortOptions)
def command(options: PortOptions) -> None:
    """Port the CUDA project in TREE to OUT: translate it, build it, and list what is left to do.

    The translation is built by its own build system (CMake, make, setup.py), which runs what its build files say;
    without one, by `hipport build`. No CUDA is needed. Errors of the build are shown at their places in TREE.
    Run it again after changes in TREE; edits made in OUT are merged. OUT.build/report.html has all findings.
    Exit status: 0 if everything was built and no error is left, 1 otherwise, 2 for a usage error.
    """
    try:
        sys.exit(_port(options))
    except KeyboardInterrupt:
        click.echo("hipport: interrupted; run the same command again to continue", err=True)
        sys.exit(130)


def _port(options: PortOptions) -> int:
    from hipport.diagnostics import Severity

    started = time.monotonic()
    translated = _translate(options)
    print_findings(translated, _SHOWN, time.monotonic() - started, quiet=options.quiet)
    folder = Path(options.build_dir or f"{options.output.rstrip('/')}.build")
    for line in () if options.quiet else _own_port(translated):
        click.echo(line, err=True)
    plan = None if options.no_build else _plan(options, translated, folder)
    built = remaining = None
    if plan is not None:
        built, remaining = _build(plan, translated, folder, options)
        print_diagnostics(remaining.new)
        translated = replace(translated, diagnostics=(*translated.diagnostics, *remaining.new))
    for file in (str(folder / "report.html"), *options.reports):
        _write(translated, file, options.tree)
    failed = built is not None and built.failed is not None
    for line in _conclusion(plan, built, remaining, folder) if failed or not options.quiet else ():
        click.echo(line, err=True)
    return int(failed or translated.count(Severity.ERROR) > 0)


def _translate(options: PortOptions) -> Report:
    from hipport.project.request import ConvertRequest, Mode, Policy
    from hipport.project.run import run
    from hipport.report.progress import progress_bar
    from hipport.translate.context import Options

    paths = (options.tree,)
    request = ConvertRequest(
        paths,
        Mode.OUTPUT,
        Options(chosen_launch(None, paths), chosen_lanes(DeviceOptions(None, fix=False), paths)),
        chosen_names(options.names, paths),
        folder=options.output,
        jobs=options.jobs,
        targets=_targets(options),
        policy=Policy.MERGE,
        convert_ported=options.convert_ported,
        whole_project=True,
    )
    with progress_bar(sys.stderr.isatty() and not options.quiet) as progress:
        return chosen_findings(run(request, progress), paths)


def _targets(options: PortOptions) -> tuple[str, ...]:
    from hipport.buildfiles.build_systems import DEFAULT_TARGETS
    from hipport.toolchain.target_id import parse_list

    named = _named_targets(options)
    return tuple(map(str, parse_list(named))) if named else DEFAULT_TARGETS


def _named_targets(options: PortOptions) -> tuple[str, ...]:
    return chosen_targets(options.targets, (options.tree,))


def _plan(options: PortOptions, translated: Report, folder: Path) -> BuildPlan | None:
    from hipport.port.systems import plan_build
    from hipport.toolchain.places import Surroundings

    jobs = options.jobs or os.cpu_count() or 1
    targets = _targets(options)
    asked = bool(_named_targets(options))
    return plan_build(
        translated.files,
        options.output,
        str(folder),
        targets,
        jobs,
        Surroundings(),
        asked=asked,
        definitions=options.definitions,
    )


def _build(plan: BuildPlan, translated: Report, folder: Path, options: PortOptions) -> tuple[Built, Remaining]:
    from hipport.port.remaining import attribute
    from hipport.port.run import run_build

    def announce(line: str) -> None:
        if not options.quiet:
            click.echo(f"hipport: {line}", err=True)

    built = run_build(plan, folder / "port.log", announce)
    return built, attribute(built.failures, translated.files, translated.diagnostics, options.tree)


def _own_port(translated: Report) -> Iterator[str]:
    """Yield what happens to a tree of which nothing was translated, because it is HIP already."""
    from hipport.project.task import Action

    untouched = not any(file.action is Action.TRANSLATE for file in translated.files)
    if untouched and any(file.ported for file in translated.files):
        yield "hipport: the project has a port to HIP of its own: nothing was translated"
        yield "  Its units are compiled by hipport build, not by its build files, which may have an option for HIP."
        yield "  To port the code for CUDA instead: --convert-ported"


def _write(report: Report, file: str, tree: str) -> None:
    if file != "-":
        Path(file).parent.mkdir(parents=True, exist_ok=True)
    write_report(report, file, about_run((tree,)))


def _conclusion(
    plan: BuildPlan | None, built: Built | None, remaining: Remaining | None, folder: Path
) -> Iterator[str]:
    """Yield what the build found, and where the rest is."""
    if plan is None or built is None or remaining is None:
        yield f"hipport: nothing was built; report: {folder / 'report.html'}"
        return
    for found in remaining.explained:
        yield f"{found.path}:{found.line}:{found.column}: reported above: {found.code}"
    if built.failed is None:
        yield f"hipport: {plan.system} built the port in {plan.place or folder}; report: {folder / 'report.html'}"
        return
    if not built.failures:
        yield from built.last_lines
    left = count_of(len(remaining.explained) + len(remaining.new), "place")
    yield (
        f"hipport: {plan.system} stopped in the step {built.failed.title!r}, with errors at {left}, "
        f"{len(remaining.explained)} of them reported by the translation; log: {folder / 'port.log'}, "
        f"report: {folder / 'report.html'}"
    )
