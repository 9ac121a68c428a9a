"""`hipport mappings check`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.mappings.common import (
    cuda_include,
    cuda_option,
    hip_include,
    json_option,
    load_tables,
    print_json,
    print_lines,
    rocm_option,
    wanted,
)
from hipport.counts import count_of
from hipport.errors import UsageError

if TYPE_CHECKING:
    from hipport.audit.check import AuditResult
    from hipport.audit.extract import Extract


class CheckOptions(Struct, frozen=True):
    """The options of `hipport mappings check`."""

    hip_include: tuple[Path, ...]
    cuda_include: tuple[Path, ...]
    rocm: str | None
    cuda: str | None
    floor: int | None
    record: bool
    reasons: bool
    as_json: bool


@click.command("check")
@hip_include
@cuda_include
@rocm_option
@cuda_option
@click.option("--floor", type=click.IntRange(min=0), metavar="N", help="Fail if fewer than N names are found in total.")
@click.option("--record", is_flag=True, help="Record the numbers found now as the minimum for later checks.")
@click.option("--reasons", is_flag=True, help="Also list the names that are missing for known reasons.")
@json_option
@takes(CheckOptions)
def command(options: CheckOptions) -> None:
    """Check that headers declare the names in the tables.

    Without a folder, the name lists that ship with hipport stand in for the headers. A name is checked only if the
    headers of its library are available. The exit status is 1 if a name is missing without a reason in
    known/accepted.yaml, if such a reason is no longer needed, or if fewer names are found than recorded.
    """
    from hipport.audit import check_text

    evidence = _evidence(options.hip_include, options.cuda_include, options.rocm, options.cuda)
    results = _results(evidence, floored=not options.record)
    if options.record:
        from hipport.audit.accepted import record_floors

        click.echo(f"recorded in {record_floors({result.source: result.found for result in results})}", err=True)
    if options.as_json:
        print_json({"results": [check_text.data(result) for result in results]})
    else:
        for result in results:
            print_lines(check_text.lines(result))
            print_lines(check_text.reasons(result) if options.reasons else ())
    _fail_if_wanting(results, options.floor)


def _evidence(
    hip: Sequence[Path], cuda: Sequence[Path], rocm_release: str | None, cuda_release: str | None
) -> list[Extract]:
    """Return the given headers, or else the shipped lists of the given releases, or of all."""
    from hipport.audit.evidence import from_headers, shipped

    if hip or cuda:
        _refuse_idle(rocm_release if not hip else None, "hip")
        _refuse_idle(cuda_release if not cuda else None, "cuda")
        found = [from_headers("rocm", hip, rocm_release)] if hip else []
        return [*found, *([from_headers("cuda", cuda, cuda_release)] if cuda else [])]
    rocm_lists = wanted(shipped("rocm"), "rocm", rocm_release) if rocm_release or not cuda_release else []
    return [*rocm_lists, *(wanted(shipped("cuda"), "cuda", cuda_release) if cuda_release or not rocm_release else [])]


def _refuse_idle(release: str | None, side: str) -> None:
    if release is not None:
        raise UsageError(f"release {release} was named without headers", hint=f"Add --{side}-include.")


def _results(evidence: Iterable[Extract], *, floored: bool) -> list[AuditResult]:
    from hipport.audit.accepted import accepted, floors
    from hipport.audit.check import check as run

    results = []
    for extract in evidence:
        tables = load_tables(extract.release if extract.product == "rocm" else None)
        results.append(run(extract, tables, accepted(), floors(extract.source) if floored else None))
    return results


def _fail_if_wanting(results: Sequence[AuditResult], floor: int | None) -> None:
    from hipport.audit.check import unfinished

    found = sum(sum(result.found.values()) for result in results)
    todo = unfinished(load_tables(None))
    if todo:
        click.echo(f"{count_of(len(todo), 'name')} without a written reason: {', '.join(todo[:8])}", err=True)
    if floor is not None and found < floor:
        click.echo(f"{count_of(found, 'name')} found, fewer than {floor:,}", err=True)
    if todo or not all(result.passed for result in results) or (floor is not None and found < floor):
        raise SystemExit(1)
