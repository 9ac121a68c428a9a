"""Shared by the commands of `hipport mappings`: options, tables, headers, output."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hipport.errors import HipportError, UsageError

if TYPE_CHECKING:
    from hipport.audit.extract import Extract
    from hipport.mappings.tables import Tables

FILE = click.Path(path_type=Path, dir_okay=False)
_DIR = click.Path(path_type=Path)
rocm_option = click.option("--rocm", metavar="REL", help="ROCm release. Default: that of the headers, else the newest.")
cuda_option = click.option("--cuda", metavar="REL", help="CUDA release. Default: that of the headers.")
hip_include = click.option(
    "--hip-include", multiple=True, metavar="DIR", type=_DIR, help="Headers of HIP, or an unpacked hip-python wheel."
)
cuda_include = click.option(
    "--cuda-include", multiple=True, metavar="DIR", type=_DIR, help="CUDA's headers, or NVIDIA's wheels, unpacked."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def load_tables(rocm: str | None) -> Tables:
    """Return the tables for a ROCm release, None for the newest."""
    from hipport.mappings.choice import NameChoice
    from hipport.mappings.loader import load_choice

    return load_choice(NameChoice(rocm=rocm))


def cuda_names(folders: Sequence[Path], release: str | None) -> Extract:
    """Return the names that headers in folders declare, by default the shipped list of the given or newest release."""
    from hipport.audit.evidence import from_headers, shipped

    if folders:
        return from_headers("cuda", folders, release)
    return wanted(shipped("cuda"), "cuda", release)[-1]


def wanted(extracts: Sequence[Extract], product: str, release: str | None) -> list[Extract]:
    """Return the lists of one release, or all. Raises UsageError if there is none."""
    if release is None:
        return list(extracts)
    found = [one for one in extracts if f"{one.release}.".startswith(f"{release}.")]
    if not found:
        known = ", ".join(one.release for one in extracts)
        raise UsageError(
            f"hipport ships no list of names for {product} {release}",
            hint=f"There are {known}. Or name a folder with headers.",
        )
    return found


def write_file(path: Path, text: str) -> None:
    """Write a requested file. Raises HipportError."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise HipportError(f"{path}: {error.strerror}", hint="Name a file in a writable folder.") from None


def print_lines(lines: Iterable[str]) -> None:
    """Print lines to standard output."""
    for line in lines:
        click.echo(line)


def print_json(value: object) -> None:
    """Print a value as JSON to standard output."""
    click.echo(json.dumps(value, indent=2))
