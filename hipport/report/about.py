"""Facts about a run that its HTML report states."""

from __future__ import annotations

from msgspec import Struct


class About(Struct, frozen=True):
    """The circumstances of a run; "" for what is not known.

    `project` is its name, `command` the command line, `date` for people. `checked`: the sources were only checked, not
    translated, so the report says nothing about changes.
    """

    project: str = ""
    command: str = ""
    date: str = ""
    checked: bool = False
