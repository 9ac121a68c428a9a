"""The conversion functions of a file: `operator int() const;` in a class, `Box::operator int() const {` outside.

The grammar reads them in several ways, behind macros with errors. So they are found by the text; the tree tells their
scopes. The path of the first is `app::Box::operator`; the type to convert to stands for a parameter.
"""

from __future__ import annotations

from collections import defaultdict

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.passes.function_families import (
    Declared,
    declared_at,
    enclosing_scopes,
    generic_path,
    numbered_parameters,
    with_numbers,
)
from hipport.translate.syntax.unit import Node, Unit

Families = list[tuple[tuple[str, ...], list[Declared]]]
_ARGUMENTS = r"(?:<(?:[^;{}()<>]|<[^;{}()<>]{0,80}>){0,80}>)?"
_CONVERSION = re.compile(
    rf"((?:\b[A-Za-z_]\w*\s?{_ARGUMENTS}\s?::\s?){{0,8}})\boperator\s+(?!(?:new|delete|co_await)\b)"
    r"([A-Za-z_:][\w:<>,*&\s]{0,120}?)\s*\(\s*(?:void)?\s*\)"
    r"\s*(const\b)?\s*&{0,2}\s*(?:noexcept(?:\s*\([^()]*\))?\s*)?(?:[A-Z_][A-Z0-9_]+\s*)*(?:(?:override|final)\s*)*([;{])"
)
QUALIFIED = re.compile(rf"\b([A-Za-z_]\w*)\s*{_ARGUMENTS}\s*::\s*operator\s+[A-Za-z_:]")
"""Matches the class in front of what may be a conversion function that is defined outside."""
_TIGHT = re.compile(r"\s+(?=[*&<>,:])|(?<=[*&<>,:])\s+")
_OWNERS = frozenset({"function_definition", "declaration", "field_declaration"})
_CODE = frozenset({"compound_statement", "initializer_list"})


def conversions(unit: Unit) -> Families:
    """Return the declarations of each conversion function that is defined at most once, with its signature."""
    if "conversions" not in unit.notes:
        found: dict[tuple[str, ...], list[Declared]] = defaultdict(list)
        for match in _CONVERSION.finditer(unit.code) if "operator" in unit.words else ():
            owner = _owner(unit, Span(match.end(1), match.end(2)))
            is_definition = match[4] == "{"
            if owner is not None and (each := declared_at(unit, match.start(), owner, is_definition)) is not None:
                found[_signature(unit, owner, match[1], match[2], match[3] or "")].append(each)
        unit.notes["conversions"] = [
            family for family in found.items() if sum(each.is_definition for each in family[1]) < 2
        ]
    known: Families = unit.notes["conversions"]
    return known


def _owner(unit: Unit, place: Span) -> Node | None:
    """Return the declaration or definition around a name outside of functions."""
    if unit.directive_at(place.start) is not None:
        return None
    owner: Node | None = None
    node: Node | None = unit.node_at(place)
    while node is not None:
        if node.type in _CODE:
            return None
        owner = owner or (node if node.type in _OWNERS else None)
        node = unit.parent(node)
    return owner


def _signature(unit: Unit, owner: Node, scopes: str, wanted: str, const: str) -> tuple[str, ...]:
    path = [*enclosing_scopes(unit, owner), *generic_path(unit, owner, f"{scopes}operator")]
    target = _TIGHT.sub("", with_numbers(" ".join(wanted.split()), numbered_parameters(unit, owner)))
    # `app::Box` outside of the namespace is `Box` inside.
    names = "|".join(re.escape(each) for each in path[:-1])
    wanted = re.sub(rf"(?<![\w:])(?:(?:{names})::)+", "", target) if names else target
    return "::".join(path), const, f"-> {wanted}"


def subjects(signature: tuple[str, ...]) -> list[str]:
    """Return the subject of facts about the conversion functions of the class of one, if the file says which."""
    parts = signature[0].split("::")
    return [conversion_subject(parts[-2].partition("<")[0])] if len(parts) > 1 else []


def conversion_subject(owner: str) -> str:
    return f"{owner}_operator"
