"""`hipport mappings query`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.completion import complete_names
from hipport.cli.mappings.common import json_option, load_tables, print_json, print_lines, rocm_option
from hipport.errors import UsageError

if TYPE_CHECKING:
    from hipport.audit.query import Index


class QueryOptions(Struct, frozen=True):
    """The options of `hipport mappings query`."""

    name: str
    reverse: bool
    rocm: str | None
    as_json: bool


@click.command("query")
@click.argument("name", shell_complete=complete_names)
@click.option(
    "--reverse", is_flag=True, help="NAME is a name in HIP or a roc library: show the CUDA names that translate to it."
)
@rocm_option
@json_option
@takes(QueryOptions)
def command(options: QueryOptions) -> None:
    """Show what the tables say about NAME: a CUDA name or header, or a pattern such as 'cudaMemcpy*'.

    The exit status is 2 if it is not in the tables.
    """
    from hipport.audit import query_text

    name = options.name
    # Reading all tables takes most of the time; a counterpart may be in any.
    index = _index(options.rocm, "" if options.reverse or set(name) & set("*?[") else name)
    answers = index.find_reverse(name) if options.reverse else index.find(name)
    if not answers:
        index = _index(options.rocm)
        _not_found(name, index.near(name, reverse=options.reverse), options.as_json)
    if options.as_json:
        print_json({"rocm": index.tables.releases.rocm, "answers": [query_text.data(answer) for answer in answers]})
        return
    for number, answer in enumerate(answers):
        if number:
            click.echo()
        print_lines(query_text.lines(answer, index.tables.releases.rocm))


def _index(rocm: str | None, name: str = "") -> Index:
    """Return what the tables know, only those that may have a name if one is given."""
    from hipport.audit.query import Index
    from hipport.audit.sources import all_libraries, libraries_with

    libraries = libraries_with(name) if name else all_libraries()
    return Index(libraries, load_tables(rocm), _headers(one=bool(name)))


def _headers(*, one: bool) -> Callable[[str], str]:
    """Return what finds the header of a CUDA name: for many names, parsing the whole list is faster."""
    if one:
        from hipport.audit.declaring import newest_cuda

        return newest_cuda().header_of
    from hipport.audit.evidence import newest

    return newest("cuda").header_of


def _not_found(name: str, near: Sequence[str], as_json: bool) -> None:
    if as_json:
        print_json({"answers": [], "near": list(near)})
        raise SystemExit(2)
    hint = f"Near: {', '.join(near)}" if near else "Patterns are supported: 'cudaMemcpy*'."
    raise UsageError(f"{name!r} is not in the tables", hint=hint)
