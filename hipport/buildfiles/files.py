"""Update names of sources, and patterns for them, to renamed files."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.diagnostics import Severity
from hipport.files.sources import RENAMED
from hipport.source import Replace

_SUFFIX = re.compile(r"\.cu(?![\w.+~])")
_PART_OF_NAME = re.compile(r"[\w+~.-]")
_PATTERN = frozenset("%*?@)}>]\\")
_NEW = RENAMED[".cu"]


def source_names(work: BuildFile, start: int, end: int, invented: Collection[str] = ()) -> Iterator[Found]:
    """Yield edits for names in a range of the text: `a.cu` renamed to `a.hip`, and with it `*.cu`, `%.cu`, `.cu`.

    `invented` names are of no file and follow the patterns.
    """
    renamed = work.context.renamed
    if not renamed:
        return
    for match in _SUFFIX.finditer(work.text, start, end):
        begin = _name_start(work.text, match.start(), start)
        name = work.text[begin : match.end()]
        if name in renamed:
            yield Replace(begin, match.end(), renamed[name])
        elif name in invented:
            yield Replace(match.start(), match.end(), _NEW)
        elif _is_pattern(work.text, begin, match.start()):
            yield Replace(match.start(), match.end(), _NEW)
            if work.context.kept:
                kept = ", ".join(sorted(work.context.kept)[:3])
                message = f"the pattern now matches {_NEW}, but {kept} keeps its name"
                yield work.report(match.start(), "HP408", Severity.WARNING, message, "List such files individually.")


def unknown_names(work: BuildFile, start: int, end: int) -> Iterator[str]:
    """Yield the names in a range of the text that are of no source of the tree."""
    for match in _SUFFIX.finditer(work.text, start, end):
        begin = _name_start(work.text, match.start(), start)
        name = work.text[begin : match.end()]
        known = name in work.context.renamed or name in work.context.kept
        if not known and not _is_pattern(work.text, begin, match.start()):
            yield name


def _name_start(text: str, position: int, least: int) -> int:
    while position > least and _PART_OF_NAME.match(text, position - 1):
        position -= 1
    return position


def _is_pattern(text: str, begin: int, dot: int) -> bool:
    """Return whether the suffix is preceded by a wildcard, a variable or nothing."""
    return begin == dot or text[begin - 1 : begin] in _PATTERN
