"""A project's own template `T min(T a, T b)` for device code, which HIP's compilers have themselves.

CUDA has no such template. HIP's is for device code only: a template for host and device stays for the host, and one for
the device is excluded, because HIP's does the same; so are those behind macros for sides. `const T&` makes another
overload, which may stay. On NVIDIA GPUs, CUDA's overloads for numbers serve device code instead of a template that
stays for the host.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.guarding import guard
from hipport.translate.passes.mixed_types import NAMES
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.side_words import sides_in
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_VALUE = r"(?:const\s+)?(?P={})(?:\s+const)?"
_TEMPLATE = re.compile(
    r"\btemplate\s*<\s*(?:class|typename)\s+(?P<type>[A-Za-z_]\w*)\s*>(?P<words>[\w\s]*?)\b(?P=type)\s+(?:__\w+__\s+)*"
    rf"(?:min|max)\s*\(\s*{_VALUE.format('type')}(?:\s+\w+)?\s*,\s*{_VALUE.format('type')}(?:\s+\w+)?\s*\)\s*(?P<end>[{{;])"
)
_WORD = re.compile(r"(?P<word>\w+)\s*")
WORDS = (NAMES, frozenset({"template"}))


def run(work: Work) -> Iterator[Edit]:
    """Take `__device__` from templates for both sides, and exclude those for the device."""
    unit = work.unit
    if is_hip(work):
        return
    excluded: list[Span] = []
    for match in _TEMPLATE.finditer(unit.code):
        sides = dict(sides_in(unit, Span(match.start(), match.end())))
        device = next((place for place, meant in sides.items() if "__device__" in meant), None)
        if device is None or not _is_seen(unit, match.start()):
            continue
        if any("__host__" in meant for meant in sides.values()):
            yield _for_host(unit, device)
        else:
            close = matching_close(unit.code, match.start("end")) if match["end"] == "{" else match.start("end")
            excluded += [Span(match.start(), close + 1)] if close is not None else []
    yield from guard(unit, excluded, "HIP's own does the same")


def _for_host(unit: Unit, device: int) -> Edit:
    """Take the word for the device away; of a macro for both sides, the host's stays."""
    match = _WORD.match(unit.code, device)
    assert match is not None
    word = match["word"] == "__device__"
    return Replace(device, match.end() if word else match.end("word"), "" if word else "__host__")


def _is_seen(unit: Unit, offset: int) -> bool:
    """Return whether HIP's compilers see a declaration at file scope."""
    in_scope = unit.braces.has(Span(offset, offset))
    return not in_scope and unit.directive_at(offset) is None and platform_at(unit, offset) is not Platform.NVIDIA
