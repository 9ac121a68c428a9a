"""`hipport mappings coverage`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.mappings.common import (
    FILE,
    cuda_include,
    cuda_names,
    cuda_option,
    json_option,
    load_tables,
    print_json,
    print_lines,
    rocm_option,
    write_file,
)

if TYPE_CHECKING:
    from hipport.audit.coverage import Coverage


class CoverageOptions(Struct, frozen=True):
    """The options of `hipport mappings coverage`."""

    cuda_include: tuple[Path, ...]
    rocm: str | None
    cuda: str | None
    svg: Path | None
    html: Path | None
    markdown: bool
    as_json: bool


@click.command("coverage")
@cuda_include
@rocm_option
@cuda_option
@click.option("--svg", type=FILE, metavar="FILE", help="Also write a chart (SVG) to FILE.")
@click.option("--html", type=FILE, metavar="FILE", help="Also write a page with the chart and the unknown names.")
@click.option("--markdown", is_flag=True, help="Print a Markdown table.")
@json_option
@takes(CoverageOptions)
def command(options: CoverageOptions) -> None:
    """Show how many of the names that a CUDA release declares are in the tables, by library.

    Without a folder, the newest CUDA name list that ships with hipport is used.
    """
    from hipport.audit import coverage_plot
    from hipport.audit.coverage import coverage as count

    found = count(cuda_names(options.cuda_include, options.cuda), load_tables(options.rocm))
    for file, draw in ((options.svg, coverage_plot.svg), (options.html, coverage_plot.html)):
        if file is not None:
            write_file(file, draw(found))
    _print_coverage(found, markdown=options.markdown, as_json=options.as_json)


def _print_coverage(found: Coverage, *, markdown: bool, as_json: bool) -> None:
    from hipport.audit import coverage_text

    if as_json:
        print_json(coverage_text.data(found))
    elif markdown:
        print_lines(coverage_text.markdown(found))
    elif sys.stdout.isatty():
        from rich.console import Console

        coverage_text.draw(found, Console(highlight=False))
    else:
        print_lines(coverage_text.plain(found))
