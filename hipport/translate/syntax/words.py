"""CUDA's own words and macros for them, which the C++ grammar does not know; they are blanked before parsing."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from hipport import lazy_re as re

ASSEMBLY = frozenset({"asm", "__asm__", "__asm"})
EXECUTION_SPACE = frozenset({"__global__", "__device__", "__host__"})
MEMORY_SPACE = frozenset({"__shared__", "__constant__", "__managed__", "__grid_constant__"})
PLAIN = frozenset(
    {
        "__forceinline__",
        "__noinline__",
        "__inline_hint__",
        "__restrict__",
        "__restrict",
        "__nv_pure__",
        "__cudart_builtin__",
        "__device_builtin__",
        "__tile_global__",
    }
)
WITH_ARGUMENTS = frozenset(
    {
        "__launch_bounds__",
        "__align__",
        "__builtin_align__",
        "__CUDA_ALIGN__",
        "__cluster_dims__",
        "__maxnreg__",
        "__block_size__",
        "__local_maxnreg__",
    }
)
DEVICE_WORDS = frozenset({"__global__", "__device__", "__shared__", "__constant__", "__managed__"})
"""Words that only a device compiler accepts."""
SIDE_MACRO = re.compile(
    r"\b(?:__)?(?:[A-Z0-9]+_)*"
    r"(?:(?:HOST_?DEVICE|DEVICE_?HOST|HOSTDEV|HOST|DEVICE|HD|DEV)(?:_(?:(?:FORCE_?)?INLINE|FUNC[A-Z_]*|CALLABLE[A-Z_]*|MEMBER))?"
    r"|(?:CUDA|GPU|XPU)_(?:INLINE|FUNC[A-Z_]*|CALLABLE[A-Z_]*|MEMBER|BOTH))(?:__)?\b"
    r"|\b__(?:[a-z0-9]+_)+(?:both|hd|host_?device|host|device)(?:__)?\b"
)
"""Matches macros that are `__host__`, `__device__` or both by their names."""
_FUNCTION = re.compile(r"\s+(?:[\w:]+[\s*&]+){1,5}(?:operator\b|~?[\w:]+\s*\()")
_DECLARED = re.compile(r"\s+(?:[A-Za-z_~]|::|\[\[)")
"""Match what is behind a macro in front of a function, and of any declaration."""
_OTHERWISE = re.compile(
    r"(?:[=(,<.&|?+*/%!-]|::|\b(?:return|case|goto|new|delete|throw|typedef|using|typename|enum))\s*\Z"
)
"""Matches what is in front of a name that is no such macro."""
_FARTHEST = 40
"""Characters in front of a name among which that is."""


def _tails(names: frozenset[str]) -> str:
    return "|".join(sorted(name.removeprefix("__") for name in names))


# Every word starts with `__`, which lets the regular expression engine skip quickly to where one may be.
PATTERN = re.compile(
    rf"__(?<![\w$]__)(?:({_tails(WITH_ARGUMENTS)})\s*(?=\()|(?:{_tails(EXECUTION_SPACE | MEMORY_SPACE | PLAIN)})\b)"
)
"""Matches any of the words; group 1 is set where an argument list follows."""


@functools.lru_cache(1 << 14)
def is_side_macro(word: str) -> bool:
    """Return whether a word is a macro for sides by its name; files of a tree have most words in common."""
    return (word.isupper() or word.startswith("__")) and SIDE_MACRO.fullmatch(word) is not None


def without_sides(text: str, places: Iterable[tuple[str, int]]) -> str:
    """Blank the macros for sides in front of declarations, given where the names of such are, in order.

    The grammar takes a macro in front of a function's type for the type. A name without a prefix, such as `DEVICE`, may
    be a type or a constant: it is blanked in front of functions only.
    """
    pieces: list[str] = []
    done = 0
    for name, start in places:
        end = start + len(name)
        behind = _DECLARED if "_" in name.strip("_") else _FUNCTION
        if behind.match(text, end) and not _OTHERWISE.search(text, max(0, start - _FARTHEST), start):
            pieces += (text[done:start], " " * len(name))
            done = end
    return "".join([*pieces, text[done:]]) if pieces else text
