"""Translate the CUDA sources of a build and the project headers they include into the build folder."""

from __future__ import annotations

import functools
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import structs

from hipport.builds.line_directives import with_line_directives
from hipport.builds.rocm_headers import is_rocm_header
from hipport.builds.translations import Translations
from hipport.diagnostics import Diagnostic
from hipport.errors import HipportError
from hipport.files.hashes import digest
from hipport.files.includes import Edges, Seen, reached
from hipport.project.translate import Converter, Outcome, Source, TreeTranslator, nothing_recalled, translate_tree
from hipport.support import is_support
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion

_TOOLKIT_MARKS = ("cuda_runtime.h", "cuda_runtime_api.h")
"""Headers by which a toolkit's folder is known; projects have a `cuda.h` of their own."""
_NOT_THE_PROJECT = ("/usr", "/opt")


@dataclass(frozen=True, slots=True)
class Translator:
    """How a build translates: `convert` in `context`, in at most `jobs` processes, with an optional cache."""

    convert: Converter
    context: Context
    jobs: int | None = None
    cache: Translations | None = None

    def with_convert(self, convert: Converter, told: Sequence[str]) -> Translator:
        """Return a translator with another converter, whose results the cache tells apart by `told`."""
        if self.cache is None:
            return replace(self, convert=convert)
        key = digest("\0".join((self.cache.key, *told)).encode(errors="surrogateescape"))
        return replace(self, convert=convert, cache=replace(self.cache, key=key))


@dataclass(frozen=True, slots=True)
class Ingested:
    """Translated files: `files` has (path in the build folder, bytes), `units` the new path of each source.

    `include_dirs` are the translated counterparts of the project's include folders and precede them. `read` has the
    sources that were examined and all project files they include; `entries` are theirs in the cache, of which `fresh`
    are to be written.
    """

    files: tuple[tuple[str, bytes], ...] = ()
    units: dict[str, str] = field(default_factory=dict)
    include_dirs: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    read: tuple[str, ...] = ()
    entries: tuple[Path, ...] = ()
    fresh: dict[Path, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FolderResolver:
    """Resolves includes as a compiler does: beside the including file, then in the include folders.

    Files are named by their paths relative to the working folder.
    """

    include_dirs: tuple[str, ...]
    found: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def further(self, seen: Mapping[str, Seen]) -> list[Source]:
        """Return the included files that have not been translated yet."""
        included = (path for paths in self.edges(seen).values() for path in paths)
        return [source_of(path) for path in dict.fromkeys(included) if path not in seen]

    def outside(self, seen: Mapping[str, Seen]) -> Mapping[str, Seen]:
        """Return nothing: all project files that are included are translated."""
        return {}

    def edges(self, seen: Mapping[str, Seen]) -> Edges:
        """Return the project files that each file includes; files are looked for once."""
        for path in seen.keys() - self.found.keys():
            self.found[path] = tuple(included_files(path, seen[path].includes, self.include_dirs))
        return {path: self.found[path] for path in seen}


def source_of(path: str) -> Source:
    """Return a file to translate. Raises OSError if there is none."""
    return Source(path, path, Path(path).stat().st_size)


def is_toolkit(folder: str) -> bool:
    """Return whether an include folder belongs to a CUDA toolkit, which must not be used in a build for AMD GPUs."""
    return any((Path(folder) / mark).is_file() for mark in _TOOLKIT_MARKS)


def project_folders(include_dirs: Iterable[str]) -> list[str]:
    """Return the include folders that are not the system's."""
    return [d for d in include_dirs if not any(_is_below(d, other) for other in _NOT_THE_PROJECT)]


def ingest(
    sources: Sequence[str],
    include_dirs: Sequence[str],
    folder: str,
    translator: Translator,
    *,
    hip: bool = False,
    base: str | None = None,
    ported: Collection[str] = (),
) -> Ingested:
    """Translate sources and their headers into `folder`, keeping their relative layout, or the layout below `base`.

    .cu sources are always translated. C and C++ sources are translated if that changes them or one of their headers.
    .hip sources never are, or with `hip` like C++; nor are `ported` ones. Nothing is written. Raises `HipportError` for
    unreadable files.
    """
    candidates = [source for source in sources if source not in ported and (hip or not source.endswith(".hip"))]
    include_dirs = project_folders(include_dirs)
    resolver = FolderResolver(tuple(include_dirs))
    outcomes = _translated(candidates, resolver, translator)
    found = {source: reached(source, resolver.found) for source in candidates}
    changed = {path for path, outcome in outcomes.items() if outcome.data is not None}
    moved = [source for source in candidates if source.endswith(".cu") or changed & found[source]]
    wanted = sorted({name for source in moved for name in found[source]})
    ingested = Ingested(read=tuple(sorted(outcomes)))
    if cache := translator.cache:
        ingested = replace(ingested, entries=tuple(map(cache.entry, outcomes)), fresh=dict(cache.fresh(outcomes)))
    if not wanted:
        return ingested
    searched = [d for d in include_dirs if any(_is_below(name, d) for name in wanted)]
    folders = [*(_absolute(name).parent for name in wanted), *map(_absolute, searched)]
    mirror = _Mirror(folder, base or os.path.commonpath(folders))
    return replace(
        ingested,
        files=tuple((mirror.path(name), _content(name, outcomes[name])) for name in wanted),
        units={source: mirror.path(source) for source in moved},
        include_dirs=tuple(map(mirror.path, searched)),
        diagnostics=tuple(found for name in wanted for found in outcomes[name].findings),
    )


def _translated(names: Sequence[str], resolver: FolderResolver, translator: Translator) -> dict[str, Outcome]:
    """Translate sources and all project files that they include; `data` has `#line` directives if it differs."""
    recall = translator.cache.recall if translator.cache is not None else nothing_recalled
    marked = functools.partial(_marked, translator.convert)
    tree = TreeTranslator(marked, translator.context, translator.jobs, recall=recall)
    try:
        outcomes = translate_tree([source_of(name) for name in dict.fromkeys(names)], resolver, tree)
    except OSError as error:
        raise HipportError(f"cannot read {error.filename}: {(error.strerror or str(error)).lower()}") from None
    for name, outcome in outcomes.items():
        if outcome.failed:
            raise HipportError(f"{name}: {outcome.diagnostics[0].message}", hint=outcome.diagnostics[0].advice)
    return outcomes


def _marked(convert: Converter, data: bytes, name: str, context: Context) -> Conversion:
    """Translate a file; if that changes it, add `#line` directives."""
    conversion = convert(data, name, context)
    if conversion.data == data:
        return conversion
    return structs.replace(conversion, data=with_line_directives(conversion.data, name, conversion.line_map))


def _content(name: str, outcome: Outcome) -> bytes:
    if outcome.data is not None:
        return outcome.data
    return with_line_directives(Path(name).read_bytes(), name, ((1, 1),))


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


def included_files(name: str, operands: Iterable[str], include_dirs: Sequence[str]) -> Iterator[str]:
    """Yield the project files that a file includes with these operands."""
    for operand in operands:
        for folder in (Path(name).parent, *map(Path, include_dirs)):
            if (folder / operand).is_file() and not is_support(str(folder / operand)):
                if not is_rocm_header(folder, operand):
                    yield os.path.normpath(folder / operand)
                break
