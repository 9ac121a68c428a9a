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
from hipport.translate.dataflow.ends import End, end_of, statements
from hipport.translate.dataflow.function import make_function, text_of
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.function_families import name_of, sides_in_front
from hipport.translate.syntax.declarations import declaration
from hipport.translate.syntax.named_scopes import owner_of
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.side_words import device_macros, mentions_sides
from hipport.translate.syntax.unit import Node, Unit
from hipport.translate.work import Work

_NUMBER = re.compile(
    r"(?:(?:unsigned|signed|bool|char|short|int|long|float|double|size_t|ssize_t|ptrdiff_t|u?int(?:8|16|32|64|ptr)_t"
    r"|uchar|ushort|uint|ulong)\s*)+\Z"
)
_TEMPLATE = re.compile(r"template\s*<(?:[^<>()]|<[^<>]*>)*>")
_ATTRIBUTES = re.compile(
    r"__attribute(?:__)?\s*\(\((?:[^()]|\([^()]*\))*\)\)|__declspec\s*\([^()]*\)|__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)"
    r"|\[\[[^\]]*\]\]"
)
_SPECIFIERS = re.compile(
    r"\b(?:__\w+__|__forceinline|inline|static|extern|explicit|virtual|const|volatile|(?=\w*(?:INLINE|HOST|DEVICE|HD|CUDA|GPU|XPU))"
    r"[A-Z][A-Z\d_]*)\b|\"[^\"]*\""
)
_MAYBE_VOID = re.compile(r"\b(?:auto|typename|decltype|enable_if\w*)\b")
_WORD = re.compile(r"[A-Za-z_]\w*")
_TYPE_PARAMETER = re.compile(r"\b(?:typename|class)\s+([A-Za-z_]\w*)")
_OTHERWISE = re.compile(r"\b(?:noreturn|constexpr|consteval|__global__|friend|requires)\b")
_INDENT = re.compile(r"[ \t]*\Z")


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Return a value at the end of functions that lack it, and in `return;`."""
    unit = work.unit
    if is_hip(work) or not (unit.shadow.device_words or mentions_sides(unit) or device_macros(unit)):
        return
    for node in unit.all_of("function_definition", "lambda_expression"):
        body = node.child_by_field_name("body")
        if body is None or body.type != "compound_statement" or body.has_error:
            continue
        if node.type == "function_definition" and _is_constructor(unit, node):
            continue
        empty = [each for each in statements(body) if each.type == "return_statement" and not each.named_children]
        end = end_of(unit, body)
        kind = _returned(work, node) if empty or end is not End.NEVER else ""
        if kind and platform_at(unit, node.start_byte) is not Platform.NVIDIA:
            yield from _completed(work, body, empty, _value(unit, node, kind), end)


def _is_constructor(unit: Unit, node: Node) -> bool:
    """Return whether a function initializes members, or is named like the class around it."""
    if any(child.type == "field_initializer_list" for child in node.named_children):
        return True
    name = node.child_by_field_name("declarator")
    while name is not None and (inner := name.child_by_field_name("declarator")) is not None:
        name = inner
    parts = text_of(name).replace(" ", "").split("::")
    return parts[-1] in (owner_of(unit, node), *parts[-2:-1])


def _returned(work: Work, node: Node) -> str:
    """Return the type that a device function returns; empty if it returns nothing, or if that is unknown.

    `auto` stands for a type that values in `return` tell.
    """
    unit = work.unit
    if node.type == "lambda_expression":
        text = _trailing(unit, node) or "auto" if _is_device_lambda(work, node) else ""
    else:
        text = _declared_type(unit, node)
    last = text.split()[-1:]
    if last == ["auto"]:
        text = _trailing(unit, node) or text
    if last == ["void"] or (text.isupper() and len(text) > 1):
        return ""
    return text if not _MAYBE_VOID.search(text) or _returns_values(node) else ""


def _returns_values(node: Node) -> bool:
    body = node.child_by_field_name("body")
    found = statements(body) if body is not None else ()
    return any(each.type == "return_statement" and each.named_children for each in found)


def _is_device_lambda(work: Work, node: Node) -> bool:
    """Return whether a lambda is for the device, or in a function that is."""
    found = make_function(work.unit, node)
    around = work.flow.function_at(node.start_byte)
    return (found is not None and found.device) or (around is not None and around.device and not around.macro)


def _trailing(unit: Unit, node: Node) -> str:
    """Return the type behind the parameters of a function or lambda: `auto f() -> int`."""
    body = node.child_by_field_name("body")
    found = [
        each
        for each in unit.inside(node, "trailing_return_type") or ()
        if body is None or each.end_byte <= body.start_byte
    ]
    return text_of(found[0]).removeprefix("->").strip() if found else ""


def _declared_type(unit: Unit, node: Node) -> str:
    """Return the type in front of the name of a device function."""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator"):
        declarator = declarator.child_by_field_name("declarator") or declarator.named_child(0)
    name = name_of(unit, declarator) if declarator is not None and declarator.type == "function_declarator" else None
    span = declaration(unit, name.start, node.end_byte) if name is not None else None
    if name is None or span is None:
        return ""
    front = _TEMPLATE.sub(" ", unit.code[span.start : name.start])
    macros = device_macros(unit).intersection(_WORD.findall(front))
    if not (sides_in_front(front, len(front)) or macros):
        return ""
    if unit.has_directive(Span(span.start, name.start)) or _OTHERWISE.search(front):
        return ""
    text = _SPECIFIERS.sub(" ", _ATTRIBUTES.sub(" ", front))
    return " ".join(word for word in text.split() if word not in macros)


def _value(unit: Unit, node: Node, kind: str) -> str:
    """Return what a function can return for its type; empty if that is not obvious."""
    if kind.endswith("*") or _NUMBER.match(kind):
        return "0"
    if kind in VECTOR_TYPES:
        return "{}"
    return f"{kind}()" if _WORD.fullmatch(kind) and kind in _parameters(unit, node) else ""


def _parameters(unit: Unit, node: Node) -> frozenset[str]:
    """Return the words of the template parameters around a function."""
    found: set[str] = set()
    around = unit.parent(node)
    while around is not None:
        if around.type == "template_declaration":
            found.update(_TYPE_PARAMETER.findall(text_of(around.child_by_field_name("parameters"))))
        around = unit.parent(around)
    return frozenset(found)


def _completed(work: Work, body: Node, empty: Iterable[Node], value: str, end: End) -> Iterator[Edit | Diagnostic]:
    """Add the values, or report what lacks them; where the end may be reached, a value is no finding."""
    for each in empty:
        behind = each.start_byte + len("return")
        if value:
            yield Replace(behind, behind, f" {value}")
        yield _report(
            work, Span(each.start_byte, each.end_byte), value, "returns nothing, which Clang does not compile"
        )
    close = body.end_byte - 1
    if end is not End.NEVER and value:
        yield _at_the_end(work, close, f"return {value};")
    if end is End.REACHED:
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
