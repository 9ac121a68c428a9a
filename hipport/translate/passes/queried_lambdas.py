"""`[=] __device__ (int i) {...}` in a file that asks whether callables can be called, or what they return.

Clang answers the host's question by the host's functions: no device lambda satisfies `std::invocable<F, int>` there,
where nvcc does not ask for the side. A lambda for both does; it is compiled for the host only where that calls it.
The same goes for `operator()` of a class. The templates that ask may be in another file.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.files.facts import Fact, Kind, question
from hipport.source import Edit, Replace, Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.passes.runtime_include import named_sides
from hipport.translate.syntax.brackets import matching_close, template_close
from hipport.translate.syntax.declarations import after_parameters
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.side_words import sides_in
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_ASKING = frozenset(
    {
        "invocable",
        "regular_invocable",
        "predicate",
        "is_invocable",
        "is_invocable_v",
        "is_invocable_r",
        "is_invocable_r_v",
        "is_nothrow_invocable",
        "is_nothrow_invocable_v",
        "invoke_result",
        "invoke_result_t",
        "result_of",
        "result_of_t",
    }
)
_LAMBDA = re.compile(r"\]\s*(?P<side>__device__|[A-Z_][A-Z0-9_]+)\s*(?=[({<]|mutable\b|noexcept\b|->)")
_CALL_OPERATOR = re.compile(r"\boperator\s*\(\s*\)\s*(\()")
_HOST, _DEVICE = frozenset({"__host__"}), frozenset({"__device__"})
WORDS = (_ASKING, frozenset({"__device__"}))
_QUERY = re.compile(
    r"\b(?:std\s*::\s*(?:predicate|result_of(?:_t)?)|is_(?:nothrow_)?invocable(?:_r)?(?:_v)?|invoke_result(?:_t)?"
    r"|(?:regular_)?invocable)\b(?=\s*[<\w])"
)
_TEMPLATE = re.compile(r"\btemplate\s*(?=<)")
_END = re.compile(r"[;{]")
_NAME = re.compile(
    r"\b(?:struct|class|concept|using)\s+(?P<type>[A-Za-z_]\w*)"
    r"|(?<![\w.>])(?P<name>(?!decltype\b|requires\b|noexcept\b)[A-Za-z_]\w*)\s*(?:=(?!=)|\()"
)
_ABBREVIATED = re.compile(
    r"\b(?P<name>[A-Za-z_]\w*)\s*\((?=[^(){};]*\b(?:(?:regular_)?invocable|predicate)\s*<[^(){};]*\bauto\b)"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_ANGLES = re.compile(r"<[^<>;{}]*>")
_USED = re.compile(r"\b[A-Za-z_]\w*(?=\s*(?:<<<|[(<{]))")


def run(work: Work) -> Iterator[Edit]:
    """Make device lambdas and functors callable on both sides, but for files that are HIP and compile as they are."""
    told = bool(work.told(Kind.QUERIES))
    if is_hip(work) or (not told and work.unit.words.isdisjoint(_ASKING)):
        return
    for place in (*_lambdas(work.unit), *_call_operators(work.unit)):
        if platform_at(work.unit, place) is not Platform.NVIDIA:
            yield Replace(place, place, f"{named_sides(work, _HOST)[0]} ")


def _lambdas(unit: Unit) -> Iterator[int]:
    """Yield the places of `__device__`, or of macros for it, where it is the only side of a lambda."""
    for match in _LAMBDA.finditer(unit.code):
        if [sides for _, sides in sides_in(unit, Span(*match.span("side")))] == [_DEVICE]:
            yield match.start("side")


def _call_operators(unit: Unit) -> Iterator[int]:
    """Yield the places of `__device__` where it is the only side of a call operator that its class defines."""
    for match in _CALL_OPERATOR.finditer(unit.code):
        start = max(unit.code.rfind(end, 0, match.start()) for end in ";{}") + 1
        sides = [*sides_in(unit, Span(start, match.start()))]
        close = matching_close(unit.code, match.start(1))
        end = after_parameters(unit.code, close + 1) if close is not None else None
        if unit.has_directive(Span(start, match.start())):
            continue
        if len(sides) == 1 and sides[0][1] == _DEVICE and end is not None and unit.code[end] == "{":
            yield sides[0][0]


def facts(work: Work) -> Iterator[str]:
    """Yield the templates that ask whether their arguments can be called, directly or by others of the file."""
    code = work.unit.code
    templates = [*_templates(code)]
    found = {name for name, text in templates if _QUERY.search(text)}
    found |= {match["name"] for match in _ABBREVIATED.finditer(code)}
    while True:
        more = {name for name, text in templates if name not in found and not found.isdisjoint(_WORD.findall(text))}
        if not more:
            break
        found |= more
    yield from (str(Fact(Kind.QUERIES, name)) for name in sorted(found))


def asked(work: Work) -> Iterator[str]:
    """Yield the functions and classes that a file with device lambdas or call operators for devices uses."""
    if _LAMBDA.search(work.unit.code) or any(True for _ in _call_operators(work.unit)):
        yield from (question(Kind.QUERIES, name) for name in {*_USED.findall(work.unit.code)})


def _templates(code: str) -> Iterator[tuple[str, str]]:
    """Yield the names of templates, and their texts from `template` to the end of the body."""
    for match in _TEMPLATE.finditer(code):
        close = template_close(code, match.end(), len(code))
        end = _END.search(code, close + 1) if close is not None else None
        if close is None or end is None:
            continue
        name = _NAME.search(_without_arguments(code[close + 1 : end.end()]))
        stop = matching_close(code, end.start()) if end[0] == "{" else end.start()
        if name is not None and stop is not None:
            yield name["type"] or name["name"], code[match.start() : stop]


def _without_arguments(head: str) -> str:
    """Return the head of a template without the arguments of others: `F(int)` in them is no function."""
    while (shorter := _ANGLES.sub(" ", head)) != head:
        head = shorter
    return head
