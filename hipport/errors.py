"""Exceptions for errors that are reported to the user without a traceback."""

from __future__ import annotations


class HipportError(Exception):
    """An error that the user can act on: what went wrong, where, and what to do.

    `str(error)` is shown as it is, without a traceback. `hint` is the advice, shown on a line of its own.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(HipportError):
    """Wrong use of the command line (exit status 2)."""
