"""Translate the CUDA sources of a build and the project headers they include into the build folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hipport.builds.line_directives import with_line_directives
from hipport.diagnostics import Diagnostic
from hipport.files.includes import reached, told
from hipport.support import is_support
from hipport.translate.conversion import Conversion

Converter = Callable[[bytes, str, frozenset[str]], Conversion]
"""Translates (bytes, name for diagnostics, foreign names)."""

_TOOLKIT_MARKS = ("cuda_runtime.h", "cuda.h")
_NOT_THE_PROJECT = ("/usr", "/opt")


@dataclass(frozen=True, slots=True)
class Ingested:
    """Translated files: `files` has (path in the build folder, bytes), `units` the new path of each source.

    `include_dirs` are the translated counterparts of the project's include folders and precede them. `read` has the
    sources that were examined and all project files they include.
    """

    files: tuple[tuple[str, bytes], ...] = ()
    units: dict[str, str] = field(default_factory=dict)
    include_dirs: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    read: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    """A project file: its bytes, its first translation, and the project files that it includes by name."""

    data: bytes
    conversion: Conversion
    includes: tuple[str, ...]


def is_toolkit(folder: str) -> bool:
    """Return whether an include folder belongs to a CUDA toolkit, which must not be used in a build for AMD GPUs."""
    return any((Path(folder) / mark).is_file() for mark in _TOOLKIT_MARKS)


def ingest(
    sources: Sequence[str],
    include_dirs: Sequence[str],
    folder: str,
    convert: Converter,
    *,
    hip: bool = False,
    base: str | None = None,
) -> Ingested:
    """Translate sources and their headers into `folder`, keeping their relative layout, or the layout below `base`.

    .cu sources are always translated. C and C++ sources are translated if that changes them or one of their headers.
    .hip sources never are, or with `hip` like C++. Nothing is written.
    """
    candidates = [source for source in sources if hip or not source.endswith(".hip")]
    include_dirs = [d for d in include_dirs if not any(_is_below(d, other) for other in _NOT_THE_PROJECT)]
    files = _closure(candidates, include_dirs, convert)
    includes = {name: file.includes for name, file in files.items()}
    found = {source: reached(source, includes) for source in candidates}
    moved = [s for s in candidates if s.endswith(".cu") or any(_changes(files[name]) for name in found[s])]
    wanted = sorted({name for source in moved for name in found[source]})
    if not wanted:
        return Ingested(read=tuple(sorted(files)))
    searched = [d for d in include_dirs if any(_is_below(name, d) for name in wanted)]
    folders = [*(_absolute(name).parent for name in wanted), *map(_absolute, searched)]
    mirror = _Mirror(folder, base or os.path.commonpath(folders))
    translated = {name: _translate(name, files, reached(name, includes) - {name}, convert) for name in wanted}
    return Ingested(
        tuple((mirror.path(name), _marked(name, conversion)) for name, conversion in translated.items()),
        {source: mirror.path(source) for source in moved},
        tuple(map(mirror.path, searched)),
        tuple(found for conversion in translated.values() for found in conversion.diagnostics),
        tuple(sorted(files)),
    )


def _absolute(name: str) -> Path:
    """Return an absolute path without `..`; links are not resolved, since includes are looked up by literal paths."""
    return Path(os.path.normpath(Path.cwd() / name))


def _is_below(name: str, folder: str) -> bool:
    return _absolute(name).is_relative_to(_absolute(folder))


@dataclass(frozen=True, slots=True)
class _Mirror:
    """Maps files below `base` to their paths in `folder`."""

    folder: str
    base: str

    def path(self, name: str) -> str:
        return os.path.normpath(Path(self.folder) / _absolute(name).relative_to(self.base))


def _marked(name: str, conversion: Conversion) -> bytes:
    return with_line_directives(conversion.data, name, conversion.line_map)


def _changes(file: _File) -> bool:
    return file.conversion.data != file.data


def _closure(sources: Iterable[str], include_dirs: Sequence[str], convert: Converter) -> dict[str, _File]:
    """Return the sources and all project files that they include, keyed by path relative to the working folder."""
    files: dict[str, _File] = {}
    waiting = list(sources)
    while waiting:
        name = waiting.pop()
        if name not in files:
            data = Path(name).read_bytes()
            conversion = convert(data, name, frozenset())
            files[name] = _File(data, conversion, tuple(included_files(name, conversion.includes, include_dirs)))
            waiting += files[name].includes
    return files


def included_files(name: str, operands: Iterable[str], include_dirs: Sequence[str]) -> Iterator[str]:
    """Yield the project files that a file includes with these operands."""
    for operand in operands:
        for folder in (Path(name).parent, *map(Path, include_dirs)):
            if (folder / operand).is_file() and not is_support(str(folder / operand)):
                yield os.path.normpath(folder / operand)
                break


def _translate(name: str, files: dict[str, _File], included: Iterable[str], convert: Converter) -> Conversion:
    """Translate a file, leaving names that its headers define unchanged."""
    first = files[name].conversion
    defined = frozenset().union(*(files[other].conversion.defines for other in included))
    foreign = told(defined, first.uses)
    return convert(files[name].data, name, foreign) if foreign else first
