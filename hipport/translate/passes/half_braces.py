"""`sums = {};` for a pair of halves, which is ambiguous with HIP's class because it has several assignments."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_PAIRS = frozenset({"half2", "__half2"})
_ASSIGNMENT = re.compile(r"(?<=[;{})])\s*([A-Za-z_]\w*)\s*=\s*(?=\{)")
WORDS = (_PAIRS,)


def run(work: Work) -> Iterator[Edit]:
    """Insert the type in front of the braces."""
    for match in _ASSIGNMENT.finditer(work.unit.code):
        function = work.flow.function_at(match.start(1))
        variable = function.variable(match[1], match.start(1)) if function is not None else None
        if variable is None or variable.type not in _PAIRS or variable.pointer or variable.sizes:
            continue
        if platform_at(work.unit, match.start(1)) is not Platform.NVIDIA:
            yield Replace(match.end(), match.end(), variable.type)
