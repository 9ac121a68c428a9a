"""`uint3 t = threadIdx`: whole built-in variables, which HIP converts to dim3 only, and dim3 as uint3 and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport import lazy_re as re
from hipport.files.facts import Kind
from hipport.source import Edit, Replace, Span, Wrap
from hipport.translate.dataflow.aggregates import VECTOR_WORDS, Aggregates
from hipport.translate.dataflow.function import text_of
from hipport.translate.passes import insertion
from hipport.translate.syntax.brackets import skip_blanks
from hipport.translate.syntax.definitions import definition_at, is_declared_at
from hipport.translate.syntax.named_scopes import regions
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

NAMES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_HEADER = "hipport/compat/coordinates.h"
_BINDINGS = "hipport/compat/vector_bindings.h"
_REFERENCE = re.compile(
    r"(?:\b(?P<const>const)\s+)?\b(?P<type>auto|uint3|dim3)\s*&\s*(?:\w+|\[[\w\s,]*\])\s*[={(]\s*\Z"
)
_BINDING = re.compile(r"\bauto\s*&{0,2}\s*\[[\w\s,]*\]\s*[={(]\s*\Z")
_AS_DIM3 = re.compile(r"\bdim3\s*(?:\w+\s*[=({]|[({])\s*\Z")
_MEMBER = re.compile(r"(?:\.|->|::)\s*\Z")
_TYPES = {"threadIdx": "uint3", "blockIdx": "uint3", "blockDim": "dim3", "gridDim": "dim3"}
_UNEVALUATED = re.compile(r"\b(?:sizeof|decltype|typeof|__typeof__)\s*\(?\s*\Z")
_OPERAND = re.compile(r"\b(?:sizeof|decltype|typeof|__typeof__|defined)\s*\(?\s*\Z")
_BEHIND = re.compile(r"\s*\.\s*[xyz]\b")
_CONSTRUCTED = re.compile(r"\b(dim3|uint3)\s+\w+\s*[({]\s*\Z")
_MAKERS = {"dim3": "dim3", "make_uint3": "uint3"}
"""The types that calls of these names make."""
_DIM3_VARIABLE = re.compile(r"\bdim3\b[\s&]*(?:const\s+)?(\w+)\s*[=({;,)]")
_UINT3_VARIABLE = re.compile(r"\buint3\b[\s&]*(?:const\s+)?(\w+)\s*[=({;,)]")


def run(work: Work) -> Iterator[Edit]:
    """Wrap what has to be converted. References to it become constant, as the original is: it is a temporary."""
    wrapped: list[Replace | Wrap] = [*_whole(work), *_converted(work), *_made(work)]
    yield from _operands(work)
    yield from wrapped
    if not wrapped:
        return
    code, headers = work.unit.code, {_HEADER}
    for edit in wrapped:
        reference = _REFERENCE.search(code, max(0, edit.start - 100), edit.start)
        if reference is not None and not reference["const"]:
            yield Replace(reference.start("type"), reference.start("type"), "const ")
        bound = _BINDING.search(code, max(0, edit.start - 200), edit.start) is not None
        if bound and work.unit.words.isdisjoint(VECTOR_WORDS):  # else vector_declarations includes it
            headers.add(_BINDINGS)
    yield from insertion.include(work, headers, min(edit.start for edit in wrapped))


def used_coordinates(work: Work) -> Iterator[Span]:
    """Yield the uses of CUDA's built-in variables, none if the file declares one of them."""
    unit = work.unit
    places = unit.occurrences(NAMES)
    if NAMES & work.told(Kind.NAME):
        return
    found = [Span(offset, offset + len(name)) for name, offset in places]
    bare = [span for span in found if not _BEHIND.match(unit.code, span.end)]
    declared = [span for span in bare if is_declared_at(unit, _text(unit, span), span.start)]
    own = {name: [*_own_scopes(unit, name, declared)] for name in {_text(unit, span) for span in declared}}
    for span in found:
        before = unit.code[max(0, span.start - 20) : span.start]
        is_own = any(scope.start <= span.start < scope.end for scope in own.get(_text(unit, span), ()))
        if not is_own and span not in declared and not _MEMBER.search(before):
            yield span


def _own_scopes(unit: Unit, name: str, declared: Iterable[Span]) -> Iterator[Span]:
    """Yield where a name is the project's: where its declarations are visible, and the whole file if one is unclear."""
    for span in declared:
        if _text(unit, span) == name:
            found = definition_at(unit, name, span.start, NAMES.__contains__)
            yield found.scope if found is not None else Span(0, len(unit.code))
            if found is not None and found.owner:
                yield from regions(unit, found.owner, name)


def _text(unit: Unit, span: Span) -> str:
    return unit.code[span.start : span.end]


def _whole(work: Work) -> Iterator[Replace]:
    """Yield edits around built-in variables that are used as a whole, other than to initialize a dim3."""
    unit = work.unit
    for span in used_coordinates(work):
        line = unit.directive_at(span.start)
        if line is not None and (span.start < line.body.start or not _is_value(unit, line.name)):
            continue
        before = unit.code[max(0, span.start - 100) : span.start]
        if _BEHIND.match(unit.code, span.end) or _AS_DIM3.search(before) or _OPERAND.search(before):
            continue
        if platform_at(unit, span.start) is not Platform.NVIDIA and not before.endswith("coordinates("):
            yield _wrapped(unit, span)


