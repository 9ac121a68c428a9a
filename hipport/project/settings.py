"""Read a project's settings: `hipport.toml`, or `[tool.hipport]` in `pyproject.toml`, beside the input or above it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hipport.errors import HipportError
from hipport.files.documents import LARGEST_SETTINGS, parse_toml, read_bounded
from hipport.mappings.choice import Flavour
from hipport.records import dataclass

FILES = ("hipport.toml", "pyproject.toml")
_TEXTS = ("rocm", "cuda", "libs", "torch")
_PATH = "compile-commands"
_LISTS = {"mappings": '["names.yaml"]', "compile-flags": '["-Iinclude"]'}
_EXAMPLES = {"libs": "hip", "torch": "2.13", _PATH: "build"}
_KEYS = (*_LISTS, *_TEXTS, "semantic", _PATH)
_ELSEWHERE = "targets"
"""The key that `hipport.builds.project_file` reads."""


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """A project's settings; paths in `mappings` and `compile_commands` are valid in hipport's working directory.

    `folder` is where the settings are; paths in `compile_flags` are relative to it.
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


def find_settings(inputs: Sequence[str]) -> TreeSettings:
    """Return the settings of the nearest file above the first input; HipportError if that file is invalid."""
    for path in _candidates(inputs[0] if inputs else "-"):
        try:
            data = read_bounded(path, LARGEST_SETTINGS)
        except OSError:
            continue
        if path.name == FILES[0] or b"tool.hipport" in data:
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
    hint = "Write one with [targets.NAME], or name a compile_commands.json (-p) or the sources."
    raise HipportError(f"{str(folder)!r} has no hipport.toml, nor [tool.hipport] in a pyproject.toml", hint=hint)


def _candidates(first: str) -> Iterator[Path]:
    start = Path.cwd() if first == "-" else Path(first).absolute()
    for folder in (start, *start.parents):
        yield from (folder / name for name in FILES)


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
    for key, value in table.items():
        if key == _ELSEWHERE:
            continue
        if key not in _KEYS:
            close = difflib.get_close_matches(key, _KEYS, n=1)
            raise HipportError(
                f"{path}: unknown key {key!r}" + (f"; did you mean {close[0]!r}?" if close else ""),
                hint=f"allowed here: {', '.join(_KEYS)}",
            )
        _check(path, key, value)
    texts = {key: table.get(key) for key in _TEXTS}
    database = table.get(_PATH)
    return TreeSettings(
        tuple(str(path.parent / file) for file in table.get("mappings", ())),
        **texts,
        semantic=table.get("semantic", database is not None),
        compile_commands=None if database is None else str(path.parent / database),
        compile_flags=tuple(table.get("compile-flags", ())),
        folder=str(path.parent),
    )


def _check(path: Path, key: str, value: object) -> None:
    if key in _LISTS:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            what = "files" if key == "mappings" else "options"
            raise HipportError(f"{path}: {key}: expected a list of {what}, such as {_LISTS[key]}")
    elif key == "semantic":
        if not isinstance(value, bool):
            raise HipportError(f"{path}: semantic: expected true or false")
    elif not isinstance(value, str):
        raise HipportError(f'{path}: {key}: expected a string, such as {key} = "{_EXAMPLES.get(key, "6.2")}"')
    elif key == "libs" and value not in ("hip", "roc"):
        raise HipportError(f"{path}: libs: expected hip or roc, not {value!r}")
