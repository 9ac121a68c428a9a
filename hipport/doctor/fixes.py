"""Apply fixes: variables are written to a file to be sourced, groups are changed with `usermod`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from hipport.doctor.findings import CheckResult, Fix, JoinGroups, SetVariable
from hipport.errors import HipportError
from hipport.project.write import write_text

_HEADER = "# Written by hipport doctor --fix. To use: . {name}\n"


def fixes(results: Iterable[CheckResult]) -> list[Fix]:
    """Return the fixes that `--fix` would apply, without duplicates; for a variable, the first value."""
    found: dict[object, Fix] = {}
    for result in results:
        for finding in result.findings:
            if finding.fix is not None:
                key = finding.fix.name if isinstance(finding.fix, SetVariable) else finding.fix
                found.setdefault(key, finding.fix)
    return list(found.values())


def planned(chosen: Iterable[Fix], file: str) -> Iterator[str]:
    """Describe each fix in one line."""
    for fix in chosen:
        if isinstance(fix, SetVariable):
            yield f"written to {file}, to be sourced: {fix}"
        else:
            yield f"run: {fix}" if os.geteuid() == 0 else f"needs root: {fix}"


def carry_out(chosen: Iterable[Fix], file: str) -> None:
    """Apply the fixes. Raises `HipportError` if the file exists or cannot be written, or if a command fails."""
    variables = [fix for fix in chosen if isinstance(fix, SetVariable)]
    if variables:
        _write(variables, file)
    for fix in chosen:
        if isinstance(fix, JoinGroups) and os.geteuid() == 0:
            _join(fix)


def _write(variables: list[SetVariable], file: str) -> None:
    if os.path.lexists(file):
        raise HipportError(f"{file} already exists", hint="Remove it, or choose another file with --env-file.")
    try:
        write_text(file, _HEADER.format(name=Path(file)) + "".join(f"{fix}\n" for fix in variables))
    except OSError as error:
        raise HipportError(f"cannot write {file}: {error.strerror}") from None


def _join(fix: JoinGroups) -> None:
    try:
        done = subprocess.run(fix.command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise HipportError(f"cannot run {fix.command[0]}: {error.strerror}") from None
    if done.returncode:
        raise HipportError(f"`{fix}` failed: {done.stderr.strip()}")
