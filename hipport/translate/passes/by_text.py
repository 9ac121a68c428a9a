"""Run passes for constructs that nvcc takes and Clang does not, imported where a pattern matches."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.work import Work

_ROWS = re.compile(r"\(\s*\*\s*(?:const\s+)?[A-Za-z_]\w*\s*\)\s*\[")
_MEMBER = re.compile(r"::\s*(?:~\s*)?[A-Za-z_]\w*\s*\(")
_LAST_WORD = re.compile(r"\s*(\w*[A-Za-z_])(?!\w)")
"""Matches the last name of text that is read backwards."""
_OF_TEMPLATE = re.compile(r">\s*::")
_SPECIALIZED = re.compile(
    r"[\w*&>]\s*\b[A-Za-z_]\w*\s*<[^;{}()]{1,120}?>\s*::\s*(?:operator\b|~?\s*[A-Za-z_]\w*\s*[({=;\[])"
)
_LONGEST = 400
"""Characters of a name and the blanks behind it."""
_CLASS = re.compile(r"\b(?:class|struct)\s+(?:[A-Z_]+\s+)?([A-Za-z_]\w*)")


def run(work: Work) -> Iterator[Edit]:
    """Run the passes whose constructs may be in the file."""
    code = work.unit.code
    if is_hip(work):
        return
    if _ROWS.search(code):
        from hipport.translate.passes import variable_rows

        yield from variable_rows.edits(work)
    if "::" in code and not _qualifying(code).isdisjoint(_CLASS.findall(code)):
        from hipport.translate.passes import extra_qualification

        yield from extra_qualification.edits(work)
    if _OF_TEMPLATE.search(code) and _SPECIALIZED.search(code):
        from hipport.translate.passes import unmarked_specializations

        yield from unmarked_specializations.edits(work)


def _qualifying(code: str) -> set[str]:
    """Return the names in front of `::` and a function, as in `Shape::area(`; such signs are fewer than names."""
    found = set()
    for match in _MEMBER.finditer(code):
        in_front = code[max(0, match.start() - _LONGEST) : match.start()]
        word = _LAST_WORD.match(in_front[::-1])
        if word is not None:
            found.add(word[1][::-1])
    return found
