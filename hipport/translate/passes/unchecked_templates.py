"""Report code that Clang rejects in templates that nothing uses, and that nvcc does not look at.

A member of the class itself that the class does not have, `this->count`, an array that nothing declares, and default
arguments that only the definition behind the class has. nvcc checks the first two when the function is used, and takes
the third.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import matching_close, split_arguments
from hipport.translate.syntax.includes import includes
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

CODE = "HP134"
WORDS = (frozenset({"template"}),)
_CLASS = re.compile(
    r"\b(?:struct|class)\s+(?:__\w+(?:\([^()]*\))?\s+)*([A-Za-z_]\w*)\s*(?:<(?:[^{};:]|::)*>\s*)?(?:final\s*)?\{"
)
"""Matches classes without base classes; the arguments of a specialization end in front of the colon of one with."""
_HEAD = re.compile(r"\btemplate\s*<(?!\s*>)[^;{}]*>\s*(?:requires\b[^;{}]*)?\Z")
_SHOWN = 600
_OWN = re.compile(r"(?:\bthis\s*->|\(\s*\*\s*this\s*\)\s*\.)\s*(?:template\s+)?([A-Za-z_]\w*)")
_CALLED = re.compile(r"(\w+|[)>\]])\s*\Z")
_STATEMENTS = frozenset({"return", "else", "do", "sizeof", "throw", "case"})
_LONGEST_NAME = 80
_NAME = re.compile(r"(?<![\w$])[A-Za-z_]\w*")
_MEMBER_ACCESS = re.compile(r"(?:->|\.)\s*(?:template\s+)?\Z")
_DERIVED = re.compile(r"\b(?:struct|class)\s+[^;{}()]*[^:]:[^:]|\busing\s+[\w:]+\s*::")
_MACRO = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\s*\(")
_BEHIND = re.compile(r"::\s*(?:operator\s*(?:\(\s*\)|[^\s\w(]+)|~?(?!operator\b)[A-Za-z_]\w*)\s*\(")
_SIDES = re.compile(r"(?:\s|const\b|volatile\b|noexcept\b(?:\s*\([^()]*\))?|&)*(?:\{|:(?!:)|->|try\b)")
_FUNCTION_TEMPLATE = re.compile(r"\btemplate\s*<[^;{}]*>[^;{}()=]*\([^;{}]*\)\s*(?:const\s*|noexcept\s*)*\{")
_ELEMENT = re.compile(r"(?<![\w$.>:])((?!operator\b)[A-Za-z_]\w{2,})\s*\[")
_SUBSCRIPT = re.compile(r"\s*\[")
_IN_EXPRESSION = re.compile(r"(?:[=+\-/(<!|^%?\[]|\breturn)\s*\Z")
_DEFAULT = re.compile(r"(?<![=!<>+\-*/%&|^])=(?!=)")


def run(work: Work) -> Iterator[Diagnostic]:
    """Report them at their places, a member once in each class."""
    unit = work.unit
    if "template" not in unit.words or is_hip(work):
        return
    found = [*_missing_members(unit), *_undeclared_arrays(work), *_late_defaults(unit)]
    for span, message, advice in found:
        if platform_at(unit, span.start) is not Platform.NVIDIA:
            yield work.report(span, CODE, Severity.ERROR, message, advice)


def _missing_members(unit: Unit) -> Iterator[tuple[Span, str, str]]:
    if "this" not in unit.words:
        return
    for match in _CLASS.finditer(unit.code):
        close = matching_close(unit.code, match.end() - 1)
        front = unit.code[max(0, match.start() - _SHOWN) : match.start()]
        if close is None or not _HEAD.search(front):
            continue
        accesses = [each for each in _OWN.finditer(unit.code, match.end(), close) if not _is_of_call(unit.code, each)]
        if not accesses or not _shows_all_members(unit, match.end(), close):
            continue
        declared = _declared(unit.code, match.end(), close)
        for name, access in {each[1]: each for each in reversed(accesses)}.items():
            if name not in declared:
                message = f"{match[1]} has no member {name}: nvcc checks that where the function is used, Clang always"
                yield Span(access.start(1), access.end(1)), message, "Declare the member, or remove the function."


def _is_of_call(code: str, access: re.Match[str]) -> bool:
    """Return whether `(*this)` is the argument of a call, `norm(*this).x`, whose result has the member."""
    before = (
        _CALLED.search(code, max(0, access.start() - _LONGEST_NAME), access.start()) if access[0][0] == "(" else None
    )
    return before is not None and before[1] not in _STATEMENTS


def _undeclared_arrays(work: Work) -> Iterator[tuple[Span, str, str]]:
    """Find elements of arrays that the file, if it includes no other of the project, declares nowhere."""
    unit = work.unit
    if "##" in unit.code or any(each.quoted or _is_unknown(work, each.operand) for each in includes(unit)):
        return
    told: set[str] = set()
    for head in _FUNCTION_TEMPLATE.finditer(unit.code):
        close = matching_close(unit.code, head.end() - 1)
        for match in _ELEMENT.finditer(unit.code, head.end(), close or head.end()):
            name = match[1]
            if name not in told and all(_is_element(unit.code, at, name) for _, at in unit.occurrences({name})):
                told.add(name)
                message = f"{name} is declared nowhere: nvcc checks that where the template is used, Clang always"
                yield Span(match.start(1), match.end(1)), message, "Declare it, or remove the function."


def _is_unknown(work: Work, header: str) -> bool:
    """Return whether a header is neither CUDA's nor, by its name, the standard library's."""
    return header not in work.context.tables.headers and ("/" in header or "." in header.removesuffix(".h"))


def _is_element(code: str, at: int, name: str) -> bool:
    """Return whether a name is used as an array where it cannot be declared."""
    return bool(_SUBSCRIPT.match(code, at + len(name))) and bool(_IN_EXPRESSION.search(code, max(0, at - 40), at))


def _shows_all_members(unit: Unit, start: int, end: int) -> bool:
    """Return whether neither base classes nor macros can add members to the classes in a body."""
    if any(start < line.span.start < end for line in unit.directives):
        return False
    text = unit.code[start:end]
    return not _DERIVED.search(text) and not _MACRO.search(_outermost(text))


def _outermost(text: str) -> str:
    """Return a text without the braces in it and what they contain."""
    pieces, depth, last = [], 0, 0
    for match in re.finditer(r"[{}]", text):
        if depth == 0:
            pieces.append(text[last : match.start()])
        depth += 1 if match[0] == "{" else -1
        last = match.end()
    return "".join([*pieces, text[last:]])


def _declared(code: str, start: int, end: int) -> set[str]:
    """Return the names of a body that do not only stand behind `->` or `.`."""
    names = (match for match in _NAME.finditer(code, start, end))
    return {
        match[0] for match in names if not _MEMBER_ACCESS.search(code, max(start, match.start() - 40), match.start())
    }


def _late_defaults(unit: Unit) -> Iterator[tuple[Span, str, str]]:
    """Find default arguments in definitions `template <class T> void A<T>::f(int a = 1) {`."""
    code = unit.code
    for match in _BEHIND.finditer(code):
        close = matching_close(code, match.end() - 1)
        if close is None or not _SIDES.match(code, close + 1) or not _is_member_of_template(code, match.start()):
            continue
        for given in split_arguments(code, match.end(), close):
            default = _DEFAULT.search(code, given.start, given.end)
            if default is not None:
                message = "a default argument behind the class template: Clang takes it in the class only"
                yield Span(default.start(), default.end()), message, "Move it to the declaration in the class."
                break


def _is_member_of_template(code: str, scope: int) -> bool:
    """Return whether the declaration that names a scope up to here is a template's, and no explicit specialization."""
    first = max(code.rfind(sign, max(0, scope - _SHOWN), scope) for sign in ";{}") + 1
    front = code[max(first, scope - _SHOWN) : scope]
    heads = re.findall(r"\btemplate\s*<(\s*>)?", front)
    return bool(heads) and not all(heads)
