"""Findings of hipport about a tree, by place and by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

WORD = re.compile(r"[A-Za-z_]\w{2,}")
_END = re.compile(r"\)\s*;\s*\\?\s*(?:[/}].*)?$")
"""Matches the end of an `asm` statement, behind its operands."""
_OF_BRANCHES = {"HP137"}
"""Findings about a condition, which are about the code that it selects, too."""
_OPENS, _ENDS = re.compile(r"\s*#\s*if"), re.compile(r"\s*#\s*(?:el|endif)")
_PREFIX = re.compile(r"^(?:hip|cuda|cu(?=[A-Z])|CUDA_?|HIP_?|CU_)")
_OF_FILES = {"HP118"}
"""Findings about a whole file, which stand in its first line."""
_OF_STATEMENTS = {"HP301", "HP302"}
"""Findings about an `asm` statement, which stand in its first line; compilers name the line of an operand."""
_KINDS = {"error", "warning"}
_COMMON = re.compile(
    r"const|unsigned|int|float|double|void|char|short|long|bool|struct|class|typename|template|auto|static|inline|std|type|"
    r"value|size|function|member|expression"
)


@dataclass(frozen=True)
class Findings:
    """The findings of a conversion: codes by source location, and by name without prefixes such as `cuda`."""

    places: Mapping[tuple[str, int], str]
    names: Mapping[str, str]


def findings(diagnostics: Iterable[Mapping[str, object]]) -> Findings:
    """Index what is at least a warning."""
    places: dict[tuple[str, int], str] = {}
    names: dict[str, str] = {}
    lines: dict[Path, list[str]] = {}
    for found in diagnostics:
        if found["severity"] not in _KINDS:
            continue
        path, line, code = Path(str(found["path"])).resolve(), int(str(found["line"])), str(found["code"])
        if path not in lines:
            lines[path] = path.read_text("utf-8", "replace").split("\n") if path.is_file() else []
        for number in lines_about(code, lines[path], line):
            places.setdefault((str(path), number), code)
        text = lines[path][line - 1] if line <= len(lines[path]) else ""
        for name in _names_in(str(found["message"]), text[int(str(found["column"])) - 1 :]):
            names.setdefault(name, code)
    return Findings(places, names)


def _names_in(message: str, code: str) -> Iterable[str]:
    """Yield the names that a message names, and that with which the code at its place begins."""
    here = WORD.match(code)
    for word in (*WORD.findall(message), *([here[0]] if here else ())):
        if not _COMMON.fullmatch(word) and ("_" in word or not word.islower()) and (name := bare(word)):
            yield name


def bare(name: str) -> str:
    """Return a name in lower case without prefixes; nothing is left of `CUDA` itself, which says nothing."""
    return _PREFIX.sub("", name).lower()


def lines_about(code: str, lines: Sequence[str], number: int) -> Iterable[int]:
    """Return the numbers of the lines that a finding is about."""
    if code in _OF_FILES:
        return range(1, len(lines) + 1)
    if code in _OF_STATEMENTS:
        ends = (last for last in range(number, len(lines) + 1) if _END.search(lines[last - 1]))
        return range(number, next(ends, number) + 1)
    if code in _OF_BRANCHES:
        return range(number, _end_of_branch(lines, number) + 1)
    return _joined(lines, number)


def _end_of_branch(lines: Sequence[str], number: int) -> int:
    """Return the number of the line that ends the branch which a line begins."""
    depth = 0
    for last in range(number + 1, len(lines) + 1):
        line = lines[last - 1]
        if _ENDS.match(line) and not depth:
            return last
        depth += bool(_OPENS.match(line)) - bool(re.match(r"\s*#\s*endif", line))
    return number


def _joined(lines: Sequence[str], number: int) -> Iterable[int]:
    """Return the numbers of the lines that backslashes join with one, such as those of a macro."""
    first = last = number
    while first > 1 and lines[first - 2 : first - 1] and lines[first - 2].rstrip().endswith("\\"):
        first -= 1
    while lines[last - 1 : last] and lines[last - 1].rstrip().endswith("\\"):
        last += 1
    return range(first, last + 1)
