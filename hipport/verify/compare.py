"""Compare the results of two runs."""

from __future__ import annotations

import fnmatch
import signal
from collections.abc import Iterator

from hipport.verify.content import compare_bytes, is_npy
from hipport.verify.model import Comparison, Difference, Rules, RunOutcome
from hipport.verify.text import compare_text

_NO_TYPE = "compared byte by byte; use --dtype NAME=TYPE to compare numbers"


def compare(original: RunOutcome, port: RunOutcome, rules: Rules) -> tuple[Comparison, ...]:
    """Compare exit status, standard output, standard error, and files by name."""
    return tuple(item for item in _all(original, port, rules) if not _matches(item.name, rules.skip))


def _all(original: RunOutcome, port: RunOutcome, rules: Rules) -> Iterator[Comparison]:
    yield _compare_status(original.status, port.status)
    yield compare_text("stdout", original.stdout.read_bytes(), port.stdout.read_bytes(), rules)
    yield compare_text("stderr", original.stderr.read_bytes(), port.stderr.read_bytes(), rules)
    for name in sorted(original.files.keys() | port.files.keys()):
        yield _compare_file(name, original, port, rules)


def _matches(name: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, glob) for glob in globs)


def _compare_status(original: int | None, port: int | None) -> Comparison:
    if original == port:
        return Comparison("exit status", status_text(original))
    difference = Difference("", status_text(original), status_text(port))
    return Comparison("exit status", "number", (difference,), 1)


def status_text(status: int | None) -> str:
    """Format an exit status for messages."""
    if status is None:
        return "stopped at the timeout"
    if status >= 0:
        return str(status)
    try:
        return f"ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"ended by signal {-status}"


def _compare_file(name: str, original: RunOutcome, port: RunOutcome, rules: Rules) -> Comparison:
    if name not in original.files or name not in port.files:
        there = ["written" if name in outcome.files else "not written" for outcome in (original, port)]
        return Comparison(name, "file", (Difference("", *there),), 1)
    return compare_contents(name, original.files[name].read_bytes(), port.files[name].read_bytes(), rules)


def compare_contents(name: str, original: bytes, port: bytes, rules: Rules) -> Comparison:
    """Compare two files by the type given in the rules, or else by their content."""
    if is_npy(original) and is_npy(port):
        from hipport.verify.arrays import compare_npy

        return compare_npy(name, original, port, rules.tolerance)
    if element := element_type(name, rules):
        from hipport.verify.arrays import compare_raw

        return compare_raw(name, original, port, element, rules.tolerance)
    if _is_text(original) and _is_text(port):
        return compare_text(name, original, port, rules)
    return compare_bytes(name, original, port, _NO_TYPE)


def element_type(name: str, rules: Rules) -> str | None:
    """Return the type that the user gave for a file or buffer; the last match wins."""
    return next((element for glob, element in reversed(rules.types) if fnmatch.fnmatchcase(name, glob)), None)


def _is_text(data: bytes) -> bool:
    if b"\0" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
