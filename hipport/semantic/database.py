"""Read a compilation database; the programs that its commands name are never run."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from hipport.errors import HipportError, UsageError
from hipport.files.documents import LARGEST_JSON, parse_json, read_bounded
from hipport.files.paths import is_possible
from hipport.semantic.flags import Flags, read_flags

FILE = "compile_commands.json"
_HINT = "Create it with CMake's -DCMAKE_EXPORT_COMPILE_COMMANDS=ON or, for Makefiles, with Bear."


class Command(Struct, frozen=True):
    """The compilation of a unit: its source, with links resolved, and the options that matter."""

    source: str
    flags: Flags


def read_database(path: str) -> tuple[Command, ...]:
    """Return the commands of a database, given as a file or its folder; HipportError if it is invalid.

    Malformed entries are skipped as long as there are valid ones.
    """
    file = os.path.join(path, FILE) if os.path.isdir(path) else path
    try:
        entries = parse_json(read_bounded(file, LARGEST_JSON, _HINT), file, _HINT)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        kind = UsageError if isinstance(error, FileNotFoundError) else HipportError
        raise kind(f"{file}: cannot read the compilation database: {reason}", hint=_HINT) from None
    except ValueError as error:
        raise HipportError(f"{file}: not valid JSON: {error}", hint=_HINT) from None
    if not isinstance(entries, list):
        raise HipportError(f"{file}: expected a list of commands", hint=_HINT)
    base = os.path.dirname(os.path.abspath(file))
    commands = tuple(dict.fromkeys(command for entry in entries for command in _command(entry, base)))
    if entries and not commands:
        raise HipportError(f"{file}: no entry with a directory, a file and a command", hint=_HINT)
    return commands


def _command(entry: Any, base: str) -> Iterator[Command]:
    """Yield the command of an entry; nothing if the entry is malformed."""
    if not isinstance(entry, dict):
        return
    folder, source, arguments = entry.get("directory"), entry.get("file"), _arguments(entry)
    if isinstance(folder, str) and isinstance(source, str) and arguments and is_possible(folder + source):
        folder = os.path.join(base, folder)
        yield Command(os.path.realpath(os.path.join(folder, source)), read_flags(arguments[1:], source, folder))


def _arguments(entry: dict[str, Any]) -> list[str]:
    arguments, command = entry.get("arguments"), entry.get("command")
    if isinstance(arguments, list):
        return arguments if all(isinstance(argument, str) for argument in arguments) else []
    try:
        return shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return []