def _operands(work: Work) -> Iterator[Replace]:
    """Yield edits of `sizeof(threadIdx)` and `decltype(blockDim)`: HIP's variables have empty types of their own."""
    unit = work.unit
    if not unit.words & {"sizeof", "decltype", "typeof", "__typeof__"}:
        return
    for span in used_coordinates(work):
        before = unit.code[max(0, span.start - 100) : span.start]
        if (
            _UNEVALUATED.search(before)
            and not _BEHIND.match(unit.code, span.end)
            and unit.directive_at(span.start) is None
        ):
            yield Replace(span.start, span.end, f"{_TYPES[_text(unit, span)]}{{}}")


def _is_value(unit: Unit, macro: str) -> bool:
    """Return whether a macro is used other than in front of a component."""
    places = [offset for name, offset in unit.occurrences(frozenset({macro})) if unit.directive_at(offset) is None]
    return any(not _BEHIND.match(unit.code, offset + len(macro)) for offset in places)


def _wrapped(unit: Unit, span: Span) -> Replace:
    return Replace(span.start, span.end, f"hipport::coordinates({_text(unit, span)})")


def _converted(work: Work) -> Iterator[Replace]:
    """Yield edits around variables of type dim3 where a uint3 is wanted, and the reverse."""
    unit = work.unit
    if "uint3" not in unit.words:
        return
    found = {match[1]: "dim3" for match in _DIM3_VARIABLE.finditer(unit.code)}
    found |= {match[1]: "uint3" for match in _UINT3_VARIABLE.finditer(unit.code)}
    types = Aggregates(unit)
    for name, offset in unit.occurrences(frozenset(found) - NAMES):
        span = Span(offset, offset + len(name))
        if unit.directive_at(offset) is not None or unit.code[skip_blanks(unit.code, span.end)] == ".":
            continue
        node = unit.node_at(span)
        kind = types.variable(node, name) if node is not None and node.type.endswith("identifier") else ""
        wanted = _wanted(types, node) if kind in ("dim3", "uint3") else ""
        if wanted in ("dim3", "uint3") and kind != wanted and platform_at(unit, offset) is not Platform.NVIDIA:
            yield _wrapped(unit, span)


def _made(work: Work) -> Iterator[Wrap]:
    """Yield edits around `dim3(2, 3)` where a uint3 is wanted, and around `make_uint3(1, 2, 3)` where a dim3 is."""
    unit = work.unit
    if "uint3" not in unit.words and "make_uint3" not in unit.words:
        return
    types = Aggregates(unit)
    for name, offset in unit.occurrences(frozenset(_MAKERS)):
        node = unit.node_at(Span(offset, offset + len(name)))
        call = unit.parent(node) if node is not None else None
        if call is None or call.type != "call_expression" or unit.directive_at(offset) is not None:
            continue
        wanted = _wanted(types, call)
        if wanted in ("dim3", "uint3") and wanted != _MAKERS[name] and platform_at(unit, offset) is not Platform.NVIDIA:
            yield Wrap(call.start_byte, call.end_byte, "hipport::coordinates(", ")")


def _wanted(types: Aggregates, node: Node | None) -> str:
    """Return the type that an expression initializes, is assigned to, is passed or returned as."""
    unit = types.unit
    around = unit.parent(node) if node is not None else None
    if node is None or around is None:
        return ""
    constructed = _CONSTRUCTED.search(unit.code, max(0, node.start_byte - 100), node.start_byte)
    if constructed is not None and unit.code[skip_blanks(unit.code, node.end_byte)] in ")}":
        return constructed[1]
    if around.type == "argument_list":
        return _passed(types, around, node)
    if around.type == "init_declarator" and unit.field(node) == "value":
        declaration = unit.parent(around)
        plain = around.child_by_field_name("declarator")
        named = plain is not None and plain.type == "identifier"
        return text_of(declaration.child_by_field_name("type")) if named and declaration is not None else ""
    if around.type == "assignment_expression" and unit.field(node) == "right":
        left = around.child_by_field_name("left")
        return types.variable(left, text_of(left)) if left is not None and left.type == "identifier" else ""
    return ""


def _passed(types: Aggregates, arguments: Node, node: Node) -> str:
    """Return the type of the parameter for an argument, or `dim3` in `dim3(v)`, `dim3 d(v)`, `<<<v, v>>>`."""
    unit = types.unit
    call = unit.parent(arguments)
    if call is None:
        return ""
    if call.type == "init_declarator":
        declaration = unit.parent(call)
        one = len(arguments.named_children) == 1
        return text_of(declaration.child_by_field_name("type")) if one and declaration is not None else ""
    called = text_of(call.child_by_field_name("function"))
    if called in ("dim3", "uint3"):
        return called
    index = arguments.named_children.index(node)
    if index < 2 and any(
        call.start_byte < launch.open.start < node.start_byte < launch.close.start for launch in unit.launches
    ):
        return "dim3"
    found = {types.parameter(declared, index) for declared in types.functions.get(called, [])}
    return found.pop() if len(found) == 1 else ""
