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
    from hipport.port.failures import Failure
    from hipport.port.left_out import LeftOut
    from hipport.port.remaining import Remaining
    from hipport.port.run import Built
    from hipport.port.systems import BuildPlan
    from hipport.project.request import Report

_NAMED = 3
"""Units to name that a build leaves out."""
_SHOWN = 10
"""Findings of the translation to show before the build; the report has all."""


class _Outcome(Struct, frozen=True):
    """A finished build, the work that is left, and the translated units that it did not compile."""

    built: Built
    remaining: Remaining
    left_out: LeftOut | None

    @property
    def failed(self) -> bool:
        return self.built.failed is not None or self.compiled_nothing

    @property
    def compiled_nothing(self) -> bool:
        return self.left_out is not None and self.left_out.is_everything


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
    outcome = None
    if plan is not None:
        outcome = _build(plan, translated, folder, options)
        print_diagnostics(outcome.remaining.new)
        translated = replace(translated, diagnostics=(*translated.diagnostics, *outcome.remaining.new))
    for file in (str(folder / "report.html"), *options.reports):
        _write(translated, file, options.tree)
    failed = outcome is not None and outcome.failed
    errors = translated.count(Severity.ERROR)
    for line in _conclusion(plan, outcome, folder, errors) if failed or not options.quiet else ():
        click.echo(line, err=True)
    for line in _next_steps(plan, folder, options) if plan is not None and not (failed or options.quiet) else ():
        click.echo(line, err=True)
    return int(failed or errors > 0)


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


def _build(plan: BuildPlan, translated: Report, folder: Path, options: PortOptions) -> _Outcome:
    from hipport.port.remaining import attribute

    log = folder / "port.log"
    built = _run(plan, log, quiet=options.quiet)
    left, reasons = (None, ()) if built.failed else _not_compiled(plan, translated, folder)
    failures = (*built.failures, *reasons)
    return _Outcome(built, attribute(failures, translated.files, translated.diagnostics, options.tree), left)


def _not_compiled(plan: BuildPlan, translated: Report, folder: Path) -> tuple[LeftOut | None, tuple[Failure, ...]]:
    """Return the translated units that a successful build compiled nothing from, and the error if these are all."""
    from hipport.port.left_out import left_out, left_out_of_make, nothing_compiled, nothing_made
    from hipport.port.makefiles import makefiles_of

    if plan.cmake:
        left = left_out(translated.files, str(folder))
        output = (folder / "port.log").read_text("utf-8", "replace")
        return left, (nothing_compiled(left, plan.cmake, output),) if left.is_everything else ()
    if plan.system == "make" and (makefiles := makefiles_of(plan.steps[0].source)):
        left = left_out_of_make(translated.files, plan.place)
        return left, (nothing_made(left, str(makefiles[0].absolute())),) if left.is_everything else ()
    return None, ()


def _run(plan: BuildPlan, log: Path, *, quiet: bool) -> Built:
    """Run a build, and show what it does on standard error."""
    import shutil  # imports all formats of archives

    from hipport.port.run import run_build
    from hipport.report.progress import BuildProgress

    def say(text: str) -> None:
        if not quiet:
            click.echo(text, nl=False, err=True)

    def announce(line: str) -> None:
        drawn.clear()
        say(f"hipport: {line}\n")

    drawn = BuildProgress(say, shutil.get_terminal_size().columns if sys.stderr.isatty() else None)
    try:
        return run_build(plan, log, announce, drawn)
    finally:
        drawn.clear()


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


def _conclusion(plan: BuildPlan | None, outcome: _Outcome | None, folder: Path, errors: int) -> Iterator[str]:
    """Yield what the build found, and where the rest is; `errors` are left, of the translation if all was built."""
    from hipport.report.displayable import shown

    if plan is None or outcome is None:
        yield f"hipport: nothing was built; report: {folder / 'report.html'}"
        return
    built, remaining = outcome.built, outcome.remaining
    for found in remaining.explained:
        place = f"{shown(found.path)}:{found.line}:{found.column}"
        yield f"{place}: reported by the translation: {found.code}: {shown(found.message)}"
    files = shown(f"log: {folder / 'port.log'}, report: {folder / 'report.html'}")
    if outcome.compiled_nothing:
        yield f"hipport: {plan.system} built nothing of the port; {files}"
        return
    if built.failed is None:
        if outcome.left_out is not None and outcome.left_out.units:
            yield _left_out(plan, outcome.left_out)
        left = f" {count_of(errors, 'error')} of the translation left;" if errors else ""
        yield f"hipport: {plan.system} built the port in {plan.place or folder};{left} report: {folder / 'report.html'}"
        return
    if not remaining.explained and not remaining.new:
        yield from built.last_lines
    places = count_of(len(remaining.explained) + len(remaining.new), "place")
    yield (
        f"hipport: {plan.system} stopped in the step {built.failed.title!r}, with errors at {places}, "
        f"{len(remaining.explained)} of them reported by the translation; {files}"
    )


def _next_steps(plan: BuildPlan, folder: Path, options: PortOptions) -> Iterator[str]:
    from hipport.port.next_steps import next_steps

    return next_steps(plan.place or str(folder), options.tree, options.output)


def _left_out(plan: BuildPlan, left: LeftOut) -> str:
    """Return which units the build files do not compile, a few by name."""
    names = [file.source for file in left.units[:_NAMED]]
    more = len(left.units) - len(names)
    named = ", ".join([*names, *([f"{more} more"] if more else [])])
    return f"hipport: {plan.system} compiled {left.of - len(left.units)} of {left.of} translated units, not {named}"
