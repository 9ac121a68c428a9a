"""`hipport mappings sync`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.mappings.common import (
    cuda_include,
    cuda_names,
    cuda_option,
    hip_include,
    load_tables,
    rocm_option,
    write_file,
)
from hipport.counts import count_of
from hipport.errors import HipportError

if TYPE_CHECKING:
    from hipport.audit.extract import Extract
    from hipport.audit.sync import Hip, Proposal


class SyncOptions(Struct, frozen=True):
    """The options of `hipport mappings sync`."""

    cuda_include: tuple[Path, ...]
    hip_include: tuple[Path, ...]
    rocm: str | None
    cuda: str | None
    headers: tuple[str, ...]
    write: bool


@click.command("sync")
@cuda_include
@hip_include
@rocm_option
@cuda_option
@click.option(
    "--header", "headers", multiple=True, metavar="PATTERN", help="Only names from these headers; repeatable."
)
@click.option("--write", is_flag=True, help="Write the entries to the tables.")
@takes(SyncOptions)
def command(options: SyncOptions) -> None:
    """Propose table entries for new names in headers.

    A name that is in no table gets the counterpart that its spelling suggests, if HIP's headers (those given and the
    lists that ship) declare it with the same number of parameters, and otherwise a reason to be written by hand.
    Existing lines are never changed: new counterparts in HIP are only reported.
    """
    from hipport.audit.sources import all_libraries
    from hipport.audit.sync import proposals, suggestions, unclaimed

    known = cuda_names(options.cuda_include, options.cuda)
    source, older = _only(known, options.headers), _older(known)
    hip = _hip(options.hip_include, options.rocm)
    tables, files = load_tables(None), all_libraries()
    found = proposals(source, older, hip, tables, files)
    _print_proposals(found)
    for one in suggestions(source.folder.names, hip, files):
        click.echo(
            f"{one.file}:{one.line}: {one.name} has no counterpart in the table; HIP declares {one.hip}", err=True
        )
    for header, count in unclaimed(source, tables).items():
        click.echo(f"{header}: in no table ({count_of(count, 'name')}); add the header to one first", err=True)
    if options.write:
        _write_proposals(found, " ".join(known.source.split(" (")[0].split()))


def _only(extract: Extract, headers: Sequence[str]) -> Extract:
    if not headers:
        return extract
    from dataclasses import replace

    from hipport.audit.headers import Folder
    from hipport.audit.patterns import Patterns

    chosen = Patterns(tuple(headers))
    names = {name: found for name, found in extract.folder.names.items() if chosen.match(found.header)}
    if not names:
        hint = "PATTERN matches a header as it is included, such as nccl.h or 'cublas*'."
        raise HipportError(f"no public names in {', '.join(headers)}", hint=hint)
    return replace(extract, folder=Folder(names, extract.folder.headers, extract.folder.members))


def _older(extract: Extract) -> list[Extract]:
    from hipport.audit.evidence import shipped
    from hipport.mappings.life import release

    return [one for one in shipped("cuda") if release(one.release) < release(extract.release)]


def _hip(folders: Sequence[Path], rocm: str | None) -> Hip:
    from hipport.audit.evidence import from_headers, shipped
    from hipport.audit.sync import Hip, with_headers

    if not folders:
        return Hip(tuple(shipped("rocm")))
    return with_headers(from_headers("rocm", folders, rocm), shipped("rocm"))


def _print_proposals(found: Sequence[Proposal]) -> None:
    place = ("", "")
    for one in found:
        if one.file != place[0]:
            click.echo(f"# {one.file}")
        if (one.file, one.section) != place:
            click.echo(f"{one.section}:")
        place = (one.file, one.section)
        click.echo("\n".join(one.lines))
    mapped = sum(bool(one.hip) for one in found)
    click.echo(f"{count_of(len(found), 'new name')}, {mapped} with a counterpart", err=True)


def _write_proposals(found: Sequence[Proposal], source: str) -> None:
    """Add proposals to the tables.

    All new texts are created before the first is written, so an error leaves every table unchanged.
    """
    from hipport.audit.insert import insert
    from hipport.mappings.loader import tables_folder

    files = {one.file: tables_folder() / one.file for one in found}
    texts = {
        path: insert(path.read_text(encoding="utf-8"), [one for one in found if one.file == file], source)
        for file, path in files.items()
    }
    for path, text in texts.items():
        write_file(path, text)
        click.echo(f"wrote {path}", err=True)
