"""HP135: code that asks what a vector type can do: `has_plus<float4>`, `requires(T a) { a + a; }`.

CUDA's vector types are plain structs without operators. HIP's have operators, constructors and conversions, so that
the answer, and with it an overload or a branch, is another one.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind
from hipport.source import Span
from hipport.translate.dataflow.aggregates import VECTOR_TYPES
from hipport.translate.hazards import wavefront
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import matching_close, skip_blanks, template_close, word_before
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

WORDS = VECTOR_TYPES | {"declval", "requires", "concept", "decltype"}
_VECTOR = r"(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]"
_END = re.compile(r"[;{(]")
_TEMPLATE = re.compile(r"\btemplate\s*(?=<)")
_DECLARED = re.compile(
    r"\b(?:struct|class)\s+(?:\w+\s*\([^()]*\)\s*)?([A-Za-z_]\w*)|\busing\s+([A-Za-z_]\w*)\s*=(?!=)"
    r"|\bconcept\s+([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*(?:=(?!=)|\()"
)
_OPERATOR = r"(?:[-+*/%&|^]=?|[=!<>]=|<<|>>|[<>])"
_ASKED = re.compile(
    rf"declval\s*<[^<>]*>\s*\(\s*\)\s*(?:{_OPERATOR}|\.\s*data\b)|[^\w)\s]\s*[-+~!*]\s*(?:std\s*::\s*)?declval\b"
)
_QUESTION = re.compile(r"\b(?:decltype|requires)\s*(?=[({])")
_OPERATION = re.compile(rf"(?<![\w.>])[A-Za-z_]\w*\s*{_OPERATOR}\s*[A-Za-z_]\w*\s*(?=[;,)}}])")
_OF_STD = re.compile(
    r"\bstd\s*::\s*(?P<trait>(?:equality|three_way)_comparable|totally_ordered|is_convertible(?:_v)?|convertible_to"
    r"|is_(?:nothrow_)?constructible(?:_v)?|is_(?:nothrow_)?assignable(?:_v)?|is_invocable(?:_v)?|invocable)\s*(?=<)"
)
_PLAIN = re.compile(rf"\s*(?:const\s+)?({_VECTOR})\s*(?:const\s*)?&{{0,2}}\s*")
_OPERATIONS = re.compile(r"\b(?:plus|minus|multiplies|divides|modulus|negate|equal_to|not_equal_to|less|greater)\b")
_ADVICE = "Give it a specialization for the vector type, or ask for a type of your own."
_OWN_OPERATORS = re.compile(rf"\boperator\s*\W{{1,3}}\s*\([^()]*\b({_VECTOR})\b")
_OF_VECTOR = re.compile(rf"\b{_VECTOR}\b")


class _Template(Struct, frozen=True):
    """A template: its name, and its text from `template` to the end of its head, or of its body for a class."""

    name: str
    text: str


def run(work: Work) -> Iterator[Diagnostic]:
    """Report templates that ask for operators, and traits, where their argument is a vector type."""
    unit = work.unit
    if is_hip(work) or unit.words.isdisjoint(VECTOR_TYPES) or b"helper_math" in unit.source.text:
        return  # the vectors of NVIDIA's samples have operators in CUDA, too
    own = frozenset(_OWN_OPERATORS.findall(unit.code))
    told = {fact.subject for fact in work.facts(Kind.DETECTS)}
    names = _asking(unit, frozenset(told))
    found = {span.start: (name, span) for name, span in (*_given(unit, names), *_passed(work, names), *_of_std(unit))}
    for _, (name, span) in sorted(found.items()):
        types = frozenset(_OF_VECTOR.findall(unit.code, span.start, span.end))
        if platform_at(unit, span.start) is not Platform.NVIDIA and not (own and types <= own):
            message = f"{name} asks what a vector type can do: HIP's have operators and constructors, CUDA's have none"
            yield work.report(span, "HP135", Severity.WARNING, message, _ADVICE)


def facts(work: Work) -> Iterator[str]:
    """Yield the templates of the file that ask for operators."""
    yield from (str(Fact(Kind.DETECTS, name)) for name in _asking(work.unit, frozenset()))


def asked(work: Work) -> Iterator[str]:
    """Yield the templates that get a vector type as an argument."""
    if not work.unit.words.isdisjoint(VECTOR_TYPES):
        code = work.unit.code
        yield from {word_before(code, match.start()) for match in _USED.finditer(code)} - {""}


_USED = re.compile(rf"<(?=[^;{{}}()]{{0,400}}\b{_VECTOR}\b)")
"""Matches the beginning of arguments with a vector type."""


def _asking(unit: Unit, told: frozenset[str]) -> frozenset[str]:
    """Return the templates that ask for operators of their arguments, directly or by other templates."""
    templates = [] if "template" not in unit.words else [*_templates(unit)]
    found = {*told, *(each.name for each in templates if _asks(each.text))}
    while True:
        more = {each.name for each in templates if each.name not in found and not found.isdisjoint(_words(each.text))}
        if not more or not found:
            return frozenset(found)
        found |= more


def _words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", text)


def _asks(text: str) -> bool:
    if _ASKED.search(text):
        return True
    for match in _QUESTION.finditer(text):
        close = matching_close(text, match.end())
        body = skip_blanks(text, close + 1) if close is not None else len(text)
        end = (matching_close(text, body) if text[body : body + 1] == "{" else close) or close
        if end is not None and _OPERATION.search(f"{text[match.end() + 1 : end]};"):
            return True
    return False


def _templates(unit: Unit) -> Iterator[_Template]:
    code = unit.code
    for match in _TEMPLATE.finditer(code):
        close = template_close(code, match.end(), len(code))
        end = _end_of_head(code, close + 1) if close is not None else None
        declared = _DECLARED.search(code, close + 1, end + 1) if close is not None and end is not None else None
        if close is None or end is None or declared is None:
            continue
        name = next(each for each in declared.groups() if each)
        whole = declared.lastindex != 4 and code[end] == "{"
        stop = matching_close(code, end) if whole else end
        yield _Template(name, code[match.start() : (stop or end) + 1] + _conditions(code, end))


def _end_of_head(code: str, start: int) -> int | None:
    """Return where the first `;` or `{` is that is not in parentheses."""
    position = start
    while match := _END.search(code, position):
        if match[0] != "(":
            return match.start()
        close = matching_close(code, match.start())
        if close is None:
            return None
        position = close + 1
    return None


def _conditions(code: str, end: int) -> str:
    """Return the conditions of `if constexpr` in the body that opens at `end`."""
    close = matching_close(code, end) if code[end] == "{" else None
    found = re.finditer(r"\bif\s+constexpr\s*(?=\()", code[end:close]) if close is not None else ()
    places = [(end + match.end(), matching_close(code, end + match.end())) for match in found]
    return " ".join(code[start : stop + 1] for start, stop in places if stop is not None)


def _given(unit: Unit, names: frozenset[str]) -> Iterator[tuple[str, Span]]:
    """Yield uses of the templates with a vector type among their arguments."""
    for name, offset in unit.occurrences(names):
        start = skip_blanks(unit.code, offset + len(name))
        close = template_close(unit.code, start, len(unit.code)) if unit.code[start : start + 1] == "<" else None
        if close is not None and re.search(rf"\b{_VECTOR}\b", unit.code[start:close]):
            yield name, Span(offset, close + 1)
        elif unit.code[start : start + 1] == ",":  # is_detected<plus_t, float4>
            rest = re.match(rf"[^;(){{}}]{{0,80}}?\b{_VECTOR}\b[^;(){{}}<>]*>", unit.code[start : start + 120])
            if rest is not None:
                yield name, Span(offset, start + rest.end())


def _passed(work: Work, names: frozenset[str]) -> Iterator[tuple[str, Span]]:
    """Yield calls of the templates with an argument that is a vector."""
    if names.isdisjoint(work.unit.words):
        return
    for name, offset in work.unit.occurrences(names):
        span = Span(offset, offset + len(name))
        call = work.unit.enclosing(span, "call_expression")
        callee = call.child_by_field_name("function") if call is not None else None
        listed = call.child_by_field_name("arguments") if call is not None else None
        if call is None or callee is None or listed is None or not callee.start_byte <= offset < callee.end_byte:
            continue
        if any(work.aggregates.of(each).width for each in listed.named_children):
            yield name, wavefront.span(call)


def _of_std(unit: Unit) -> Iterator[tuple[str, Span]]:
    """Yield traits of the standard library whose answer differs for HIP's vectors."""
    for match in _OF_STD.finditer(unit.code):
        close = template_close(unit.code, match.end(), len(unit.code))
        given = _split(unit.code[match.end() + 1 : close]) if close is not None else []
        if close is not None and _differs(match["trait"].removesuffix("_v"), given):
            yield f"std::{match['trait']}", Span(match.start(), close + 1)


def _split(text: str) -> list[str]:
    """Return the arguments of a template, of which some may be templates."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "<({") - (sign in ">)}")
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _differs(trait: str, given: list[str]) -> bool:
    vectors = [match[1] if (match := _PLAIN.fullmatch(each)) is not None else "" for each in given]
    if "invocable" in trait:
        return bool(_OPERATIONS.search(given[0])) and any(vectors[1:])
    if "convertible" in trait:
        return len(given) == 2 and bool(vectors[1]) and vectors[0] != vectors[1]
    if "constructible" in trait or "assignable" in trait:
        return bool(vectors[0]) and len(given) > 1 and vectors[1:] != [vectors[0]]
    return any(vectors)
