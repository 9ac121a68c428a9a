"""Braced initializers of vectors in macros: `#define UNIT float3{1.f}`, `#define NEGATE(T) T f() { return {1}; }`.

As in `vector_braces`, missing components become zeros. Where a parameter is the type and stands for vectors of several
widths, the list is reported.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span
from hipport.translate.dataflow.aggregates import VECTOR_TYPES
from hipport.translate.passes.vector_braces import unclear
from hipport.translate.syntax.brackets import matching_close, split_arguments
from hipport.translate.syntax.declarations import after_parameters
from hipport.translate.syntax.lexer import Directive, DirectiveKind, parameters
from hipport.translate.syntax.macro_uses import uses
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

WORDS = (VECTOR_TYPES, frozenset({"define"}))
_TYPED = re.compile(
    r"(?<![\w.>#])(?P<type>[A-Za-z_]\w*)(?:\s*\)|[\s\\]+(?!return\b)[A-Za-z_]\w*)?(?P<copied>[\s\\]*=)?[\s\\]*(?P<open>\{)"
)
"""Matches `float3{`, `(float3){`, `float3 v{` and `float3 v = {`."""
_FUNCTION = re.compile(r"\b([A-Za-z_]\w*)[\s\\]+(?:operator\s*[^\s\w(]{1,3}|[A-Za-z_]\w*)\s*(\()")
_RETURNED = re.compile(r"\breturn\s*(\{)")
_NO_VALUE = re.compile(r"\b(?:struct|class|union|enum|namespace|typename)\s+\Z|##\s*\Z")
"""Matches the text in front of a name whose braces hold no value."""
_NUMBER = re.compile(r"[-+]?(?:\d|\.\d)[\w.]*")


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Complete the lists in the bodies of macros whose type is a vector, and report those that are unclear."""
    for line in work.unit.directives:
        if line.kind is not DirectiveKind.DEFINE or "{" not in work.unit.code[line.body.start : line.body.end]:
            continue
        if platform_at(work.unit, line.span.start) is not Platform.NVIDIA:
            yield from _in_macro(work, line)


def _in_macro(work: Work, line: Directive) -> Iterator[Edit | Diagnostic]:
    code = work.unit.code
    named = parameters(code[line.span.start : line.body.start])
    given: list[dict[str, str]] | None = None
    for name, opening, direct in _lists(code, line.body):
        close = matching_close(code, opening, line.body.end)
        if close is None:
            continue
        elements = split_arguments(code, opening + 1, close)
        if name in VECTOR_TYPES:
            yield from _list(work, elements, frozenset({name}), direct=direct)
        elif name in named:
            given = list(uses(work.unit, line, named)) if given is None else given
            types = frozenset(words[name] for words in given if name in words)
            yield from _list(work, elements, types, direct=direct)


def _lists(code: str, body: Span) -> Iterator[tuple[str, int, bool]]:
    """Yield the type, the opening brace, and whether the type is initialized directly, for each list in a macro."""
    for match in _TYPED.finditer(code, body.start, body.end):
        if _NO_VALUE.search(code, max(body.start, match.start() - 16), match.start()) is None:
            yield match["type"], match.start("open"), match["copied"] is None
    for match in _FUNCTION.finditer(code, body.start, body.end):
        close = matching_close(code, match.start(2), body.end)
        start = after_parameters(code, close + 1) if close is not None else None
        end = matching_close(code, start, body.end) if start is not None and code[start : start + 1] == "{" else None
        for returned in _RETURNED.finditer(code, start or 0, end or 0):
            yield match[1], returned.start(1), False


def _list(
    work: Work, elements: tuple[Span, ...], types: frozenset[str], *, direct: bool
) -> Iterator[Edit | Diagnostic]:
    """Yield the edit for a list of a type, or the finding if the macro's uses give types of several widths."""
    vectors = types & VECTOR_TYPES
    widest = max((int(name[-1]) for name in vectors), default=0)
    if not 0 < len(elements) < widest or any(work.unit.code.startswith("{", each.start) for each in elements):
        return
    first, last = elements[0], elements[-1]
    is_number = _NUMBER.fullmatch(work.unit.code, first.start, first.end) is not None
    if len(elements) == 1 and direct and work.unit.code[first.start : first.end] == "0":
        return
    if len(elements) == 1 and not is_number:
        yield unclear(work, first)
    elif len({int(name[-1]) if name in vectors else 0 for name in types}) > 1:
        name = min(each for each in vectors if int(each[-1]) == widest)
        message = f"{name}, for which this macro is used, too, has more components than these braces"
        advice = "Write a macro for each number of components; HIP's vectors need all of them."
        yield work.report(Span(first.start, last.end), "HP115", Severity.ERROR, message, advice)
    else:
        yield Replace(last.end, last.end, ", 0" * (widest - len(elements)))
