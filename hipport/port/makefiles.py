"""Find Makefiles, and the place in them that an error of make is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

_NAMES = ("GNUmakefile", "makefile", "Makefile")
"""Names that make takes by itself, in its order."""
_RULE = re.compile(r"^(?P<targets>[^\t#=:][^#=:]*)::?(?!=)(?P<rest>[^#]*)")


def place_of_rule(folder: str, target: str, prerequisite: str) -> tuple[str, int] | None:
    """Return the Makefile in a folder, and the line of its rule, for a target that lacks a prerequisite.

    Names in Makefiles are often made of variables (`$(OBJ)/a.o: $(SRC)/a.cu`), so the last parts of the names count:
    a rule with both comes before one of the target, and this before any line with the prerequisite. `target` may be
    empty: then make was asked for the prerequisite itself. None if there is no such line.
    """
    wanted, lacked = (_last_part(name) for name in (target, prerequisite))
    lines = list(_lines(folder))
    rules = [(place, rule) for place, line in lines if (rule := _RULE.match(line))]
    both = (place for place, rule in rules if _names(rule["targets"], wanted) and _names(rule["rest"], lacked))
    of_target = (place for place, rule in rules if _names(rule["targets"], wanted))
    anywhere = (place for place, line in lines if _names(line, lacked))
    return next((place for places in (both, of_target, anywhere) for place in places), None)


def _lines(folder: str) -> Iterator[tuple[tuple[str, int], str]]:
    """Yield the lines of the Makefiles in a folder that are no recipes, with their places; continued lines as one."""
    for path in makefiles_of(folder):
        try:
            lines = path.read_text("utf-8", "replace").split("\n")
        except OSError:
            continue
        yield from ((((str(path)), number), line) for number, line in _joined(lines) if not line.startswith("\t"))


def _joined(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield lines with those that continue them, by the number of the first, counted from 1."""
    first, text = 1, ""
    for number, line in enumerate(lines, 1):
        first = first if text else number
        text += line.removesuffix("\\")
        if not line.endswith("\\"):
            yield first, text
            text = ""


def makefiles_of(folder: str) -> list[Path]:
    """Return the Makefiles in a folder: what make takes by itself, and then those that a command names."""
    try:
        found = sorted(path for path in Path(folder).iterdir() if re.search(r"(?i)makefile|\.mk$", path.name))
    except OSError:
        return []
    return sorted(found, key=lambda path: _NAMES.index(path.name) if path.name in _NAMES else len(_NAMES))


def _names(text: str, name: str) -> bool:
    """Return whether a part of a Makefile has a name as the last part of a path."""
    return bool(name) and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", text) is not None


def _last_part(name: str) -> str:
    return name.rpartition("/")[2]
