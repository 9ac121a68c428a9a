"""`x` and `y` of pairs of half numbers, which are the bits of them as integers in HIP before 6.0.

`__half2float(v.x)` converts that integer, and `v.x = h` rounds to one: both compile. The header's functions pass on
what has another type, so that they may stand where the type of an expression is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.mappings.life import release
from hipport.source import Edit, Replace
from hipport.translate.passes.constness import declared_type
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.insertion import include
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

HEADER = "hipport/compat/half_components.h"
_SINCE = (6, 0)
"""ROCm release from which on the components have their own type."""
_PAIRS = frozenset({"half2", "__half2"})
_COMPONENTS = frozenset({"x", "y"})
_ALIAS = r"\btypedef\s+(?:__half2|half2)\s+(\w+)\s*;|\busing\s+(\w+)\s*=\s*(?:__half2|half2)\s*;"
_TEMPLATE_TYPE = re.compile(r"\b(?:typename|class)\s+([A-Za-z_]\w*)\s*(?=[,>=])")
_MAKES = re.compile(
    r"__\w*half2\w*|make_half2|__h\w+2(?:_\w+)?|h2\w+|__(?:low|high)\w*2?half2|__lowhigh2highlow|__ldg|__shfl\w*"
)
WORDS = (_PAIRS,)


def run(work: Work) -> Iterator[Edit]:
    """Call the header's function for each component that may be one of a pair."""
    if release(work.context.tables.releases.rocm) >= _SINCE or is_hip(work):
        return
    unit, first = work.unit, None
    kinds = _kinds(unit)
    for field in unit.all_of("field_expression"):
        argument, name = field.child_by_field_name("argument"), field.child_by_field_name("field")
        if argument is None or name is None or _text(name) not in _COMPONENTS or not _may_be(unit, argument, kinds):
            continue
        if platform_at(unit, field.start_byte) is Platform.NVIDIA or unit.directive_at(field.start_byte) is not None:
            continue
        first = field.start_byte if first is None else first
        pointer = "*" if "->" in unit.code[argument.end_byte : name.start_byte] else ""
        yield Replace(argument.start_byte, argument.start_byte, f"hipport::compat::half_{_text(name)}({pointer}")
        yield Replace(argument.end_byte, name.end_byte, ")")
    if first is not None:
        yield from include(work, (HEADER,), first)


def _kinds(unit: Unit) -> re.Pattern[str]:
    """Return the pattern of types that are, or may be, pairs: their names, aliases, `auto` and template parameters."""
    aliases = {name for match in re.build(_ALIAS).finditer(unit.code) for name in match.groups() if name}
    open_types = {match[1] for match in _TEMPLATE_TYPE.finditer(unit.code)}
    return re.build(rf"\b(?:{'|'.join(sorted(_PAIRS | aliases | open_types | {'auto'}))})\b")


def _may_be(unit: Unit, node: Node, kinds: re.Pattern[str]) -> bool:
    """Return whether an expression, or what it points to, may be a pair."""
    text = _text(node)
    if node.type == "identifier":
        kind = declared_type(unit, text, node.start_byte)
        return kind is not None and kinds.search(kind) is not None
    if node.type == "field_expression":
        member = node.child_by_field_name("field")
        return member is not None and _is_member(unit, _text(member), kinds)
    if node.type == "call_expression":
        function = node.child_by_field_name("function")
        called = _text(function) if function is not None else ""
        return kinds.search(called) is not None or _MAKES.fullmatch(called) is not None or _returns(unit, called, kinds)
    if node.type in ("cast_expression", "compound_literal_expression"):
        return kinds.search(text.partition("(")[2] if node.type == "cast_expression" else text) is not None
    if node.type in ("binary_expression", "conditional_expression", "assignment_expression", "unary_expression"):
        return any(_may_be(unit, child, kinds) for child in node.named_children)
    inner = node.child_by_field_name("argument") or (node.named_child(0) if node.named_child_count else None)
    return inner is not None and _may_be(unit, inner, kinds)


def _is_member(unit: Unit, name: str, kinds: re.Pattern[str]) -> bool:
    return (
        re.build(rf"{kinds.pattern}[\s*&]+(?:\w+(?:\[[^\]]*\])*\s*,\s*)*{name}\b\s*[;,=\[{{]").search(unit.code)
        is not None
    )


def _returns(unit: Unit, name: str, kinds: re.Pattern[str]) -> bool:
    return name.isidentifier() and re.build(rf"{kinds.pattern}[\s*&]+{name}\s*\(").search(unit.code) is not None


def _text(node: Node) -> str:
    return node.text.decode("latin-1") if node.text is not None else ""
