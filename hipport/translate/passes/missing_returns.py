"""Device functions that end, or return, without the value that they promise.

nvcc compiles the rest of such a function as it stands, and the result is undefined only for those who use it. Clang
takes the path for impossible: it removes the code in front of it, up to whole kernels. In front of `return;` without a
value it stops. A value is added where the type has an obvious one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span
from hipport.translate.dataflow.aggregates import VECTOR_TYPES
from hipport.translate.dataflow.function import text_of
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.redeclared_sides import mentions_sides, name_of, sides_in_front
from hipport.translate.syntax.declarations import declaration
from hipport.translate.syntax.named_scopes import owner_of
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_NUMBER = re.compile(
    r"(?:(?:unsigned|signed|bool|char|short|int|long|float|double|size_t|ssize_t|ptrdiff_t|u?int(?:8|16|32|64|ptr)_t"
    r"|uchar|ushort|uint|ulong)\s*)+\Z"
)
_NEVER_BACK = re.compile(
    r"(?:\w+\s*::\s*)*(?:__trap|trap|abort|exit|_exit|terminate|__builtin_(?:unreachable|trap)|unreachable)\s*\("
    r"|(?:assert|__assert_fail)\s*\(|\(*[A-Z][A-Z\d_]*\b|(?:asm|__asm|__asm__)\b"
)
"""Matches statements behind which execution may not go on: macros are unknown, and assembly may exit."""
_TEMPLATE = re.compile(r"template\s*<(?:[^<>()]|<[^<>]*>)*>")
_ATTRIBUTES = re.compile(
    r"__attribute(?:__)?\s*\(\((?:[^()]|\([^()]*\))*\)\)|__declspec\s*\([^()]*\)|__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)"
    r"|\[\[[^\]]*\]\]"
)
_SPECIFIERS = re.compile(
    r"\b(?:__\w+__|__forceinline|inline|static|extern|explicit|virtual|const|volatile|(?=\w*(?:INLINE|HOST|DEVICE|HD|CUDA|GPU|XPU))"
    r"[A-Z][A-Z\d_]*)\b|\"[^\"]*\""
)
_OTHERWISE = re.compile(
    r"\b(?:noreturn|constexpr|consteval|__global__|friend|typename|decltype|requires|enable_if\w*)\b"
)
_LEAVING = ("return_statement", "throw_statement", "break_statement", "continue_statement", "co_return_statement")
_LOOPS = ("while_statement", "do_statement", "for_statement")
_BREAKABLE = (*_LOOPS, "for_range_loop", "switch_statement")
_INSIDE = (*_LEAVING, *_BREAKABLE, "compound_statement", "if_statement", "else_clause", "case_statement",
           "labeled_statement", "try_statement", "catch_clause", "attributed_statement")  # fmt: skip
"""Node types that contain statements, and statements: neither expressions nor functions."""
_DEEPEST = 100
"""Statements within statements that are followed."""
_UNKNOWN = ("labeled_statement", "goto_statement", "try_statement", "ERROR")
_ALWAYS = re.compile(r"\(?\s*(?:true|1|)\s*\)?\Z")
_INDENT = re.compile(r"[ \t]*\Z")


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Return a value at the end of functions that lack it, and in `return;`."""
    unit = work.unit
    if is_hip(work) or not (unit.shadow.device_words or mentions_sides(unit)):
        return
    for node in unit.all_of("function_definition"):
        body = node.child_by_field_name("body")
        if body is None or body.type != "compound_statement" or body.has_error or _is_constructor(unit, node):
            continue
        empty = [each for each in _statements(body) if each.type == "return_statement" and not each.named_children]
        ends = _goes_on(body)
        kind = _returned(unit, node) if empty or ends else ""
        if kind and platform_at(unit, node.start_byte) is not Platform.NVIDIA:
            yield from _completed(work, body, empty, _value(kind), ends=ends)


def _is_constructor(unit: Unit, node: Node) -> bool:
    """Return whether a function initializes members, or is named like the class around it."""
    if any(child.type == "field_initializer_list" for child in node.named_children):
        return True
    name = node.child_by_field_name("declarator")
    while name is not None and (inner := name.child_by_field_name("declarator")) is not None:
        name = inner
    parts = text_of(name).replace(" ", "").split("::")
    return parts[-1] in (owner_of(unit, node), *parts[-2:-1])


