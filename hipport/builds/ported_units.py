"""The sources of a build that are HIP already, by the project's own port: they are compiled as they are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hipport.builds.ingest import included_files, is_toolkit, project_folders
from hipport.builds.request import CompileSettings
from hipport.counts import count_of
from hipport.files import sources as source_files
from hipport.files.include_lines import include_lines
from hipport.files.includes import reached
from hipport.mappings.tables import Tables
from hipport.project.ports import mentions_hip, ported_files
from hipport.translate.syntax.sides import is_projects_switch

_OFF = re.compile(r"-U(\w+)|-D(\w+)=0")


@dataclass(frozen=True, slots=True)
class Ported:
    """`units`: sources that a HIP compiler takes as they are; `read`: they and the project files that they include.

    `alone` are those of `read` that no other unit includes.
    """

    units: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()

    def notes(self) -> Iterator[str]:
        """Yield what happens to the units, if there are any."""
        if self.units:
            first, *others = sorted(self.units)
            named = f"{first} and {count_of(len(others), 'other unit')}" if others else first
            yield f"compiling {named} without a translation: HIP already, by the project's own port"


def ported_units(sources: Sequence[str], settings: CompileSettings, tables: Tables) -> Ported:
    """Find the units that are HIP already; none if the settings turn a project's macro for HIP off.

    Files that cannot be read are left to the translation, which reports them.
    """
    units = [source for source in sources if not source.endswith(".hip")]
    if _turns_hip_off((*settings.defines, *settings.both)):
        return Ported()
    texts: dict[str, bytes] = {}
    edges: dict[str, tuple[str, ...]] = {}
    folders = [folder for folder in project_folders(settings.include_dirs) if not is_toolkit(folder)]
    for path, data, included in _closure(units, folders):
        texts[path], edges[path] = data, included
    if not any(map(mentions_hip, texts.values())):
        return Ported()
    names = {os.path.normpath(Path.cwd() / path): path for path in texts}
    left = {names[path] for path in ported_files({path: texts[name] for path, name in names.items()}, tables)}
    ported = frozenset(units) & left
    read = frozenset().union(*(reached(unit, edges) for unit in ported))
    others = frozenset().union(*(reached(unit, edges) for unit in units if unit not in ported))
    return Ported(ported, read, read - others)


def _turns_hip_off(options: Iterable[str]) -> bool:
    matches = filter(None, map(_OFF.fullmatch, options))
    return any(is_projects_switch(match[match.lastindex or 0]) for match in matches)


def _closure(units: Sequence[str], include_dirs: Sequence[str]) -> Iterator[tuple[str, bytes, tuple[str, ...]]]:
    """Yield the units and all project files that they include: path, content, the paths that it includes."""
    waiting = list(dict.fromkeys(units))
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        try:
            data = source_files.read(path)
        except OSError:
            continue
        included = tuple(included_files(path, (line.operand for line in include_lines(data)), include_dirs))
        yield path, data, included
        waiting += [each for each in dict.fromkeys(included) if each not in seen]
        seen.update(included)
