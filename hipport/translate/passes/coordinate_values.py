"""`auto i = threadIdx.x`, `min(n, blockDim.x)`: before ROCm 6.1 `threadIdx.x` is an object, in CUDA a number.

It converts to a number, so it is given CUDA's type only where its own type would count: where a type is deduced from
it, by `auto`, `decltype` or a template, where it chooses among overloads, and in `sizeof`.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.mappings.life import release
from hipport.source import Edit, Span, Wrap
from hipport.translate.dataflow.aggregates import Aggregates
from hipport.translate.dataflow.function import text_of
from hipport.translate.passes.coordinates import NAMES, used_coordinates
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_PLAIN = (6, 1)
"""The first ROCm release where `threadIdx.x` is a number."""
_COMPONENT = re.compile(r"\s*\.\s*[xyz]\b")
_WHOLE = re.compile(r"\s*[;,)}\]]")
_DEDUCED = re.compile(
    r"""\bauto\s+\w+\s*(?:=\s*|\(\s*|\{\s*)\Z
    | (?:\bconst\s+auto\s*&|\bauto\s+const\s*&|\bauto\s*&&)\s*\w+\s*=\s*\Z
    | \b(?:sizeof|alignof|decltype|typeof|__typeof__)\s*\(\s*\Z""",
    re.VERBOSE,
)
_MAYBE = re.compile(r"[(,=]\s*\Z")
_CAPTURE = "lambda_capture_initializer"
_ONE_TYPE = re.compile(
    r"""atomic\w+|make_\w+|cu\w+|hip\w+|tex\w+|surf\w+|__\w+|printf|assert|dim3|uint3
    | unsigned|signed|int|char|short|long|float|double|bool|half|u?int\d*|\w+_t|\w+_cast""",
    re.VERBOSE,
)
_BETWEEN_LANES = re.compile(r"__(?:shfl|match|reduce)\w*?(?P<sync>_sync)?")
"""Matches the functions whose value may have any type: the argument after the mask, or the first without a mask."""
"""Matches types, and functions of CUDA whose overload is never chosen by such an argument alone."""
WORDS = (NAMES,)


def run(work: Work) -> Iterator[Edit]:
    """Give components of built-in variables the type `unsigned` where their own would count."""
    if release(work.context.tables.releases.rocm) >= _PLAIN:
        return
    unit, types = work.unit, Aggregates(work.unit)
    for span in used_coordinates(work):
        match = _COMPONENT.match(unit.code, span.end)
        if match is None or platform_at(unit, span.start) is Platform.NVIDIA:
            continue
        line = unit.directive_at(span.start)
        alias = line.name if line is not None and _is_whole(unit, line, Span(span.start, match.end())) else ""
        places = [Span(at, at + len(name)) for name, at in unit.occurrences(frozenset({alias}))] if alias else [span]
        if any(_counts_at(types, place, match.end() if place == span else place.end) for place in places):
            yield Wrap(span.start, match.end(), "static_cast<unsigned>(", ")")


def _is_whole(unit: Unit, line: Directive, span: Span) -> bool:
    """Return whether a macro's whole value is a component: `#define TX threadIdx.x`."""
    body = unit.code[line.body.start : line.body.end].strip("() \t\r\n")
    return line.kind is DirectiveKind.DEFINE and body == unit.code[span.start : span.end]


def _counts_at(types: Aggregates, place: Span, end: int) -> bool:
    code = types.unit.code
    if not _WHOLE.match(code, end):
        return False
    before = code[max(0, place.start - 100) : place.start]
    return bool(_DEDUCED.search(before) or (_MAYBE.search(before) and _type_counts(types, place)))


def _type_counts(types: Aggregates, span: Span) -> bool:
    """Return whether a component initializes another variable of `auto`, or is an argument whose type counts."""
    node = types.unit.node_at(span)
    value = types.unit.parent(node) if node is not None and _COMPONENT.match(types.unit.code, span.end) else node
    around = types.unit.parent(value) if value is not None else None
    if value is None or around is None:
        return False
    if around.type == "init_declarator":
        declaration = types.unit.parent(around)
        named = around.child_by_field_name("declarator")
        plain = named is not None and named.type == "identifier"
        return plain and declaration is not None and text_of(declaration.child_by_field_name("type")) == "auto"
    return around.type == _CAPTURE or (around.type == "argument_list" and _chooses(types, around, value))


def _chooses(types: Aggregates, arguments: Node, value: Node) -> bool:
    """Return whether the callee may be a template or one of several overloads: neither is known of other files."""
    call = types.unit.parent(arguments)
    callee = call.child_by_field_name("function") if call is not None and call.type == "call_expression" else None
    if callee is None or callee.type not in ("identifier", "qualified_identifier", "field_expression"):
        return False
    name = text_of(callee).rpartition("::")[2]
    declared = types.functions.get(name, [])
    if declared:
        parents = [types.unit.parent(node) for node in declared]
        return len(declared) > 1 or any(parent and parent.type == "template_declaration" for parent in parents)
    if between := _BETWEEN_LANES.fullmatch(name):
        return arguments.named_children.index(value) == (1 if between["sync"] else 0)
    return not _ONE_TYPE.fullmatch(name)
