"""HP510: the numbers of enumerators that differ in HIP, `names[CUBLAS_OP_N]` and `(cublasOperation_t)flag`.

Literals become HIP's enumerators: `(cublasOperation_t)0`, `op == 1`, `case 2:` in a switch over such a type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Kind
from hipport.mappings.life import release
from hipport.source import Edit, Replace, Span
from hipport.translate.dataflow.function import bare, text_of
from hipport.translate.passes import enum_uses
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.enum_results import HANDLES, results
from hipport.translate.passes.enum_told import Told
from hipport.translate.passes.enum_uses import Use, Uses, whole_of
from hipport.translate.passes.enum_values import OWNER, STRUCTS, Values
from hipport.translate.passes.enum_zeros import ATTRIBUTES, empty_initializers, integer_behind, zero_of
from hipport.translate.passes.enumerators import ALIASES, TYPES, UNTIL
from hipport.translate.syntax.lexer import parameters
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

WORDS = (
    frozenset(
        {
            *TYPES,
            *ALIASES,
            *ATTRIBUTES,
            *HANDLES,
            *(struct for structs in STRUCTS.values() for struct in structs),
            *(name for rows in TYPES.values() for name, (cuda, _, hip) in rows.items() if cuda != hip),
        }
    ),
)
_KINDS = {
    enum_uses.KEPT: "is stored or printed as a number",
    enum_uses.INDEX: "is an index or a size",
    enum_uses.ARITHMETIC: "is used in arithmetic or compared with a number",
    enum_uses.COMPARED: "is compared with a number",
    enum_uses.ORDERED: "is compared by order",
    enum_uses.TRUTH: "is tested for zero",
}
_NUMBER = re.compile(r"(-?(?:0[xX][0-9a-fA-F]+|[1-9]\d*|0))[uUlL]*")
_FIELD = re.compile(r"\s+\w+\s*:\s*(\d+)\s*[;,]")
_STATUS = "Status_t"
_AROUND_TYPES = frozenset({"qualified_identifier", "type_descriptor", "parenthesized_expression", "enum_specifier"})
_ADVICE = "Map numbers to enumerators, and back, with a switch."

Found = Iterator[Edit | Diagnostic]


def run(work: Work) -> Found:
    """Translate literals that stand for enumerators, and report other uses of their numbers."""
    if is_hip(work):
        return
    values = Values(work.unit, work.own_names, Told.among(work.told(Kind.NUMBERED)), results(work))
    kept = dict[str, dict[Span, str]]()
    for name, start in work.unit.occurrences(values.variables | values.enumerators.keys()):
        yield from _of_value(work, values, name, Span(start, start + len(name)), kept)
    for name, start in work.unit.occurrences(kept.keys()):
        yield from _kept(work, values, name, Span(start, start + len(name)), kept[name])
    for name, start in work.unit.occurrences(frozenset(values.types)):
        if platform_at(work.unit, start) is not Platform.NVIDIA:
            yield from _of_type(work, values, name, Span(start, start + len(name)))
    for name, start in work.unit.occurrences(ATTRIBUTES.keys() & work.unit.words):
        if not _is_settled(work, ATTRIBUTES[name]) and (found := integer_behind(values, start)) is not None:
            span = Span(found[0], found[0] + len(found[1]))
            yield _report(work, span, ATTRIBUTES[name], f"{name} is given as a number by '{found[1]}'", "", "")


def _of_value(work: Work, values: Values, name: str, span: Span, kept: dict[str, dict[Span, str]]) -> Found:
    """Judge a use of a variable or an enumerator; add the integer that keeps a status, by its name and scope."""
    node = work.unit.node_at(span)
    if node is None or platform_at(work.unit, span.start) is Platform.NVIDIA or _is_parameter(work, name, span):
        return
    whole = whole_of(work.unit, node)
    type_ = values.type_of(_subscripted(whole))
    enumerator = values.enumerator_at(name, span.start)
    if not type_ or _is_settled(work, type_) or (enumerator and _is_same(type_, enumerator)):
        return
    use = Uses(values).of(whole)
    if use is not None and use.kind == enum_uses.COMPARED and values.is_certain(_subscripted(whole)):
        yield from _compared(work, type_, use)
    elif use is not None and _matters(type_, use.kind):
        yield _report(work, span, type_, f"'{name}' {_KINDS[use.kind]}", enumerator, use.kind)
    elif use is not None and use.kind == enum_uses.KEPT and not enumerator:
        integer = enum_uses.stored_in(work.unit, whole)
        scope = values.scope_of(text_of(integer), integer.start_byte) if integer is not None else None
        if scope is not None:
            kept.setdefault(text_of(integer), {})[scope] = type_


def _subscripted(node: Node) -> Node:
    """Return the array whose element an expression is, or the expression."""
    while node.type == "subscript_expression" and (array := node.child_by_field_name("argument")) is not None:
        node = array
    return node


def _is_parameter(work: Work, name: str, span: Span) -> bool:
    """Return whether a name is a parameter of the macro around it."""
    line = work.unit.directive_at(span.start)
    return line is not None and name in parameters(work.unit.code[line.span.start : line.body.start])


def _is_settled(work: Work, type_: str) -> bool:
    """Return whether HIP's numbers are CUDA's in the release that the translation is for."""
    return type_ in UNTIL and release(work.context.tables.releases.rocm) >= release(UNTIL[type_])


def _is_same(type_: str, enumerator: str) -> bool:
    cuda, _, hip = TYPES[type_][enumerator]
    return cuda == hip


def _matters(type_: str, kind: str) -> bool:
    """Return whether the numbers of a type differ in what a kind of use asks."""
    rows = TYPES[type_].values()
    if kind == enum_uses.TRUTH:
        return any((cuda == 0) != (hip == 0) for cuda, _, hip in rows)
    if kind == enum_uses.ORDERED:
        numbers = [hip for _, hip in sorted({(cuda, hip) for cuda, _, hip in rows})]
        return numbers != sorted(numbers)
    # Codes of errors are printed all the time, and their numbers mean little to anyone.
    return kind != enum_uses.KEPT or not type_.endswith(_STATUS)


def _kept(work: Work, values: Values, name: str, span: Span, scopes: Mapping[Span, str]) -> Found:
    """Report numbers with another meaning in HIP that an integer is compared with in which a status is stored."""
    scope = values.scope_of(name, span.start)
    node = work.unit.node_at(span) if scope in scopes else None
    use = Uses(values).of(node) if node is not None else None
    if use is None or use.kind != enum_uses.COMPARED or scope is None:
        return
    type_ = scopes[scope]
    for literal in _literals(use):
        match = _NUMBER.fullmatch(text_of(literal))
        number = int(match[1], 0) if match is not None else None
        meant = [each for each, (cuda, _, hip) in TYPES[type_].items() if cuda == number != hip]
        if meant:
            what = f"'{name}', which keeps a {type_}, is compared with a number"
            yield _report(work, Span(literal.start_byte, literal.end_byte), type_, what, meant[0], enum_uses.COMPARED)


def _literals(use: Use) -> Iterator[Node]:
    """Yield the literals that a value is compared with, by `==` or by the cases of a switch."""
    if use.other is not None:
        yield use.other
    waiting = list(use.switch.named_children) if use.switch is not None else []
    while waiting:
        node = waiting.pop()
        value = node.child_by_field_name("value") if node.type == "case_statement" else None
        if value is not None and bare(value).type in enum_uses.LITERALS:
            yield bare(value)
        if node.type != "switch_statement":
            waiting += node.named_children


def _compared(work: Work, type_: str, use: Use) -> Found:
    """Translate the literals that a value is compared with."""
    for literal in _literals(use):
        yield from _literal(work, type_, literal)


def _of_type(work: Work, values: Values, name: str, span: Span) -> Found:
    """Judge the operand of a cast to a type, and the width of a bit field."""
    type_, unit = values.type_at(name, span.start), work.unit
    if not type_ or _is_settled(work, type_):
        return
    field = _FIELD.match(unit.code, span.end)
    if field is not None and max(hip for _, _, hip in TYPES[type_].values()) >> int(field[1]):
        yield _report(work, span, type_, f"a bit field of {field[1]} bits is too small for HIP's numbers", "", "")
    if zero := zero_of(type_):
        for at in empty_initializers(unit.code, span.start, span.end):
            yield from _zero(work, zero, at)
    operand = _operand(work, span)
    if operand is not None:
        yield from _converted(work, values, type_, operand)


def _zero(work: Work, zero: str, at: int) -> Found:
    """Put the enumerator that is 0 in CUDA into empty brackets."""
    entry = work.context.tables.names.get(zero)
    if entry is not None and entry.hip is not None:
        yield Replace(at, at, entry.hip.name)


def _operand(work: Work, span: Span) -> Node | None:
    """Return what is cast to the type in a range: `(T)x`, `static_cast<T>(x)`, `T(x)`, `T{x}`."""
    unit, node = work.unit, work.unit.node_at(span)
    parent = unit.parent(node) if node is not None else None
    # Tree-sitter takes `(T)(x)` for a call.
    while node is not None and parent is not None and parent.type in _AROUND_TYPES:
        if parent.child_by_field_name("declarator") is not None:  # a pointer to it
            return None
        node, parent = parent, unit.parent(parent)
    if node is None or parent is None:
        return None
    if parent.type == "cast_expression":
        return parent.child_by_field_name("value")
    if parent.type == "template_argument_list":
        function = unit.parent(parent)
        named = text_of(function.child_by_field_name("name")) if function is not None else ""
        return _argument(unit.parent(function)) if function is not None and named in enum_uses.CASTS else None
    called = parent.type in ("call_expression", "compound_literal_expression")
    return _argument(parent) if called and unit.field(node) in ("function", "type") else None


def _argument(call: Node | None) -> Node | None:
    if call is None:
        return None
    arguments = call.child_by_field_name("arguments") or call.child_by_field_name("value")
    return arguments.named_child(0) if arguments is not None and arguments.named_child_count == 1 else None


def _converted(work: Work, values: Values, type_: str, operand: Node) -> Found:
    """Translate a literal that is cast to a type, maybe in the arms of a condition; report other numbers."""
    operand = bare(operand)
    if operand.type == "conditional_expression":
        for field in ("consequence", "alternative"):
            if (arm := operand.child_by_field_name(field)) is not None:
                yield from _converted(work, values, type_, arm)
    elif _NUMBER.fullmatch(text_of(operand)):
        yield from _literal(work, type_, operand)
    elif not (type_.endswith(_STATUS) or _keeps_meaning(values, type_, operand)):  # a library's own numbers are fine
        span = Span(operand.start_byte, operand.end_byte)
        yield _report(work, span, type_, f"a number becomes a {type_}", "", "")


def _keeps_meaning(values: Values, type_: str, operand: Node) -> bool:
    """Return whether an operand has the type already, or another one whose numbers change in the same way."""
    given = values.type_of(operand)
    if not given:
        kind = values.declared_as(text_of(operand), operand.start_byte) if operand.type == "identifier" else ""
        declared = re.build(rf"\benum\s+(?:class\s+|struct\s+)?{kind}\b[^{{}};]*\{{([^{{}}]*)\}}") if kind else None
        body = declared.search(values.unit.code) if declared is not None else None
        return body is not None and any(OWNER.get(word) == type_ for word in re.findall(r"\w+", body[1]))
    numbers = {cuda: hip for cuda, _, hip in TYPES[type_].values()}
    return given == type_ or all(numbers.get(cuda, hip) == hip for cuda, _, hip in TYPES[given].values())


def _literal(work: Work, type_: str, node: Node) -> Found:
    """Replace a number by the enumerator that it is in CUDA; report it if HIP lacks that, or has it for another."""
    span = Span(node.start_byte, node.end_byte)
    match = _NUMBER.fullmatch(text_of(node))
    if match is None:
        own = node.type not in enum_uses.LITERALS and type_.endswith(_STATUS)  # a variable with a library's number
        if not (own or (node.type == "false" and not _matters(type_, enum_uses.TRUTH))):
            yield _report(work, span, type_, f"a {type_} is compared with a number", "", "")
        return
    number = int(match[1], 0)
    rows = {name: row for name, row in TYPES[type_].items() if row[0] == number}
    entries = [work.context.tables.names.get(name) for name in rows]
    names = [entry.hip.name for entry in entries if entry is not None and entry.hip is not None]
    if names and any(hip != number for _, _, hip in rows.values()):
        yield Replace(span.start, span.end, names[0])
    elif not rows and any(hip == number for _, _, hip in TYPES[type_].values()):
        yield _report(work, span, type_, f"{number} is another {type_} in HIP", "", "")


def _report(work: Work, span: Span, type_: str, what: str, enumerator: str, kind: str) -> Diagnostic:
    rows = TYPES[type_]
    name = enumerator or next(name for name, (cuda, _, hip) in rows.items() if cuda != hip)
    cuda, hip, number = rows[name]
    severity = Severity.NOTE if kind == enum_uses.KEPT else Severity.WARNING
    return work.report(span, "HP510", severity, f"{what}: {name} is {cuda}, {hip} is {number}", _ADVICE)
