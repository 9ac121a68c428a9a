"""Read a project's settings: `hipport.toml`, or `[tool.hipport]` in `pyproject.toml`, beside the input or above it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from hipport.errors import HipportError
from hipport.files.documents import LARGEST_SETTINGS, parse_toml, read_bounded
from hipport.mappings.choice import Flavour
from hipport.project.setting_keys import KEYS, TARGETS, check_known

FILES = ("hipport.toml", "pyproject.toml")


class TreeSettings(Struct, frozen=True):
    """A project's settings; paths in `mappings`, `compile_commands` and `baseline` are valid in the working directory.

    `folder` is where the settings are; paths in `compile_flags` and patterns in `per_file_ignores` are relative to it.
    `wave_size` is 0 if device code is for both sizes, None if there is no such setting.
    """

    mappings: tuple[str, ...] = ()
    rocm: str | None = None
    cuda: str | None = None
    libs: Flavour | None = None
    semantic: bool = False
    compile_commands: str | None = None
    compile_flags: tuple[str, ...] = ()
    folder: str = "."
    torch: str | None = None
    launch: Literal["ggl", "chevron"] | None = None
    wave_size: Literal[0, 32, 64] | None = None
    offload_arch: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    baseline: str | None = None


def find_settings(inputs: Sequence[str]) -> TreeSettings:
    """Return the settings of the nearest file above the first input; HipportError if that file is invalid."""
    for path in _candidates(inputs[0] if inputs else "-"):
        try:
            data = read_bounded(path, LARGEST_SETTINGS)
        except OSError:
            continue
        if path.name == FILES[0] or b"tool.hipport" in data or b"[tool]" in data:  # others need no parser
            table = _table(path, data)
            if table is not None:
                return _settings(path, table)
    return TreeSettings()


def own_table(folder: Path) -> tuple[Path, Mapping[str, Any]]:
    """Return the settings in a folder itself, not above, and their file. Raises HipportError if there are none."""
    for path in (folder / name for name in FILES):
        try:
            table = _table(path, read_bounded(path, LARGEST_SETTINGS))
        except OSError:
            continue
        if table is not None:
            return path, table
    hint = (
        "Write one with [targets.NAME], or name a compile_commands.json (-p) or the sources. To build with the "
        "project's own build files: hipport port."
    )
    raise HipportError(f"{str(folder)!r} has no hipport.toml, nor [tool.hipport] in a pyproject.toml", hint=hint)


def _candidates(first: str) -> Iterator[Path]:
    folder = os.getcwd() if first == "-" else os.path.abspath(first)
    while True:
        # A `Path` for each of the files that are not there would take longer than anything else here.
        places = (os.path.join(folder, name) for name in FILES)
        yield from (Path(place) for place in places if os.path.exists(place))
        if (above := os.path.dirname(folder)) == folder:
            return
        folder = above


def _table(path: Path, data: bytes) -> Mapping[str, Any] | None:
    try:
        content = parse_toml(data.decode(), str(path))
    except UnicodeDecodeError as error:
        raise HipportError(f"{path}: not valid TOML: not UTF-8 at byte {error.start}") from None
    tool = content if path.name == FILES[0] else content.get("tool", {})
    found = tool if path.name == FILES[0] or not isinstance(tool, dict) else tool.get("hipport")
    if found is not None and not isinstance(found, dict):
        raise HipportError(f"{path}: tool.hipport: expected a table")
    return found


def _settings(path: Path, table: Mapping[str, Any]) -> TreeSettings:
    for name, value in table.items():
        check_known(str(path), name, (*KEYS, TARGETS))
        if name != TARGETS:
            KEYS[name].check(str(path), name, value)
    database, accepted, lanes = (table.get(name) for name in ("compile-commands", "baseline", "wave-size"))
    return TreeSettings(
        tuple(str(path.parent / file) for file in table.get("mappings", ())),
        table.get("rocm"),
        table.get("cuda"),
        table.get("libs"),
        semantic=table.get("semantic", database is not None),
        compile_commands=None if database is None else str(path.parent / database),
        compile_flags=tuple(table.get("compile-flags", ())),
        folder=str(path.parent),
        wave_size=0 if lanes == "auto" else lanes,
        torch=table.get("torch"),
        launch=table.get("launch"),
        offload_arch=tuple(table.get("offload-arch", ())),
        select=tuple(table.get("select", ())),
        ignore=tuple(table.get("ignore", ())),
        per_file_ignores=tuple((file, tuple(codes)) for file, codes in table.get("per-file-ignores", {}).items()),
        baseline=None if accepted is None else str(path.parent / accepted),
    )
