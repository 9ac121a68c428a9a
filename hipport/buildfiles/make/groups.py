"""Find the Makefiles that belong together because one includes the other: they share their variables."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from hipport import lazy_re as re

_INCLUDE = re.compile(r"^[ ]*[-s]?include[ \t]+([^#\n]+)", re.MULTILINE)
_VARIABLE = re.compile(r"(?:\$\([^()]*\)|\$\{[^{}]*\})/?")


def groups(texts: Mapping[str, str]) -> list[list[str]]:
    """Return the paths of Makefiles, those that includes connect in one list each, in order."""
    leader = {path: path for path in texts}

    def lead(path: str) -> str:
        while leader[path] != path:
            path = leader[path]
        return path

    for path, text in texts.items():
        for other in _included(path, text, texts):
            leader[lead(other)] = lead(path)
    found: dict[str, list[str]] = {}
    for path in texts:
        found.setdefault(lead(path), []).append(path)
    return list(found.values())


def _included(path: str, text: str, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the Makefiles that a text includes; behind a variable, those whose paths end like the operand."""
    for match in _INCLUDE.finditer(text):
        for operand in match[1].split():
            here = posixpath.normpath(posixpath.join(posixpath.dirname(path), operand))
            if here in texts:
                yield here
            elif "$" in operand:
                end = _VARIABLE.sub("", operand).removeprefix("./")
                while end.startswith("../"):
                    end = end[3:]
                yield from (other for other in texts if end and (other == end or other.endswith(f"/{end}")))
