"""Kernel launches and function calls, read from the tree where it parsed without errors, otherwise from brackets."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.source import Span
from hipport.translate.syntax.brackets import (
    callee_start,
    has_bare_comma,
    matching_close,
    skip_blanks,
    skip_blanks_back,
    split_arguments,
    strip,
)
from hipport.translate.syntax.brackets import template_close as close_of_template
from hipport.translate.syntax.declarations import specifiers
from hipport.translate.syntax.lexer import parameters
from hipport.translate.syntax.shadow import LaunchBrackets
from hipport.translate.syntax.unit import Node, Unit

_LAST_NAME = re.compile(r"(?:.*[^\w\s]\s*)?([A-Za-z_]\w*)\s*(?:\[[^\[\]]*\]\s*)*\Z", re.DOTALL)
_KERNEL = re.compile(r"(?:.*\W)?([A-Za-z_]\w*)\s*(?:<.*>)?\s*\Z", re.DOTALL)


def last_name(unit: Unit, argument: Span) -> tuple[str, Span] | None:
    """Return the last name in an argument, `op` of `&p->op[0]`, and the range from it to the end of the argument."""
    match = _LAST_NAME.match(unit.code[argument.start : argument.end])
    return (match[1], Span(argument.start + match.start(1), argument.end)) if match is not None else None


class Launch(Struct, frozen=True):
    """A kernel launch: the kernel expression, the brackets, the configuration and whether there are arguments.

    `statement`: the launch is in statement position, also as an argument of a macro. `in_kernel`: it is in device code
    (dynamic parallelism).
    """

    kernel: Span
    brackets: LaunchBrackets
    configuration: tuple[Span, ...]
    has_arguments: bool
    statement: bool
    in_kernel: bool


def kernel_name(unit: Unit, launch: Launch) -> str:
    """Return the last name of the kernel that a launch names, without template arguments; empty for an expression."""
    match = _KERNEL.fullmatch(unit.code[launch.kernel.start : launch.kernel.end])
    return match[1] if match is not None else ""


class Call(Struct, frozen=True):
    """A call's arguments and the range between its parentheses."""

    inside: Span
    arguments: tuple[Span, ...]


def launches(unit: Unit) -> Iterator[Launch | LaunchBrackets]:
    """Yield all launches of a unit; only the brackets where the kernel expression cannot be determined."""
    for brackets in unit.launches:
        inner = _configuration_call(unit, brackets)
        kernel = _kernel(unit, brackets, inner)
        if kernel is None:
            yield brackets
            continue
        inside = strip(unit.code, brackets.arguments.start + 1, brackets.arguments.end - 1)
        yield Launch(
            kernel,
            brackets,
            _configuration(unit, brackets, inner),
            inside.start < inside.end,
            _is_statement(unit, kernel, brackets, inner),
            in_device_code(unit, brackets.open),
        )


def _configuration_call(unit: Unit, brackets: LaunchBrackets) -> Node | None:
    """Return the `kernel(configuration)` node of the shadow, if the grammar parsed the launch as two calls."""
    opening = unit.node_at(Span(brackets.open.end - 1, brackets.open.end))
    arguments = unit.parent(opening) if opening else None
    call = unit.parent(arguments) if arguments else None
    if arguments is None or call is None or arguments.type != "argument_list" or call.type != "call_expression":
        return None
    outer = unit.parent(call)
    sound = (
        arguments.start_byte == brackets.open.end - 1
        and arguments.end_byte == brackets.close.start + 1
        and outer is not None
        and outer.type == "call_expression"
        and outer.end_byte == brackets.arguments.end
        and not call.has_error
    )
    return call if sound else None


def _kernel(unit: Unit, brackets: LaunchBrackets, inner: Node | None) -> Span | None:
    end = skip_blanks_back(unit.code, brackets.open.start)
    if inner is not None:
        return Span(inner.start_byte, end)
    start = callee_start(unit.shadow.text, end)
    return None if start is None else Span(start, end)


def _configuration(unit: Unit, brackets: LaunchBrackets, inner: Node | None) -> tuple[Span, ...]:
    arguments = inner.child_by_field_name("arguments") if inner is not None else None
    if arguments is not None:
        return tuple(Span(child.start_byte, child.end_byte) for child in arguments.named_children)
    return split_arguments(unit.code, brackets.open.end, brackets.close.start)


_STATEMENT_START = re.compile(r"(?:\A|[;{}):]|\belse)[\s\\]*\Z")
_OPERAND = re.compile(r"\b(?:decltype|noexcept|typeof|__typeof__)\s*\(\s*\Z")
_MACRO_LINE = re.compile(r"(?:^|[;{}])[ \t]*[A-Z_][A-Z0-9_]*[ \t]*\r?\n\s*\Z", re.MULTILINE)


