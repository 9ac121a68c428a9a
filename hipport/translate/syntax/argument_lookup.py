"""Calls whose arguments tell which function of a name is meant.

They find a function in the namespace of an argument's class, as in `cudaFree(own::Buffer{8})`, and CUDA's where the
project's of that name take another number of arguments.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from hipport import lazy_re as re
from hipport.translate.syntax.brackets import matching_close, skip_blanks, skip_blanks_back, split_arguments
from hipport.translate.syntax.definitions import Definition
from hipport.translate.syntax.unit import Unit

_IDENTIFIER = re.compile(r"(?:\A|,)\s*([A-Za-z_]\w*)\s*(?=,|\Z)")


def finds_own(unit: Unit, name: str, offset: int, owners: Iterable[str]) -> bool:
    """Return whether an unqualified call has an argument of a class in one of the namespaces.

    Such an argument is an object made in the call, with braces if its class is in another file, or a variable that the
    file declares by value or reference.
    """
    code = unit.code
    opening = skip_blanks(code, offset + len(name))
    if code[opening : opening + 1] != "(" or code[: skip_blanks_back(code, offset)].endswith("::"):
        return False
    close = matching_close(code, opening)
    arguments = code[opening + 1 : close] if close is not None else ""
    return any(_has_class_of(code, arguments, owner) for owner in owners if owner)


def counts_of(unit: Unit, name: str, definitions: Iterable[Definition]) -> frozenset[int]:
    """Return how many arguments the functions that a file defines take; empty if anything else has the name."""
    found: set[int] = set()
    for definition in (each for each in definitions if each.at >= 0):
        parameters = _between_parentheses(unit, definition.at + len(name))
        if parameters is None or definition.is_variable or any("..." in each for each in parameters):
            return frozenset()
        required = [each for each in parameters if "=" not in each]
        found.update(range(len(required), len(parameters) + 1))
    return frozenset() if name in unit.macros else frozenset(found)


def has_other_count(unit: Unit, name: str, offset: int, counts: frozenset[int]) -> bool:
    """Return whether an unqualified call has as many arguments as none of the functions takes."""
    arguments = _between_parentheses(unit, offset + len(name)) if counts else None
    if arguments is None or unit.code[: skip_blanks_back(unit.code, offset)].endswith("::"):
        return False
    return len(arguments) not in counts and not any("..." in each for each in arguments)


def _between_parentheses(unit: Unit, offset: int) -> list[str] | None:
    """Return the arguments or parameters of the list that follows; None if none does."""
    opening = skip_blanks(unit.code, offset)
    close = matching_close(unit.code, opening) if unit.code[opening : opening + 1] == "(" else None
    if close is None:
        return None
    parts = [unit.code[part.start : part.end] for part in split_arguments(unit.code, opening + 1, close)]
    return [part for part in parts if part not in ("", "void")]


def _has_class_of(code: str, arguments: str, owner: str) -> bool:
    made = re.finditer(rf"(?:\A|,)\s*(?:::\s*)?(?:\w+\s*::\s*)*{owner}\s*::\s*([A-Za-z_]\w*)\s*([({{])", arguments)
    if any(match[2] == "{" or match[1] in _classes(code) for match in made):
        return True
    return not _variables(code, owner).isdisjoint(_IDENTIFIER.findall(arguments))


@functools.lru_cache(maxsize=2)
def _classes(code: str) -> frozenset[str]:
    return frozenset(re.findall(r"\b(?:struct|class)\s+([A-Za-z_]\w*)", code))


@functools.lru_cache(maxsize=16)
def _variables(code: str, owner: str) -> frozenset[str]:
    """Return the variables and parameters of classes in a namespace, by value or reference."""
    kind = rf"\b{owner}\s*::\s*(?:\w+\s*::\s*)*[A-Za-z_]\w*(?:\s*const)?(?:\s*&\s*|\s+)"
    return frozenset(re.findall(rf"{kind}([A-Za-z_]\w*)\s*[;,=){{(]", code))
