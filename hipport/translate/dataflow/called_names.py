"""Names of functions that a file declares and calls, and what it has to ask other files about them."""

from __future__ import annotations

import bisect
import functools
from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.files.facts import Fact, question
from hipport.files.facts import Kind as FactKind
from hipport.translate.dataflow.cross_lane import CROSS_LANE
from hipport.translate.dataflow.shapes import asked_shapes
from hipport.translate.syntax.brackets import matching_close, split_arguments
from hipport.translate.syntax.declarations import after_parameters
from hipport.translate.syntax.unit import Unit

LANE_WORDS = CROSS_LANE | {"warpSize", "tiled_partition"}
"""Words of code that may depend on the number of lanes."""
_WAVE_WORDS = frozenset({"warpSize", "cudaDevAttrWarpSize", "hipDeviceAttributeWarpSize"})
_SPLIT_BY_32 = re.compile(r"(?:3(?<!\w3)[12]|5(?<!\w5)|0(?<!\w0)[xX]1[fF])[uU]?\b")
_INCLUDES = re.compile(rb'include[ \t]*"')
_DIRECTIVE = re.compile(rb"[ \t]*#[ \t]*")
_PTX_IN_FILE = re.compile(rb"%(?:laneid|lanemask_|warpid)|\b(?:shfl|vote|match|redux)\.")
_CALLED = re.compile(r"(?:[({]|<<<)\s*(?:>[\w\s,:*&]*<\s*)?(\w*[A-Za-z_])(?!\w)")
"""Matches a call in code that is read backwards, since brackets are fewer than words."""
_DECLARED = re.compile(r"(?:__\w+__\s*\([^()]*\)|[^;{}()=])*?\b([A-Za-z_]\w*)(\s*)\(")
_CONSTRUCTED = re.compile(r"[({]\s*\w*[A-Za-z_](?!\w)\s+(\w*[A-Za-z_])(?!\w)")
"""Matches a variable with arguments, backwards, and the type in front of it."""
_SIZE_NAME = re.compile(r"warp|lane|wave|width", re.IGNORECASE)
_OTHER_NUMBER = re.compile(r"\s*(?!32[uUlL]*\s*\Z)\d\w*\s*\Z")
_NO_FUNCTIONS = frozenset(
    {"if", "for", "while", "switch", "return", "sizeof", "alignof", "decltype", "static_assert", "catch", "asm"}
)


def declared_functions(unit: Unit) -> Iterator[str]:
    """Yield the device functions that a file declares without a body, and that a file may define that is linked."""
    for word in unit.shadow.device_words:
        match = _DECLARED.match(unit.code, word.end) if unit.directive_at(word.start) is None else None
        close = matching_close(unit.code, match.end(1) + len(match[2])) if match is not None else None
        end = after_parameters(unit.code, close + 1) if close is not None else None
        if match is not None and end is not None and unit.code[end] == ";":
            yield match[1]


def may_show(unit: Unit) -> bool:
    """Return whether functions of a file may show how many lanes a warp has."""
    if not unit.words.isdisjoint(LANE_WORDS):
        return True
    numbers = "threadIdx" in unit.words and _SPLIT_BY_32.search(unit.code) is not None
    return numbers or (b"asm" in unit.source.text and _PTX_IN_FILE.search(unit.source.text) is not None)


def has_device_code(unit: Unit) -> bool:
    """Return whether a file has device functions, macros that use words of device code, or launches."""
    return (
        bool(unit.shadow.device_words) or bool(unit.launches) or not unit.words.isdisjoint(LANE_WORDS | {"threadIdx"})
    )


def includes_own(unit: Unit) -> bool:
    """Return whether a file includes files by names in quotation marks."""
    text = unit.source.text
    return any(
        _DIRECTIVE.fullmatch(text, text.rfind(b"\n", 0, match.start()) + 1, match.start())
        for match in _INCLUDES.finditer(text)
    )


def called_names(unit: Unit) -> Iterator[str]:
    """Yield the questions about what device code of a file may call in files that it includes.

    Signs without a function stand for what the file itself may say about the lanes of a warp: it needs to know no more
    if all that it calls says the same.
    """
    if has_device_code(unit) and (includes_own(unit) or any(declared_functions(unit))):
        if not unit.words.isdisjoint(_WAVE_WORDS):
            yield str(Fact(FactKind.SIGN, value="0"))
        if may_show(unit):
            yield str(Fact(FactKind.SIGN, value="32"))
        names = calls_in(unit.code).names(0, len(unit.code))
        yield from (question(FactKind.SIGN, name) for name in names)
        yield from asked_shapes(unit, names)
        yield from (name for name in unit.words if _SIZE_NAME.search(name))  # maybe handed to one of them


def launches_half_blocks(unit: Unit) -> bool:
    """Return whether a launch of the file may have blocks of 32 threads."""
    code = unit.code
    blocks = (split_arguments(code, each.open.end, each.close.start)[1:2] for each in unit.launches)
    return any(not _OTHER_NUMBER.match(code, block.start, block.end) for each in blocks for block in each)


class Calls(Struct, frozen=True):
    """Names in front of parentheses or braces, and those of types of variables there: constructors.

    `found` are the places where each name begins and its bracket ends, in order, with the name.
    """

    found: tuple[tuple[int, int, str], ...]

    def names(self, start: int, end: int) -> set[str]:
        """Return the names in a range of the code."""
        first = bisect.bisect_left(self.found, (start, 0, ""))
        behind = bisect.bisect_left(self.found, (end, 0, ""))
        return {name for _, close, name in self.found[first:behind] if close <= end}


@functools.lru_cache(maxsize=2)
def calls_in(code: str) -> Calls:
    backwards, length = code[::-1], len(code)
    found = [
        (length - match.end(), length - match.start(), match[1][::-1])
        for pattern in (_CALLED, _CONSTRUCTED)
        for match in pattern.finditer(backwards)
    ]
    no_calls = ("__", "cuda", "hip")
    named = (each for each in found if each[2] not in _NO_FUNCTIONS and not each[2].startswith(no_calls))
    return Calls(tuple(sorted(named)))
