"""`hipport convert`."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Literal

import click
from msgspec import Struct

from hipport.cli.common import jobs_option, quiet_option, reports_option, takes
from hipport.cli.completion import complete_targets
from hipport.cli.device import DeviceOptions, device_options
from hipport.cli.findings import about_run, has_colour, print_findings, write_report
from hipport.cli.name_options import NameOptions, chosen_names, name_options
from hipport.cli.project_settings import canonical_targets, chosen_findings, chosen_lanes, chosen_launch
from hipport.cli.semantic import SemanticOptions, chosen_semantic, semantic_options
from hipport.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hipport.project.request import ConvertRequest, Mode, Report
    from hipport.project.task import Task
    from hipport.translate.context import Context
    from hipport.translate.meanings import Meanings

_MODES = "-o DIR, --in-place, --stdout, --diff or --check"


class ConvertOptions(Struct, frozen=True):
    """The options of `hipport convert`."""

    paths: tuple[str, ...]
    output: str | None
    in_place: bool
    stdout: bool
    diff: bool
    check: bool
    launch: Literal["ggl", "chevron"] | None
    names: NameOptions
    semantic: SemanticOptions
    device: DeviceOptions
    keep_names: bool
    convert_ported: bool
    no_support_headers: bool
    no_build_files: bool
    targets: tuple[str, ...]
    force: bool
    no_gitignore: bool
    jobs: int | None
    reports: tuple[str, ...]
    max_diagnostics: int
    quiet: bool


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "-o", "--output", metavar="DIR", help="Write the translation to this folder, with the structure of the input."
)
@click.option("--in-place", is_flag=True, help="Translate the files in place.")
@click.option("--stdout", is_flag=True, help="Print the translation of one file.")
@click.option("--diff", is_flag=True, help="Print the changes as a diff for `git apply` and `patch -p1`.")
@click.option("--check", is_flag=True, help="Write nothing; exit with status 1 if anything would change.")
@click.option(
    "--launch",
    type=click.Choice(["ggl", "chevron"]),
    help="Write kernel launches as hipLaunchKernelGGL(...), the default, or keep <<<...>>>.",
)
@name_options
@semantic_options
@device_options
@click.option("--keep-names", is_flag=True, help="Do not rename .cu files to .hip.")
@click.option(
    "--convert-ported", is_flag=True, help="Also translate files that are HIP already by the project's own port."
)
@click.option("--no-support-headers", is_flag=True, help="Do not copy the hipport headers that translations include.")
@click.option("--no-build-files", is_flag=True, help="Do not change CMakeLists.txt, Makefiles and setup.py.")
@click.option(
    "--offload-arch",
    "targets",
    metavar="TARGETS",
    multiple=True,
    shell_complete=complete_targets,
    help="Comma-separated gfx targets that replace NVIDIA architectures in build files. Default: gfx90a,gfx1030",
)
@click.option("--force", is_flag=True, help="With -o: overwrite files in DIR that were edited by hand.")
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
@takes(ConvertOptions)
def command(options: ConvertOptions) -> None:
    """Translate CUDA sources to HIP.

    PATH is a file, a folder, or - for standard input, which is read as a .cu file; its translation is printed.
    Give exactly one of -o, --in-place, --stdout, --diff and --check.
    Exit status: 0 if clean, 1 if errors were reported, 2 for a usage error.
    """
    try:
        sys.exit(_convert(options))
    except KeyboardInterrupt:
        click.echo("hipport: interrupted; every file is either unchanged or complete", err=True)
        sys.exit(130)


def _convert(options: ConvertOptions) -> int:
    from hipport.project.request import Mode

    mode = _mode(options)
    if "-" in options.reports and mode in (Mode.STDOUT, Mode.DIFF, Mode.CHECK):
        raise UsageError(f"--report - and --{mode.value} both write to standard output", hint="Give --report a file.")
    if options.force and mode is not Mode.OUTPUT:
        raise UsageError("--force needs -o")
    started = time.monotonic()
    result = chosen_findings(_run(mode, options), options.paths)
    _print_result(result, mode)
    for file in options.reports:
        write_report(result, file, about_run(options.paths))
    if mode is not Mode.STDOUT or result.diagnostics:
        print_findings(result, options.max_diagnostics, time.monotonic() - started, quiet=options.quiet)
    for line in () if options.quiet else _next_steps(result, mode, _targets(options)):
        click.echo(line, err=True)
    return result.exit_status


def _next_steps(result: Report, mode: Mode, targets: tuple[str, ...]) -> Iterator[str]:
    """Yield the commands that configure the translated CMake projects on this machine."""
    if mode.value not in ("output", "in-place"):
        return
    from hipport.project.build_files import cmake_projects
    from hipport.toolchain.cmake import configure_command
    from hipport.toolchain.places import Surroundings

    for folder, names_targets in cmake_projects(result.files):
        command = configure_command(folder, Surroundings(), () if names_targets else targets)
        yield f"hipport: configure it on this machine with: {command}"


def _mode(options: ConvertOptions) -> Mode:
    """Return the chosen output mode; raises UsageError for none or several."""
    from hipport.project.request import Mode

    asked = {
        Mode.OUTPUT: options.output is not None,
        Mode.IN_PLACE: options.in_place,
        Mode.STDOUT: options.stdout,
        Mode.DIFF: options.diff,
        Mode.CHECK: options.check,
    }
    given = [mode for mode in Mode if asked[mode]]
    if "-" in options.paths:
        if len(options.paths) > 1 or given not in ([], [Mode.STDOUT]):
            raise UsageError(
                "the translation of standard input goes to standard output", hint="Use - alone, or with --stdout."
            )
        return Mode.STDOUT
    if not given:
        raise UsageError("no output was chosen", hint=f"Use {_MODES}.")
    if len(given) > 1:
        names = " and ".join("-o" if mode is Mode.OUTPUT else f"--{mode.value}" for mode in given)
        raise UsageError(f"{names} cannot be combined", hint=f"Use one of {_MODES}.")
    if options.output == "-":
        raise UsageError("-o takes a folder", hint="--stdout writes to standard output.")
    if given == [Mode.OUTPUT] and _names_a_file(options):
        hint = "For one file, use --stdout > FILE; -o . writes beside the source."
        raise UsageError(f"-o takes a folder, and {options.output} looks like a file", hint=hint)
    return given[0]


def _names_a_file(options: ConvertOptions) -> bool:
    """Return whether the output has a name like the sources', none of which is a folder."""
    from hipport.files.sources import is_source

    output = options.output or ""
    return is_source(output) and not any(map(os.path.isdir, (output, *options.paths)))


