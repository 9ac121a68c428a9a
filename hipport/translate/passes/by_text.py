"""Run passes for constructs that nvcc takes and Clang does not, imported where a pattern or a fact asks for them."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic
from hipport.files.facts import Kind
from hipport.source import Edit
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.work import Work

_ROWS = re.compile(r"\(\s*\*\s*(?:const\s+)?[A-Za-z_]\w*\s*\)\s*\[")
_MEMBER = re.compile(r"::\s*(?:~\s*)?[A-Za-z_]\w*\s*\(")
_ATTRIBUTES = ("_NODISCARD", "_NO_DISCARD", "_MAYBE_UNUSED", "_NORETURN")
"""Ends of macros that are attributes by their names."""
_LAST_WORD = re.compile(r"\s*(\w*[A-Za-z_])(?!\w)")
"""Matches the last name of text that is read backwards."""
_OF_SPECIALIZED = re.compile(r">\s*::\s*(?:operator\b|~?\s*[A-Za-z_]\w*\s*[({=;\[])")
_SPECIALIZED = re.compile(r"[\w*&>]\s*\b[A-Za-z_]\w*\s*<[^;{}()]{1,120}\Z")
"""Match a member that is defined, from the last `>` on, and what stands in front of that."""
_FARTHEST = 300
"""Characters of a specialization's name, and of the end of what is in front of it."""
_LONGEST = 400
"""Characters of a name and the blanks behind it."""
_CLASSES = tuple(re.compile(rf"\b{word}\s+(?:[A-Z_]+\s+)?([A-Za-z_]\w*)") for word in ("class", "struct"))


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Run the passes whose constructs may be in the file."""
    code = work.unit.code
    if is_hip(work):
        return
    if macros := frozenset(word for word in work.unit.words if word.endswith(_ATTRIBUTES) and word.isupper()):
        from hipport.translate.passes import attribute_macros

        yield from attribute_macros.edits(work, macros)
    if work.told(Kind.LATER):
        from hipport.translate.passes import later_sides, later_specializations

        yield from later_sides.edits(work)
        yield from later_specializations.edits(work)
    if _ROWS.search(code):
        from hipport.translate.passes import variable_rows

        yield from variable_rows.edits(work)
    if "::" in code and _has_class(code, _qualifying(code)):
        from hipport.translate.passes import extra_qualification

        yield from extra_qualification.edits(work)
    if _is_specialized(code):
        from hipport.translate.passes import unmarked_specializations

        yield from unmarked_specializations.edits(work)


def _has_class(code: str, names: set[str]) -> bool:
    """Return whether a file has one of these classes."""
    return bool(names) and any(not names.isdisjoint(pattern.findall(code)) for pattern in _CLASSES)


def _is_specialized(code: str) -> bool:
    """Return whether a file may define a member of a specialization; such signs are fewer than names."""
    ends = (match.start() for match in _OF_SPECIALIZED.finditer(code))
    return any(_SPECIALIZED.search(code, max(0, end - _FARTHEST), end) for end in ends)


def _qualifying(code: str) -> set[str]:
    """Return the names in front of `::` and a function, as in `Shape::area(`; such signs are fewer than names."""
    found = set()
    for match in _MEMBER.finditer(code):
        in_front = code[max(0, match.start() - _LONGEST) : match.start()]
        word = _LAST_WORD.match(in_front[::-1])
        if word is not None:
            found.add(word[1][::-1])
    return found
