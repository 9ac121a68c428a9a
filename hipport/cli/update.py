"""`hipport update`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.cli.common import jobs_option, quiet_option, reports_option, takes
from hipport.cli.findings import about_run, print_findings, write_report
from hipport.cli.name_options import NameOptions, chosen_names, name_options
from hipport.cli.project_settings import chosen_findings
from hipport.cli.semantic import SemanticOptions, chosen_semantic, semantic_options
from hipport.errors import UsageError

if TYPE_CHECKING:
    from hipport.project.request import ConvertRequest


class UpdateOptions(Struct, frozen=True):
    """The options of `hipport update`."""

    cuda_tree: str
    hip_tree: str
    dry_run: bool
    check: bool
    exact: bool
    accept: tuple[str, ...]
    names: NameOptions
    semantic: SemanticOptions
    jobs: int | None
    reports: tuple[str, ...]
    diagnostics: bool
    quiet: bool


@click.command()
@click.argument("cuda_tree", metavar="CUDA_TREE")
@click.argument("hip_tree", metavar="HIP_TREE")
@click.option("--dry-run", is_flag=True, help="Show what would be done; write nothing.")
@click.option("--check", is_flag=True, help="Like --dry-run; exit with status 1 if anything would be done.")
@click.option("--exact", is_flag=True, help="With --check: also count manual edits.")
@click.option(
    "--accept",
    metavar="FILE",
    multiple=True,
    help="Settle the conflict over FILE of HIP_TREE by FILE as it is. Repeatable.",
)
@name_options
@semantic_options
@jobs_option
@reports_option(".json", ".sarif", ".html")
@click.option("--diagnostics", is_flag=True, help="Also show what `hipport convert` reports for the sources.")
@quiet_option
@takes(UpdateOptions)
def command(options: UpdateOptions) -> None:
    """Update HIP_TREE, which `hipport convert CUDA_TREE -o HIP_TREE` wrote, from CUDA_TREE.

    Edits made in HIP_TREE are merged with the new translation; where both changed the same lines, the file gets
    conflict markers. The options that HIP_TREE was converted with are used again.
    Exit status: 0 if successful, 1 with conflicts or files that failed, 2 for a usage error.
    """
    try:
        sys.exit(_update(options))
    except KeyboardInterrupt:
        click.echo("hipport: interrupted; every file is either unchanged or complete", err=True)
        sys.exit(130)


def _update(options: UpdateOptions) -> int:
    from hipport.project.run import run
    from hipport.project.tree.follow import exit_status, of_the_tree
    from hipport.report.console import verdict_lines
    from hipport.report.progress import progress_bar
    from hipport.semantic.project import meanings_of

    if options.exact and not options.check:
        raise UsageError("--exact needs --check")
    started = time.monotonic()
    request = _request(options)
    with progress_bar(sys.stderr.isatty() and not options.quiet) as progress:
        result = chosen_findings(run(request, progress, find_meanings=meanings_of), (options.cuda_tree,))
    for file in options.reports:
        write_report(result, file, about_run((options.cuda_tree,)))
    shown = result if options.diagnostics else of_the_tree(result)
    for line in verdict_lines(result, dry=request.dry, edits=options.exact):
        click.echo(line)
    print_findings(shown, 0, time.monotonic() - started, quiet=options.quiet)
    return exit_status(result, check=options.check, exact=options.exact)


def _request(options: UpdateOptions) -> ConvertRequest:
    from hipport.project.request import ConvertRequest, Mode, Policy
    from hipport.project.settings import find_settings
    from hipport.project.tree.follow import followed
    from hipport.translate.context import Options

    paths = (options.cuda_tree,)
    request = ConvertRequest(
        paths,
        Mode.OUTPUT,
        Options(),
        chosen_names(options.names, paths, look=False),
        folder=options.hip_tree,
        jobs=options.jobs,
        policy=Policy.MERGE,
        accepted=frozenset(_target(file, options.hip_tree) for file in options.accept),
        dry=options.dry_run or options.check,
        semantic=chosen_semantic(options.semantic, paths),
    )
    return followed(request, options.names.libs or find_settings(paths).libs)


def _target(file: str, tree: str) -> str:
    """Return the name that a file of an output tree has in it; raises UsageError for files elsewhere."""
    path = Path(file).parent.resolve() / Path(file).name
    if not path.is_relative_to(Path(tree).resolve()):
        raise UsageError(f"--accept {file!r} is not in {tree!r}")
    return path.relative_to(Path(tree).resolve()).as_posix()
