"""`hipport update`."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from hipport.cli.common import jobs_option, reports_option, takes
from hipport.cli.findings import print_findings, write_report
from hipport.cli.name_options import NameOptions, chosen_names, name_options
from hipport.cli.semantic import SemanticOptions, chosen_semantic, semantic_options
from hipport.errors import UsageError

if TYPE_CHECKING:
    from hipport.project.request import ConvertRequest


@dataclass(frozen=True, slots=True)
class UpdateOptions:
    """The options of `hipport update`."""

    cuda_tree: str
    hip_tree: str
    dry_run: bool
    check: bool
    exact: bool
    names: NameOptions
    semantic: SemanticOptions
    jobs: int | None
    reports: tuple[str, ...]
    diagnostics: bool


@click.command()
@click.argument("cuda_tree", metavar="CUDA_TREE")
@click.argument("hip_tree", metavar="HIP_TREE")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")
@click.option("--check", is_flag=True, help="As --dry-run; exit status 1 if anything would be done.")
@click.option("--exact", is_flag=True, help="With --check: edits by hand count too.")
@name_options
@semantic_options
@jobs_option
@reports_option
@click.option("--diagnostics", is_flag=True, help="Show what `hipport convert` would report of the sources, too.")
@takes(UpdateOptions)
def command(options: UpdateOptions) -> None:
    """Bring HIP_TREE, which `hipport convert CUDA_TREE -o HIP_TREE` has made, up to date with CUDA_TREE.

    What was edited in HIP_TREE is merged with what is new. Where both changed the same lines the file gets conflict
    markers. Translates with the options that HIP_TREE was made with.
    Exit status: 0 if done, 1 with conflicts or files that could not be handled, 2 for wrong use.
    """
    try:
        sys.exit(_update(options))
    except KeyboardInterrupt:
        click.echo("hipport: interrupted; every file is either as it was or complete", err=True)
        sys.exit(130)


def _update(options: UpdateOptions) -> int:
    from hipport.project.run import run
    from hipport.project.tree.follow import exit_status, of_the_tree
    from hipport.report.console import verdict_lines
    from hipport.report.progress import progress_bar
    from hipport.semantic.project import meanings_of

    if options.exact and not options.check:
        raise UsageError("--exact is for --check")
    started = time.monotonic()
    request = _request(options)
    with progress_bar(sys.stderr.isatty()) as progress:
        result = run(request, progress, find_meanings=meanings_of)
    for file in options.reports:
        write_report(result, file)
    shown = result if options.diagnostics else of_the_tree(result)
    for line in verdict_lines(result, dry=request.dry, edits=options.exact):
        click.echo(line)
    print_findings(shown, 0, time.monotonic() - started)
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
        dry=options.dry_run or options.check,
        semantic=chosen_semantic(options.semantic, paths),
    )
    return followed(request, options.names.libs or find_settings(paths).libs)
