"""Operators that a project defines for `float4` and the like, and that HIP's vector types already have.

CUDA's vector types are plain structs; HIP's are classes with arithmetic. A project's own `operator+=(float4 &, float4)`
is then ambiguous. Where it does the same as HIP's, it is excluded from compilation for AMD. `operator+` and the others
that HIP declares as templates are never ambiguous: a function that is no template is preferred to them. For complex
numbers HIP has all of them as plain functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from msgspec import Struct

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.guarding import guard
from hipport.translate.passes.vector_bodies import COMPLEX, VECTORS, Operands, is_combined, is_componentwise
from hipport.translate.syntax.brackets import matching_close, split_arguments
from hipport.translate.syntax.calls import call_of
from hipport.translate.syntax.declarations import after_parameters, declaration, specifiers
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_OPERATORS = frozenset({"+", "-", "*", "/", "+=", "-=", "*=", "/=", "==", "!="})
_AMBIGUOUS = frozenset({"*", "/", "+=", "-=", "*=", "/="})
"""Operators that HIP declares as members, or since ROCm 5.5 as friends, which are not templates."""


_TYPEDEF = re.compile(r"\btypedef\s+(?:struct\s+)?(?:::\s*)?(\w+)\s+(\w+)\s*;")
_USING = re.compile(r"\busing\s+(\w+)\s*=\s*(?:struct\s+)?(?:::\s*)?(\w+)\s*;")
Aliases = Mapping[str, str]
"""Names that a file gives vector types, with the types."""
_SIGNATURE = re.compile(r"operator\s*([-+*/]=|[=!]=|[-+*/]|\w+)\s*(?=\()")
_PARAMETER = re.compile(
    r"(?:\[\[[^][]*\]\]\s*)?(?:(?:const|volatile|struct)\s+)*(?:::\s*)?(\w+)(?:\s+(?:const|volatile))*"
    r"(?:\s*&{1,2}\s*(?:__restrict__\b)?|\s+|\Z)\s*(\w*)"
)
WORDS = (frozenset({"operator"}),)


class _Signature(Struct, frozen=True):
    """`operator+(float3 a, float3 b)`: operands of one type; the name of an unnamed operand is empty.

    `is_complex`: the type is written as one of CUDA's complex numbers.
    """

    span: Span
    symbol: str
    type: str
    left: str
    right: str
    is_complex: bool


class _Operator(Struct, frozen=True):
    """The declaration of an operator for two operands of one vector type.

    `declared` is None where the declaration's extent is unclear; `other`: it has a body that differs from HIP's
    operator.
    """

    signature: _Signature
    declared: Span | None
    other: bool

    @property
    def overload(self) -> tuple[str, str]:
        return self.signature.symbol, self.signature.type


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Guard the operators that do the same as HIP's, and their prototypes; report those that do something else."""
    aliases = _aliases(work.unit)
    operators = list(_operators(work.unit, aliases))
    others = {operator.overload for operator in operators if operator.other}
    guarded: list[Span] = []
    for operator in operators:
        ambiguous = operator.signature.symbol in _AMBIGUOUS or operator.signature.is_complex
        if operator.other and ambiguous:
            yield _something_else(work, operator)
        elif operator.overload in others:
            continue
        elif operator.declared is not None:
            guarded.append(operator.declared)
        elif ambiguous:
            yield _unclear(work, operator)
    yield from guard(work.unit, guarded, "HIP's vector types have these")
    yield from _generated(work, others, aliases)


def _operators(unit: Unit, aliases: Aliases) -> Iterator[_Operator]:
    """Yield definitions and prototypes outside macros and templates that AMD's compiler sees, in file order."""
    if unit.words.isdisjoint(VECTORS | COMPLEX.keys()):
        return
    for _, offset in unit.occurrences(frozenset({"operator"})):
        if unit.directive_at(offset) is not None or platform_at(unit, offset) is Platform.NVIDIA:
            continue
        signature = _signature(unit, offset, aliases)
        if signature is None or signature.symbol not in _OPERATORS or signature.type not in VECTORS:
            continue
        operator = _operator(unit, signature, aliases)
        if operator is not None:
            yield operator


def _signature(unit: Unit, offset: int, aliases: Aliases) -> _Signature | None:
    """Return the signature declared by the `operator` at an offset, in the file or in the body of a macro."""
    match = _SIGNATURE.match(unit.code, offset)
    close = matching_close(unit.code, match.end()) if match is not None else None
    if match is None or close is None:
        return None
    texts = [unit.code[part.start : part.end] for part in split_arguments(unit.code, match.end() + 1, close)]
    operands = [found for found in map(_PARAMETER.fullmatch, texts) if found is not None]
    if len(texts) != 2 or len(operands) != 2 or operands[0][1] != operands[1][1]:
        return None
    written, left, right = aliases.get(operands[0][1], operands[0][1]), operands[0][2], operands[1][2]
    kind = COMPLEX.get(written, written)
    return _Signature(Span(offset, close + 1), match[1], kind, left, right, is_complex=kind != written)


def _aliases(unit: Unit) -> Aliases:
    """Return the names that the file gives vector types, each one type only, with these types."""
    found = dict[str, set[str]]()
    for match in _TYPEDEF.finditer(unit.code):
        found.setdefault(match[2], set()).add(match[1])
    for match in _USING.finditer(unit.code):
        found.setdefault(match[1], set()).add(match[2])
    known = VECTORS | COMPLEX.keys()
    single = {name: next(iter(types)) for name, types in found.items() if len(types) == 1 and name not in known}
    return {name: type_ for name, type_ in single.items() if type_ in known}


