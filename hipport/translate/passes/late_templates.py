"""Function templates defined behind an explicit instantiation that calls them.

`template void run<float>(P<float>);` is instantiated at the end of the file by nvcc, which finds `halo` through the
namespace of its arguments wherever it is defined. Clang instantiates it in its own place, so a declaration of `halo`
is inserted in front of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.files.facts import Kind, question
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.function_families import Found, functions, owner_of
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_INSTANTIATED = re.compile(r"template(?<![\w.:>]template)(?<![.:>]\stemplate)\s+(?!<)[^;{}=]*\)\s*;")
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_CALL = re.compile(r"\s*(?:<[^;{}]{0,200}>\s*)?\(")
_OTHERS = re.compile(r"(?:\.|->|::)\s*\Z")
_TYPE = re.compile(
    r"\b(?:struct|class|union|enum|using)\s+(?P<type>[A-Za-z_]\w*)\s*(?:final\s*)?[:;={]|\btypedef\b[^;]*?\b(?P<alias>[A-Za-z_]\w*)\s*;"
)
WORDS = (frozenset({"template"}),)


def run(work: Work) -> Iterator[Edit]:
    """Insert each declaration in front of the first explicit instantiation behind a call of the function."""
    unit = work.unit
    declared = {fact.subject for fact in work.facts(Kind.EXTERNAL)}
    found: dict[int, list[str]] = {}
    for name, at, text in _late_ones(work):
        if name not in declared:
            found.setdefault(at, []).append(text)
    newline = "\r\n" if "\r\n" in unit.code else "\n"
    for at, texts in found.items():
        yield Replace(at, at, "".join(f"{text};{newline}" for text in texts))


def asked(work: Work) -> Iterator[str]:
    """Yield questions about such functions: a header may declare them."""
    if "template" in work.unit.words:
        yield from (question(Kind.EXTERNAL, name) for name, _, _ in _late_ones(work))


def _late_ones(work: Work) -> Iterator[tuple[str, int, str]]:
    """Yield the name of each such function, where its declaration is needed, and the declaration."""
    places = [] if is_hip(work) else [*_instantiations(work.unit)]
    for name, group in functions(work.unit).items() if places else ():
        call = _called(work.unit, name)
        at = next((place for place in places if call is not None and place > call), None)
        text = _late(work, at, group) if at is not None else ""
        if at is not None and text:
            yield name, at, text


def _instantiations(unit: Unit) -> Iterator[int]:
    """Yield where the explicit instantiations of function templates begin."""
    for match in _INSTANTIATED.finditer(unit.code):
        start = match.start()
        if unit.directive_at(start) is None and platform_at(unit, start) is not Platform.NVIDIA:
            yield start


def _block(unit: Unit, node: Node | None) -> int:
    """Return where the namespace around a node begins; 0 outside of all."""
    while node is not None and node.type != "declaration_list":
        node = unit.parent(node)
    return node.start_byte if node is not None else 0


def _called(unit: Unit, name: str) -> int | None:
    """Return where a template calls a function by its plain name for the first time."""
    for _, offset in unit.occurrences(frozenset({name})):
        called = _CALL.match(unit.code, offset + len(name)) and not _OTHERS.search(
            unit.code, max(0, offset - 8), offset
        )
        node: Node | None = unit.node_at(Span(offset, offset + len(name))) if called else None
        while node is not None and node.type != "compound_statement":
            node = unit.parent(node)
        while node is not None and node.type != "template_declaration":
            node = unit.parent(node)
        if node is not None:
            return offset
    return None


def _late(work: Work, at: int, group: list[Found]) -> str:
    """Return the declaration of a function template that is defined behind an offset; "" if there is none to give."""
    unit = work.unit
    owner = owner_of(unit, group[0].node)
    template = unit.parent(owner) if owner is not None else None
    body = owner.child_by_field_name("body") if owner is not None else None
    if len(group) != 1 or template is None or body is None or template.type != "template_declaration":
        return ""
    span = Span(template.start_byte, body.start_byte)
    if span.start < at or _block(unit, template) != _block(unit, unit.node_at(Span(at, at + 1))):
        return ""
    text = unit.code[span.start : span.end].rstrip()
    plain = "=" not in text and not unit.has_directive(span) and unit.branch_at(span.start) == unit.branch_at(at)
    named = any(span.start <= found.span.start < span.end for found in work.references.found)
    return text if plain and not named and not _declares(unit, Span(at, span.start), group[0].node) else ""


def _declares(unit: Unit, span: Span, declarator: Node) -> bool:
    """Return whether a range declares a type of the parameters."""
    parameters = declarator.child_by_field_name("parameters")
    kinds = (each.child_by_field_name("type") for each in (parameters.named_children if parameters is not None else ()))
    names = {
        word for kind in kinds if kind is not None for word in _WORD.findall(unit.code[kind.start_byte : kind.end_byte])
    }
    return any((match["type"] or match["alias"]) in names for match in _TYPE.finditer(unit.code, span.start, span.end))
