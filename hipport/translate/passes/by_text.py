"""Run passes for constructs that nvcc takes and Clang does not, imported where a pattern matches."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.work import Work

_ROWS = re.compile(r"\(\s*\*\s*(?:const\s+)?[A-Za-z_]\w*\s*\)\s*\[")
_QUALIFIED = re.compile(r"\b([A-Za-z_]\w*)\s*::\s*(?:~\s*)?[A-Za-z_]\w*\s*\(")
_SPECIALIZED = re.compile(
    r"[\w*&>]\s*\b[A-Za-z_]\w*\s*<[^;{}()]{1,120}?>\s*::\s*(?:operator\b|~?\s*[A-Za-z_]\w*\s*[({=;\[])"
)
_CLASS = re.compile(r"\b(?:class|struct)\s+(?:[A-Z_]+\s+)?([A-Za-z_]\w*)")


def run(work: Work) -> Iterator[Edit]:
    """Run the passes whose constructs may be in the file."""
    code = work.unit.code
    if is_hip(work):
        return
    if _ROWS.search(code):
        from hipport.translate.passes import variable_rows

        yield from variable_rows.edits(work)
    if "::" in code and {*_CLASS.findall(code)} & {*_QUALIFIED.findall(code)}:
        from hipport.translate.passes import extra_qualification

        yield from extra_qualification.edits(work)
    if _SPECIALIZED.search(code):
        from hipport.translate.passes import unmarked_specializations

        yield from unmarked_specializations.edits(work)
