"""Attributes behind CUDA's specifiers, `__device__ [[nodiscard]] int f();`: Clang takes them in front only."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.side_words import side_macros
from hipport.translate.work import Work

_NAMES = frozenset({"__device__", "__global__", "__host__"})
_WORDS = frozenset({"nodiscard", "maybe_unused", "deprecated", "noreturn", "gnu", "clang", "nv", "msvc", "using"})
"""The standard's attributes of functions, and where others come from."""
WORDS = (_NAMES, _WORDS)
_ATTRIBUTES = re.compile(r"\s*((?:\[\[[^\[\]]*\]\]\s*)+)")
_SPECIFIERS = re.compile(r"(?:\b__(?:device|global|host)__\s+)*\Z")
_LOOK_BACK = 60


def run(work: Work) -> Iterator[Edit]:
    """Move them in front of the specifiers, those of lambdas excepted."""
    code = work.unit.code
    names = _NAMES | side_macros(work.unit)
    in_front = re.build(rf"(?:\b(?:{'|'.join(sorted(names))})\s+)*\Z") if names != _NAMES else _SPECIFIERS
    for name, offset in work.unit.occurrences(names):
        end = offset + len(name)
        found = _ATTRIBUTES.match(code, end)
        if found is None or platform_at(work.unit, offset) is Platform.NVIDIA:
            continue
        before = in_front.search(code, max(0, offset - _LOOK_BACK), offset)
        start = before.start() if before is not None else offset
        if code[:start].rstrip().endswith("]"):
            continue
        kept = found[1].rstrip()
        yield Replace(start, start, f"{kept} ")
        # Line ends stay, so that lines keep their numbers.
        yield Replace(found.start(1), found.start(1) + len(kept if "\n" in found[1][len(kept) :] else found[1]), "")
