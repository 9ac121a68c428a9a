"""The platform that preprocessor conditions select for a place, where the source names it."""

from __future__ import annotations

import enum

from hipport import lazy_re as re
from hipport.translate.syntax.lexer import Directive
from hipport.translate.syntax.unit import Unit

_TEST = re.compile(r"\s*(?P<no>!)?\s*(?:defined\s*\(?\s*)?(?P<macro>[A-Za-z_]\w*)\s*\)?\s*\Z")


class Platform(enum.Enum):
    """The platform that the code of a branch is compiled for."""

    ANY = "any"
    AMD = "amd"
    NVIDIA = "nvidia"


_MACROS = {
    "__HIP_PLATFORM_AMD__": Platform.AMD,
    "__HIP_PLATFORM_HCC__": Platform.AMD,
    "__HIP__": Platform.AMD,
    "__AMDGCN__": Platform.AMD,
    "__HIP_DEVICE_COMPILE__": Platform.AMD,
    "USE_ROCM": Platform.AMD,
    "__HIP_PLATFORM_NVIDIA__": Platform.NVIDIA,
    "__HIP_PLATFORM_NVCC__": Platform.NVIDIA,
}
_OPPOSITE = {Platform.AMD: Platform.NVIDIA, Platform.NVIDIA: Platform.AMD, Platform.ANY: Platform.ANY}


def platform_at(unit: Unit, offset: int) -> Platform:
    """Return the platform that the conditions around this offset select; ANY where they name none."""
    branches = unit.branch_at(offset)
    if not branches or unit.words.isdisjoint(_MACROS):
        return Platform.ANY
    for branch in branches:
        line = unit.branches[branch]
        if line.word == "else":
            first = unit.branches[(branch[0], 0)]
            asked = Platform.ANY if branch[1] > 1 else _OPPOSITE[_asks(first.word, _text(unit, first))]
        else:
            asked = _asks(line.word, _text(unit, line))
        if asked is not Platform.ANY:
            return asked
    return Platform.ANY


def _text(unit: Unit, line: Directive) -> str:
    return unit.code[line.body.start : line.body.end]


def _asks(word: str, condition: str) -> Platform:
    """Return the platform that a condition selects: a single test, or one of several joined by `&&`."""
    for test in condition.split("&&"):
        match = _TEST.match(test)
        if match is None:
            continue
        asked = _of_macro(match["macro"])
        if asked is not Platform.ANY:
            return _OPPOSITE[asked] if bool(match["no"]) != (word in ("ifndef", "elifndef")) else asked
    return Platform.ANY


def _of_macro(macro: str) -> Platform:
    return _MACROS.get(macro, Platform.ANY)