def _returned(unit: Unit, node: Node) -> str:
    """Return the type that a device function returns; empty if it returns nothing, or if that is unknown."""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator"):
        declarator = declarator.child_by_field_name("declarator") or declarator.named_child(0)
    name = name_of(unit, declarator) if declarator is not None and declarator.type == "function_declarator" else None
    span = declaration(unit, name.start, node.end_byte) if name is not None else None
    if name is None or span is None:
        return ""
    front = _TEMPLATE.sub(" ", unit.code[span.start : name.start])
    if (
        not sides_in_front(front, len(front))
        or unit.has_directive(Span(span.start, name.start))
        or _OTHERWISE.search(front)
    ):
        return ""
    text = " ".join(_SPECIFIERS.sub(" ", _ATTRIBUTES.sub(" ", front)).split())
    return "" if text == "" or text.split()[-1] in ("void", "auto") or text.isupper() else text


def _value(kind: str) -> str:
    """Return what a function can return for its type; empty if that is not obvious."""
    if kind.endswith("*") or _NUMBER.match(kind):
        return "0"
    return "{}" if kind in VECTOR_TYPES else ""


def _completed(work: Work, body: Node, empty: Iterable[Node], value: str, *, ends: bool) -> Iterator[Edit | Diagnostic]:
    """Add the values, or report what lacks them."""
    for each in empty:
        end = each.start_byte + len("return")
        if value:
            yield Replace(end, end, f" {value}")
        yield _report(
            work, Span(each.start_byte, each.end_byte), value, "returns nothing, which Clang does not compile"
        )
    close = body.end_byte - 1
    if ends and value:
        yield _at_the_end(work, close, f"return {value};")
    if ends:
        yield _report(
            work, Span(close, close + 1), value, "ends without a value, a path that Clang takes for impossible"
        )


def _report(work: Work, span: Span, value: str, what: str) -> Diagnostic:
    severity = Severity.NOTE if value else Severity.WARNING
    advice = f"The translation returns {value}." if value else "Return a value, or make the function void."
    return work.report(span, "HP129", severity, f"a device function that must return a value {what}", advice)


def _at_the_end(work: Work, close: int, text: str) -> Edit:
    """Insert a statement in front of a brace, on a line of its own if the brace is on one."""
    code = work.unit.code
    line = code.rfind("\n", 0, close) + 1
    if not _INDENT.match(code, line, close):
        return Replace(close, close, f"{'' if code[close - 1 : close].isspace() else ' '}{text} ")
    return Replace(line, line, f"{code[line:close]}  {text}{work.unit.source.newline}")


def _goes_on(node: Node, depth: int = 0) -> bool:
    """Return whether execution can go on behind a statement; False where that is unknown."""
    if node.type in _LEAVING or node.type in _UNKNOWN or depth > _DEEPEST:
        return False
    if node.type in ("compound_statement", "else_clause"):
        return all(_goes_on(child, depth + 1) for child in node.named_children)
    if node.type == "expression_statement":
        return not _NEVER_BACK.match(text_of(node))
    if node.type == "if_statement":
        other, then = node.child_by_field_name("alternative"), node.child_by_field_name("consequence") or node
        return other is None or _goes_on(then, depth + 1) or _goes_on(other, depth + 1)
    if node.type in _LOOPS:
        return _loop_ends(node, depth)
    if node.type == "switch_statement":
        return _switch_ends(node, depth)
    return True


def _loop_ends(node: Node, depth: int) -> bool:
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    if body is not None and _breaks(body):
        return True
    if _ALWAYS.match(text_of(condition)):
        return False
    return node.type != "do_statement" or body is None or _goes_on(body, depth + 1)


def _switch_ends(node: Node, depth: int) -> bool:
    """Return whether a `switch` goes on behind one of its cases; that none matches is not expected."""
    body = node.child_by_field_name("body")
    if body is None or _breaks(body):
        return True
    cases = [child for child in body.named_children if child.type == "case_statement"]
    return not cases or all(_goes_on(child, depth + 1) for child in cases[-1].named_children)


def _breaks(node: Node) -> bool:
    """Return whether a body has a `break` for the statement around it."""
    return any(each.type == "break_statement" for each in _statements(node, _BREAKABLE))


def _statements(node: Node, closed: tuple[str, ...] = ()) -> Iterator[Node]:
    """Yield the statements below one, in the order of the source, without those inside of `closed` ones."""
    left = list(reversed(node.named_children))
    while left:
        each = left.pop()
        if each.type in _INSIDE:
            yield each
            if each.type not in closed:
                left.extend(reversed(each.named_children))
