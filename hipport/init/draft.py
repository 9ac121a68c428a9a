"""Write the draft of a `hipport.toml`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hipport.init.cmake import CMakeProject, DraftTarget, read_project
from hipport.project.setting_keys import KEYS

_DATABASE = "compile_commands.json"
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of the file, and what it was made from, for people."""

    text: str
    origin: str
    left_out: tuple[str, ...] = ()


def draft(folder: Path, database: str | None) -> Draft:
    """Return a draft for the project in a folder; `database` is its folder with compile_commands.json, if known."""
    place = database or _database(folder)
    project = read_project(folder)
    found = [f"{_DATABASE} in {place}"] if place else []
    # Two descriptions of one build would drift apart: the database, which has all flags, is enough.
    targets = () if place else tuple(_existing(folder, project))
    left_out = () if place else (*project.left_out, *sorted(project.targets.keys() - {one.name for one in targets}))
    found += ["CMakeLists.txt"] if (folder / "CMakeLists.txt").is_file() else []
    return Draft("".join(_lines(project, place, targets)), " and ".join(found), left_out)


def _database(folder: Path) -> str | None:
    """Return the folder with the newest compilation database, relative to the project."""
    found = [path for path in (folder / _DATABASE, *folder.glob(f"*/{_DATABASE}")) if path.is_file()]
    newest = max(found, key=lambda path: path.stat().st_mtime, default=None)
    return newest.parent.relative_to(folder).as_posix() if newest else None


def _existing(folder: Path, project: CMakeProject) -> Iterator[DraftTarget]:
    """Yield the targets whose sources exist."""
    for target in project.targets.values():
        if all(_matches(folder, source) for source in target.sources):
            yield target


def _matches(folder: Path, source: str) -> bool:
    try:
        return any(folder.glob(source)) if "*" in source else (folder / source).is_file()
    except (NotImplementedError, ValueError):  # an absolute path, `**` beside other characters, NUL
        return False


def _lines(project: CMakeProject, database: str | None, targets: Sequence[DraftTarget]) -> Iterator[str]:
    yield "# Settings of hipport. Lines that begin with # show the other keys.\n"
    values = {"cuda": project.cuda, "compile-commands": database}
    for name, key in KEYS.items():
        value = values.get(name)
        yield f"\n# {key.about}\n"
        yield f"{name} = {json.dumps(value)}\n" if value else f"# {name} = {key.example}\n"
    if targets:
        yield "\n# What `hipport build` of this folder builds, as CMakeLists.txt says it.\n"
    for target in targets:
        yield from _target_lines(target)


def _target_lines(target: DraftTarget) -> Iterator[str]:
    name = target.name if target.name.replace("_", "").replace("-", "").isalnum() else json.dumps(target.name)
    yield f"\n[targets.{name}]\n"
    if target.kind != "executable":
        yield f'kind = "{target.kind}"\n'
    lists = {
        "sources": target.sources,
        "include-dirs": target.include_dirs,
        "defines": target.defines,
        "libraries": target.libraries,
    }
    for key, values in lists.items():
        if values:
            yield f"{key} = {_array(values)}\n"
    if target.std:
        yield f'std = "{target.std}"\n'
    if target.rdc:
        yield "rdc = true\n"


def _array(values: Sequence[str]) -> str:
    words = [json.dumps(value) for value in values]
    short = f"[{', '.join(words)}]"
    return short if len(short) <= _WIDTH else "[\n" + "".join(f"  {word},\n" for word in words) + "]"
