"""Calls that find a function in the namespace of an argument's class, as in `cudaFree(own::Buffer{8})`."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from hipport import lazy_re as re
from hipport.translate.syntax.brackets import matching_close, skip_blanks, skip_blanks_back
from hipport.translate.syntax.unit import Unit

_IDENTIFIER = re.compile(r"(?:\A|,)\s*([A-Za-z_]\w*)\s*(?=,|\Z)")


def finds_own(unit: Unit, name: str, offset: int, owners: Iterable[str]) -> bool:
    """Return whether an unqualified call has an argument of a class in one of the namespaces.

    Such an argument is an object made in the call, or a variable that the file declares by value or reference.
    """
    code = unit.code
    opening = skip_blanks(code, offset + len(name))
    if code[opening : opening + 1] != "(" or code[: skip_blanks_back(code, offset)].endswith("::"):
        return False
    close = matching_close(code, opening)
    arguments = code[opening + 1 : close] if close is not None else ""
    return any(_has_class_of(code, arguments, owner) for owner in owners if owner)


def _has_class_of(code: str, arguments: str, owner: str) -> bool:
    made = re.finditer(rf"(?:\A|,)\s*(?:::\s*)?(?:\w+\s*::\s*)*{owner}\s*::\s*([A-Za-z_]\w*)\s*[({{]", arguments)
    if any(match[1] in _classes(code) for match in made):
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
