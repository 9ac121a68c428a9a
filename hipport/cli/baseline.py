"""`--baseline` and `--write-baseline`: read and write baseline files, and report what changed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from hipport.counts import count_of
from hipport.errors import HipportError, UsageError

if TYPE_CHECKING:
    from hipport.project.request import Report
    from hipport.report.fingerprint import Identity


def without_accepted(result: Report, file: str) -> Report:
    """Return the report without the findings that a baseline accepts; raises HipportError if it cannot be read."""
    from hipport.report.baseline import sort_out

    found = sort_out(result.diagnostics, _read(file), _folder(file), _checked(result, file))
    if found.accepted:
        click.echo(f"{file}: {count_of(found.accepted, 'finding')} accepted", err=True)
    if found.gone:
        click.echo(
            f"{file}: {count_of(found.gone, 'accepted finding')} no longer present; remove with --write-baseline "
            f"{file}",
            err=True,
        )
    return replace(result, diagnostics=found.fresh)


def write_baseline(result: Report, file: str) -> Report:
    """Add a report's findings to a baseline; return the report without them. Raises HipportError."""
    from hipport.project.write import write_text
    from hipport.report.baseline import renewed, to_text

    before = _read(file) if Path(file).exists() else Counter()
    now = renewed(result.diagnostics, before, _folder(file), _checked(result, file))
    try:
        write_text(file, to_text(now))
    except OSError as error:
        raise HipportError(f"cannot write the baseline {file!r}: {error.strerror}") from None
    return without_accepted(result, file)


def _read(file: str) -> Counter[Identity]:
    from hipport.files.documents import LARGEST_JSON, read_text
    from hipport.report.baseline import from_text

    try:
        return from_text(read_text(file, LARGEST_JSON), file)
    except OSError as error:
        hint = f"Create it with: hipport check --write-baseline {file} PATH..."
        kind = UsageError if isinstance(error, FileNotFoundError) else HipportError
        raise kind(f"cannot read the baseline {file!r}: {error.strerror}", hint=hint) from None


def _folder(file: str) -> str:
    return str(Path(file).parent)


def _checked(result: Report, file: str) -> set[str]:
    """Return the checked files by their paths in the baseline."""
    from hipport.files.paths import relative

    return {relative(checked.source, _folder(file)) for checked in result.files}
