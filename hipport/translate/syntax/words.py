"""CUDA's own words, which the C++ grammar does not know; they are blanked before parsing."""

from __future__ import annotations

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


def _tails(names: frozenset[str]) -> str:
    return "|".join(sorted(name.removeprefix("__") for name in names))


# Every word starts with `__`, which lets the regular expression engine skip quickly to where one may be.
PATTERN = re.compile(
    rf"__(?<![\w$]__)(?:({_tails(WITH_ARGUMENTS)})\s*(?=\()|(?:{_tails(EXECUTION_SPACE | MEMORY_SPACE | PLAIN)})\b)"
)
"""Matches any of the words; group 1 is set where an argument list follows."""
