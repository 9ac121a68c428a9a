"""Calls that find a function in the namespace of an argument's class, as in `cudaFree(own::Buffer{8})`."""

from __future__ import annotations

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
    if any(re.search(rf"\b(?:struct|class)\s+{match[1]}\b", code) for match in made):
        return True
    variables = "|".join(_IDENTIFIER.findall(arguments))
    declared = rf"\b{owner}\s*::\s*(?:\w+\s*::\s*)*[A-Za-z_]\w*(?:\s*const)?(?:\s*&\s*|\s+)(?:{variables})\s*[;,=){{(]"
    return bool(variables) and re.search(declared, code) is not None
