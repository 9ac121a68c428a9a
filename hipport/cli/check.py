"""`hipport check`."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Literal

import click
from msgspec import Struct

from hipport.cli.baseline import without_accepted, write_baseline
from hipport.cli.common import jobs_option, quiet_option, reports_option, takes
from hipport.cli.device import DeviceOptions, device_options
from hipport.cli.findings import about_run, print_findings, write_report
from hipport.cli.name_options import NameOptions, chosen_names, name_options
from hipport.cli.project_settings import canonical_targets, chosen_findings, chosen_lanes
from hipport.cli.semantic import SemanticOptions, chosen_semantic, semantic_options
from hipport.errors import UsageError

if TYPE_CHECKING:
    from hipport.buildfiles.context import BuildContext
    from hipport.project.request import Report
    from hipport.translate.conversion import Conversion


class CheckOptions(Struct, frozen=True):
    """The options of `hipport check`."""

    paths: tuple[str, ...]
    names: NameOptions
    semantic: SemanticOptions
    device: DeviceOptions
    baseline: str | None
    write_baseline: str | None
    fail_on: Literal["error", "warning", "note"]
    keep_names: bool
    convert_ported: bool
    no_gitignore: bool
    jobs: int | None
    reports: tuple[str, ...]
    max_diagnostics: int
    quiet: bool


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@name_options
@semantic_options
@device_options
@click.option("--baseline", metavar="FILE", help="Do not report the findings that are recorded in FILE.")
@click.option("--write-baseline", metavar="FILE", help="Record the current findings in FILE.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note"]),
    default="error",
    show_default=True,
    help="Least severity that makes the exit status 1.",
)
@click.option("--keep-names", is_flag=True, help="Report the findings of `hipport convert --keep-names`.")
@click.option(
    "--convert-ported", is_flag=True, help="Also translate files that are HIP already by the project's own port."
)
@click.option("--no-gitignore", is_flag=True, help="Include what .gitignore files exclude.")
@jobs_option
@reports_option(".json", ".sarif", ".html")
@click.option(
    "--max-diagnostics",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="Findings to show; the others are counted. 0 shows all.",
)
@quiet_option
@takes(CheckOptions)
def command(options: CheckOptions) -> None:
    """Report what in CUDA sources HIP lacks, and what may behave differently on AMD GPUs: the findings of `convert -o`.

    PATH is a file, a folder, or - for standard input, which is read as a .cu file. Nothing is translated, and no file
    is changed unless --fix is given, which edits the files in place.
    Exit status: 0 if clean, 1 if errors (or what --fail-on names) were found, 2 for a usage error.
    """
    try:
        sys.exit(_check(options))
    except KeyboardInterrupt:
        click.echo("hipport: interrupted; every file is either unchanged or complete", err=True)
        sys.exit(130)


def _check(options: CheckOptions) -> int:
    from hipport.diagnostics import Severity
    from hipport.project.settings import find_settings

    if options.baseline and options.write_baseline:
        raise UsageError(
            "--baseline and --write-baseline cannot be combined", hint="--write-baseline reads the file, too."
        )
    started = time.monotonic()
    result = chosen_findings(_run(options), options.paths)
    if options.write_baseline:
        result = write_baseline(result, options.write_baseline)
    elif baseline := options.baseline or find_settings(options.paths).baseline:
        result = without_accepted(result, baseline)
    for file in options.reports:
        write_report(result, file, about_run(options.paths, checked=True))
    print_findings(result, options.max_diagnostics, time.monotonic() - started, checked=True, quiet=options.quiet)
    return int(result.at_least(Severity(options.fail_on)))


def _run(options: CheckOptions) -> Report:
    from hipport.files.sources import LARGEST
    from hipport.project.request import ConvertRequest, Mode
    from hipport.project.run import run, run_on_bytes
    from hipport.report.progress import progress_bar
    from hipport.semantic.project import meanings_of
    from hipport.translate.context import Options
    from hipport.translate.convert import check_source

    paths = options.paths
    canonical_targets((), paths)  # others build for them
    chosen = Options(wave_size=chosen_lanes(options.device, paths), fix=options.device.fix)
    names, semantic = chosen_names(options.names, paths), chosen_semantic(options.semantic, paths)
    if "-" in paths:
        if len(paths) > 1 or chosen.fix:
            raise UsageError(
                "standard input cannot be combined with other paths or with --fix", hint="Give - without --fix."
            )
        return run_on_bytes(sys.stdin.buffer.read(LARGEST + 1), "stdin.cu", chosen, names, check_source)
    request = ConvertRequest(
        paths,
        Mode.IN_PLACE if chosen.fix else Mode.CHECK,
        chosen,
        names,
        keep_names=options.keep_names,
        convert_ported=options.convert_ported,
        gitignore=not options.no_gitignore,
        jobs=options.jobs,
        support=False,
        semantic=semantic,
        rehearsal=True,
    )
    with progress_bar(sys.stderr.isatty() and not options.quiet, "Checking") as progress:
        return run(request, progress, check_source, _check_build_file, meanings_of)


def _check_build_file(data: bytes, name: str, context: BuildContext) -> Conversion:
    from hipport.buildfiles.convert import check_build_file

    return check_build_file(data, name, context)
