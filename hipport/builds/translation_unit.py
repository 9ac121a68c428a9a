"""Translate one source and its headers, for a build system whose only source is the CUDA code."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hipport.builds.ingest import Translator, included_files, ingest
from hipport.builds.ported_units import ported_units
from hipport.builds.prepare import write_if_changed
from hipport.builds.request import CompileSettings
from hipport.diagnostics import Diagnostic
from hipport.errors import HipportError
from hipport.files.include_lines import include_lines
from hipport.source import Edit, Replace, apply


@dataclass(frozen=True, slots=True)
class Translated:
    """The result of a translation: the files it depends on, and the diagnostics."""

    dependencies: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


def translate_unit(
    source: str, output: Path, mirror: Path, include_dirs: Sequence[str], translator: Translator
) -> Translated:
    """Write `output`, and the translations of the project's headers into the folder `mirror`.

    Each include of such a header is replaced by the path to its translation, so that no order of include folders can
    lead to the original. The last line of the output is a hash of all of them: it changes if any of them does.
    Unchanged files are not written. A source that is HIP already, by the project's own port, is included as it is.
    Raises `HipportError`.
    """
    source, *include_dirs = (os.path.normpath(Path.cwd() / path) for path in (source, *include_dirs))
    ported = ported_units([source], CompileSettings(include_dirs=tuple(include_dirs)), translator.context.tables)
    found = ingest([source], include_dirs, str(mirror), translator, base="/", ported=ported.units)
    files = {Path(path): data for path, data in found.files}
    unit = Path(found.units[source]) if source in found.units else None
    places = {path: output if path == unit else path for path in files}
    texts = {places[path]: _led(path, data, places, mirror, include_dirs) for path, data in files.items()}
    text = texts.pop(output, None) or b'#include "%s"\n' % os.fsencode(source)
    try:
        for path, data in [*texts.items(), *found.fresh.items()]:
            write_if_changed(path, data)
        write_if_changed(output, text + _state(texts))
    except OSError as error:
        raise HipportError(f"cannot write the translation {output}: {error.strerror}") from None
    return Translated(tuple(sorted({*found.read, *ported.read})), found.diagnostics)


def _led(path: Path, data: bytes, places: dict[Path, Path], mirror: Path, include_dirs: Sequence[str]) -> bytes:
    """Redirect the includes of translated headers to their translations."""
    name = "/" + os.path.relpath(path, mirror)
    edits: list[Edit] = []
    for line in include_lines(data):
        target = next((mirror / file[1:] for file in included_files(name, [line.operand], include_dirs)), None)
        if target in places:
            way = os.path.relpath(target, places[path].parent)
            edits.append(Replace(line.span.start, line.span.end, f'"{way}"'))
    return apply(data, edits)


def _state(headers: dict[Path, bytes]) -> bytes:
    digest = hashlib.sha256()
    for path, data in sorted(headers.items()):
        digest.update(b"%s\0%d\0%s" % (os.fsencode(path), len(data), data))
    return b"\n// hipport: translated, the headers are %s\n" % digest.hexdigest()[:16].encode()


def write_depfile(path: Path, output: str, dependencies: Sequence[str]) -> None:
    """Write a dependency rule for make and ninja; raises `HipportError`."""
    rule = f"{_escaped(output)}: {' '.join(map(_escaped, dependencies))}\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rule, encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise HipportError(f"cannot write {path}: {error.strerror}") from None


def _escaped(path: str) -> str:
    return re.sub(r"([ #\\])", r"\\\1", path).replace("$", "$$")