def _is_statement(unit: Unit, kernel: Span, brackets: LaunchBrackets, inner: Node | None) -> bool:
    """Return whether a launch is in statement position; `PERF_BEGIN` on a line of its own may precede it."""
    before = unit.code[max(0, kernel.start - 256) : kernel.start]
    if _OPERAND.search(before):
        return False
    after = skip_blanks(unit.code, brackets.arguments.end)
    ends = unit.code[after : after + 1] in ("", ";", "}", "#")
    if ends and _MACRO_LINE.search(before):
        return True
    outer = unit.parent(inner) if inner is not None else None
    around = unit.parent(outer) if outer is not None else None
    if around is not None and around.type != "ERROR":
        holder = unit.parent(around)
        if holder is not None and holder.type == "init_statement":  # if (kernel<<<1, 32>>>(out); out) {
            return False
        return around.type in ("expression_statement", "argument_list", "translation_unit")
    return ends and _STATEMENT_START.search(before) is not None


def in_device_code(unit: Unit, span: Span, *, or_host: bool = False) -> bool:
    """Return whether a place is in a function that runs on the device only, or with `or_host` on both."""
    function = unit.enclosing(span, "function_definition")
    if function is None:
        return False
    body = function.child_by_field_name("body")
    if body is not None and body.has_error and _is_behind(unit, span, body.start_byte):
        return False
    words = specifiers(unit, function.start_byte, body.start_byte if body is not None else function.end_byte)
    return bool(words & {"__global__", "__device__"}) and (or_host or "__host__" not in words)


def _is_behind(unit: Unit, span: Span, brace: int) -> bool:
    """Return whether a place is behind the brace that closes this one: after errors, bodies of the tree may not end."""
    close = matching_close(unit.code, brace)
    return close is not None and close < span.start


_UNCLEAR = re.compile(r"[<#]")
"""Characters that make a bare comma ambiguous: it may belong to template arguments or a preprocessor line."""


def call_of(unit: Unit, name: Span) -> Call | None:
    """Return the call whose callee ends with the name at this range; None when the name is not called there."""
    code = unit.code
    opening = skip_blanks(code, name.end)
    if code[opening : opening + 1] == "<":
        close = close_of_template(code, opening, len(code))
        opening = skip_blanks(code, close + 1) if close is not None else opening
    if code[opening : opening + 1] != "(":
        return None
    close = matching_close(code, opening)
    if close is None:
        return None
    arguments = _sound_arguments(unit, Span(opening, close + 1))
    if arguments is None:
        arguments = split_arguments(code, opening + 1, close)
    return Call(Span(opening + 1, close), arguments)


def _sound_arguments(unit: Unit, parentheses: Span) -> tuple[Span, ...] | None:
    """Return the arguments from the tree if commas are ambiguous and the call parsed without errors, else None."""
    if not _UNCLEAR.search(unit.code, parentheses.start, parentheses.end):
        return None
    opening = unit.node_at(Span(parentheses.start, parentheses.start + 1))
    node = unit.parent(opening) if opening else None
    if node is None or node.type != "argument_list" or node.has_error or node.end_byte != parentheses.end:
        return None
    return tuple(Span(child.start_byte, child.end_byte) for child in node.named_children)


_NAME = re.compile(r"[A-Za-z_]\w*")
_CALLED_MACRO = re.compile(r"\b([A-Z][A-Z0-9_]+)\s*\(")


def may_split(unit: Unit, span: Span) -> bool:
    """Return whether a macro with this text as an argument would get several: `k<a, b>`, and what expands to that.

    In the body of another macro any parameter may (`k<__VA_ARGS__>`), elsewhere macros that the file defines with a
    comma, and what looks like the call of a macro of another file: `k<ARGUMENTS(a, b)>`.
    """
    if has_bare_comma(unit.code, span):
        return True
    text = unit.code[span.start : span.end]
    words = set(_NAME.findall(text))
    line = unit.directive_at(span.start)
    if line is not None and not words.isdisjoint(parameters(unit.code[line.span.start : line.body.start])):
        return True
    if any(match[1] not in unit.macros for match in _CALLED_MACRO.finditer(text)):
        return True
    return any(_may_expand_to_several(unit, body) for name in words for body in unit.macros.get(name, ()))


def _may_expand_to_several(unit: Unit, body: Span) -> bool:
    return "__VA_ARGS__" in unit.code[body.start : body.end] or has_bare_comma(unit.code, body)