def _run(mode: Mode, options: ConvertOptions) -> Report:
    from hipport.files.sources import LARGEST
    from hipport.project.request import ConvertRequest, Policy
    from hipport.project.run import run, run_on_bytes
    from hipport.report.progress import progress_bar
    from hipport.translate.context import Options

    paths = options.paths
    launch, lanes = chosen_launch(options.launch, paths), chosen_lanes(options.device, paths)
    chosen = Options(launch, lanes, options.device.fix)
    names, semantic = chosen_names(options.names, paths), chosen_semantic(options.semantic, paths)
    if paths == ("-",):
        return run_on_bytes(sys.stdin.buffer.read(LARGEST + 1), "stdin.cu", chosen, names)
    request = ConvertRequest(
        paths,
        mode,
        chosen,
        names,
        folder=options.output,
        keep_names=options.keep_names,
        convert_ported=options.convert_ported,
        gitignore=not options.no_gitignore,
        jobs=options.jobs,
        support=not options.no_support_headers,
        build_files=not options.no_build_files,
        targets=_targets(options),
        policy=Policy.FORCE if options.force else Policy.SPARE,
        semantic=semantic,
    )
    with progress_bar(sys.stderr.isatty() and not options.quiet) as progress:
        return run(request, progress, find_meanings=None if semantic is None else _find_meanings)


def _find_meanings(request: ConvertRequest, tasks: Sequence[Task], context: Context) -> Mapping[str, Meanings]:
    from hipport.semantic.project import meanings_of

    return meanings_of(request, tasks, context)


def _targets(options: ConvertOptions) -> tuple[str, ...]:
    """Return the targets by their canonical names; raises UsageError for an invalid one."""
    from hipport.buildfiles.build_systems import DEFAULT_TARGETS

    return canonical_targets(options.targets, options.paths) or DEFAULT_TARGETS


def _print_result(result: Report, mode: Mode) -> None:
    """Print the requested output on standard output."""
    if mode.value == "check":
        from hipport.report.console import check_lines

        for line in check_lines(result.files):
            click.echo(line)
    elif mode.value == "diff":
        from hipport.report.diff import coloured, diff_lines

        for data in diff_lines(result.files):
            click.echo(coloured(data) if has_colour(sys.stdout) else data, nl=False)
    elif mode.value == "stdout":
        click.echo(b"".join(file.after for file in result.files), nl=False)
