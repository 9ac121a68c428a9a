"""List what C and C++ headers declare, without compiling them: names by kind.

Good enough to tell a macro from an enumerator in headers of C libraries; not a C++ parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_CONTINUATION = re.compile(r"\\\r?\n")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)
_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*", re.M)
_ENUM = re.compile(r"\benum\b([^;{}()]*)\{([^{}]*)\}")
_ENUMERATOR = re.compile(r"(?:^|,)\s*([A-Za-z_]\w*)")
_TAG = re.compile(
    r"\b(?:struct|union|enum|class)\b(?:\s+(?:class|__\w+__|\w+\([^()]*\)|alignas\([^()]*\)))*\s+(\w+)\s*[{:;]"
)
_CLOSED = re.compile(r"\}\s*(?:__\w+__\s*)?(\w+)\s*(?:,\s*\*\s*(\w+)\s*)?;")
_TYPEDEF = re.compile(
    r"\btypedef\b[^;{}]*?\(\s*(?:\w+\s+)*\*\s*(\w+)\s*\)|\btypedef\b[^;{}()]*?(\w+)\s*(?:\[[^\]]*\])?\s*;"
)
_USING = re.compile(r"\busing\s+(\w+)\s*=")
_FUNCTION = re.compile(r"[\w>*&]\s*[\s*&]\s*([A-Za-z_]\w*)\s*\((?!\s*\*)")

Kinds = dict[str, str]


def kinds(paths: Iterable[Path]) -> Kinds:
    """Return the section (`functions`, `types`, ...) of every name that the headers declare."""
    found: Kinds = {}
    for path in paths:
        text = path.read_text(errors="replace")
        for section, name in declared(text):
            found.setdefault(name, section)
    return found


def declared(text: str) -> Iterator[tuple[str, str]]:
    """Yield the section and name of each declaration in a header, the most reliable matches first."""
    text = _CONTINUATION.sub(" ", _COMMENT.sub(" ", text))
    code = _DIRECTIVE.sub("", text)
    for body in _ENUM.finditer(code):
        yield from (("enumerators", name) for name in _ENUMERATOR.findall(re.sub(r"\([^()]*\)", "", body[2])))
    for pattern in (_TAG, _CLOSED, _TYPEDEF, _USING):
        for match in pattern.finditer(code):
            yield from (("types", name) for name in match.groups() if name)
    yield from (("functions", match[1]) for match in _FUNCTION.finditer(code))
    yield from (("macros", match[1]) for match in _DEFINE.finditer(text))


def under(folder: Path) -> list[Path]:
    """Return all headers below a folder."""
    return sorted(path for path in folder.rglob("*") if path.suffix in {".h", ".hpp", ".cuh", ".inl"})