def _operator(unit: Unit, signature: _Signature, aliases: Aliases) -> _Operator | None:
    """Return the declaration around a signature; None for a template, or if it is not a declaration."""
    opening = after_parameters(unit.code, signature.span.end)
    if opening is None or "template" in specifiers(unit, signature.span.start, signature.span.start):
        return None
    end: int | None = opening + 1
    other = False
    if unit.code[opening] == "{":
        close = matching_close(unit.code, opening)
        end = close + 1 if close is not None else None
        operands = _operands(unit, signature, aliases)
        other = end is not None and not is_componentwise(operands, unit.shadow.main[opening:end])
    split = unit.has_directive(Span(signature.span.start, opening))
    declared = None if split or end is None else declaration(unit, signature.span.start, end)
    return _Operator(signature, declared, other)


def _operands(unit: Unit, signature: _Signature, aliases: Aliases) -> Operands:
    words = specifiers(unit, signature.span.start, signature.span.start)
    returned = signature.type in {COMPLEX.get(name, name) for name in (aliases.get(word, word) for word in words)}
    return Operands(signature.symbol, signature.type, signature.left, signature.right, returns_vector=returned)


def _something_else(work: Work, operator: _Operator) -> Diagnostic:
    symbol = operator.signature.symbol
    message = f"HIP's vector types have their own operator{symbol}, which works differently"
    advice = "Make it a named function: HIP's operator works component by component."
    return work.report(operator.signature.span, "HP109", Severity.ERROR, message, advice)


_LEAVE_OUT = "Put #ifndef __HIP_PLATFORM_AMD__ and #endif around it, if it works component by component."


def _unclear(work: Work, operator: _Operator) -> Diagnostic:
    symbol = operator.signature.symbol
    message = f"HIP's vector types have their own operator{symbol}, but the extent of this one is unclear"
    return work.report(operator.signature.span, "HP109", Severity.ERROR, message, _LEAVE_OUT)


def _generated(work: Work, others: Set[tuple[str, str]], aliases: Aliases) -> Iterator[Edit | Diagnostic]:
    """Make operators of macros that do the same as HIP's templates, to which HIP's are preferred; report others."""
    for _, offset in work.unit.occurrences(frozenset({"operator"})):
        line = work.unit.directive_at(offset)
        if line is None or line.kind is not DirectiveKind.DEFINE or offset < line.body.start:
            continue
        signature = _signature(work.unit, offset, aliases)
        meeting = list(_meeting_vectors(work.unit, line, signature)) if signature is not None else []
        if signature is None or not meeting:
            continue
        start = _start_in_macro(work.unit, line, offset)
        if start is not None and all(_does_the_same(work.unit, signature, given, others) for given in meeting):
            yield Replace(start, start, _LESS_PREFERRED)
        else:
            message = f"{line.name} defines an operator that HIP's vector types have"
            yield work.report(Span(offset, offset + 1), "HP109", Severity.ERROR, message, _LEAVE_OUT)


_LESS_PREFERRED = "template <int = 0> "
_Given = Mapping[str, str]
"""The arguments of a macro's use by parameter."""


def _meeting_vectors(unit: Unit, line: Directive, signature: _Signature) -> Iterator[_Given]:
    """Yield the uses of a macro that make one of HIP's operators, by their arguments; none if every use does."""
    head = unit.code.find(line.name, line.span.start) + len(line.name)
    parameters = re.findall(r"\w+", unit.code[head : line.body.start])
    words = (signature.symbol, signature.type)
    if not {*words} & {*parameters}:
        if signature.symbol in _AMBIGUOUS and signature.type in VECTORS:
            yield {}
        return
    for name, offset in unit.occurrences(frozenset({line.name})):
        call = call_of(unit, Span(offset, offset + len(name))) if unit.directive_at(offset) is None else None
        if call is not None:
            given = dict(zip(parameters, (unit.code[part.start : part.end] for part in call.arguments), strict=False))
            symbol, kind = (given.get(word, word) for word in words)
            if symbol in _AMBIGUOUS and kind in VECTORS:
                yield given


def _start_in_macro(unit: Unit, line: Directive, offset: int) -> int | None:
    """Return where the function at an `operator` in a macro begins; None where it is a template or not plain."""
    start = max(line.body.start, *(unit.code.rfind(end, line.body.start, offset) + 1 for end in ";{}"))
    front = unit.code[start:offset]
    if not _PLAIN_FRONT.fullmatch(front) or _NOT_PLAIN.search(front):
        return None
    return start + len(front) - len(front.lstrip(" \t\r\n\\"))


_PLAIN_FRONT = re.compile(r"[\w\s&*\\]+")
_NOT_PLAIN = re.compile(r"\b(?:template|friend|virtual|explicit|extern)\b")


def _does_the_same(unit: Unit, signature: _Signature, given: _Given, others: Set[tuple[str, str]]) -> bool:
    """Return whether a use of a macro makes an operator that works component by component."""
    opening = after_parameters(unit.code, signature.span.end)
    close = matching_close(unit.code, opening) if opening is not None and unit.code[opening] == "{" else None
    if opening is None or close is None:
        return False
    symbol, kind = (given.get(word, word) for word in (signature.symbol, signature.type))
    text = unit.code[opening : close + 1].replace("\\\n", " ").replace("\\\r\n", " ")
    body = _WORD.sub(lambda word: given.get(word[0], word[0]), text)
    operands = Operands(symbol, kind, signature.left, signature.right)
    combined = operands.plain + "=", kind
    return is_componentwise(operands, body) or (combined not in others and is_combined(operands, body))


_WORD = re.compile(r"[A-Za-z_]\w*")
