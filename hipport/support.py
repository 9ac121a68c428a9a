"""The C++ headers that ship with hipport and that translations include: `<hipport/compat/...>`, `<hipport/ptx/...>`."""

from __future__ import annotations

import functools
import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path

from hipport import lazy_re as re
from hipport.files.include_lines import include_lines

_SUPPORT = re.compile(r"(?:.*/)?(hipport/(?:compat|ptx)/[\w./]+)\Z")


def include_dir() -> Path:
    """Return the folder to pass to a compiler with `-I`."""
    return Path(__file__).with_name("include")


def cmake_dir() -> Path:
    """Return the folder of the CMake files: in the package if it is installed, beside it in a checkout."""
    installed = Path(__file__).with_name("cmake")
    return installed if installed.is_dir() else Path(__file__).parents[1] / "cmake"


def is_support(path: str) -> bool:
    """Return whether a path is a support header or a copy of one, which needs no translation."""
    match = _SUPPORT.match(path)
    return match is not None and ".." not in match[1] and _ships(match[1])


@functools.lru_cache(maxsize=1 << 10)
def _ships(header: str) -> bool:
    """Return whether a header is among those that ship, which do not change."""
    return (include_dir() / header).is_file()


def included(data: bytes) -> tuple[str, ...]:
    """Return the operands of the support headers that a source includes directly."""
    if b"hipport/" not in data:
        return ()
    operands = {line.operand for line in include_lines(data)}
    return tuple(sorted(operand for operand in operands if operand.startswith("hipport/") and is_support(operand)))


def closure(headers: Iterable[str]) -> dict[str, bytes]:
    """Return support headers and those they include at any depth, with their contents."""
    found: dict[str, bytes] = {}
    waiting = sorted(set(headers))
    while waiting:
        header = waiting.pop()
        if header not in found:
            found[header] = (include_dir() / header).read_bytes()
            waiting += _own_includes(header, found[header])
    return dict(sorted(found.items()))


def _own_includes(header: str, data: bytes) -> Iterator[str]:
    """Yield the support headers that a support header includes, with angle brackets or by relative path."""
    for line in include_lines(data):
        if line.quoted:
            yield posixpath.normpath(posixpath.join(posixpath.dirname(header), line.operand))
        elif line.operand.startswith("hipport/"):
            yield line.operand
