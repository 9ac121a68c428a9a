"""Split compiler flags that are not preceded by `--` from the arguments of a command."""

from __future__ import annotations

from collections.abc import Sequence

import click

_FLAGS = ("-f", "-m", "-pthread", "-isystem", "-include", "-idirafter", "-iquote")
"""Prefixes of compiler flags that hipport has no option for."""
_APART = frozenset({"-isystem", "-include", "-idirafter", "-iquote"})
_OURS = {"--genco": "--genco", "-save-temps": "--save-temps", "-###": "--dry-run"}
"""Compiler flags, translated from nvcc's options, for which hipport has options of its own."""


def split_flags(arguments: Sequence[str], own: Sequence[click.Parameter]) -> tuple[list[str], list[str]]:
    """Split arguments into those for hipport, whose options are `own`, and compiler flags, including nvcc's."""
    takes_value = {name: isinstance(each, click.Option) and not each.is_flag for each in own for name in each.opts}
    ours: list[str] = []
    flags: list[str] = []
    waiting = list(arguments)
    while waiting:
        count, replacement = (0, "") if waiting[0].partition("=")[0] in takes_value else _flag(waiting)
        if replacement:
            ours.append(replacement)
        elif count:
            flags += waiting[:count]
        else:
            count = 2 if takes_value.get(waiting[0]) else 1
            ours += waiting[:count]
        waiting = waiting[count:]
    return ours, flags


def _flag(waiting: Sequence[str]) -> tuple[int, str]:
    """Return the number of words of the next compiler flag, 0 if there is none, and hipport's option for it."""
    from hipport.buildfiles.arguments import nvcc_option, option_words

    word = waiting[0]
    if not word.startswith("-"):
        return 0, ""
    option = nvcc_option(word)
    if option is not None:
        return len(next(option_words(waiting))), _OURS.get(option.to or "", "")
    return (2 if word in _APART else 1) if word.startswith(_FLAGS) else 0, ""
