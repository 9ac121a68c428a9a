"""Names and texts of errors in string literals: `strcmp(cudaGetErrorName(e), "cudaErrorInvalidValue")`.

Where a literal is compared with the result of a function that returns CUDA's name, it is translated. Where it is
compared with another string, which may be such a name, or one that the preprocessor makes a string of, it is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.mappings.entry import Entry, Kind
from hipport.source import Edit, Replace, Span
from hipport.translate.dataflow.function import called, text_of
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.literals import Literal, literals
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.unit import Node
from hipport.translate.work import Work

_NAMING = ("cudaGetErrorName", "cuGetErrorName", "cublasGetStatusName", "cublasGetStatusString", "cusparseGetErrorName")
_DESCRIBING = ("cudaGetErrorString", "cuGetErrorString", "cusparseGetErrorString", "cudnnGetErrorString")
_SAME_TEXTS = frozenset(
    {
        *("", "no error", "invalid argument", "out of memory", "initialization error", "device not ready"),
        *("invalid device ordinal", "invalid device function", "invalid configuration argument", "unknown error"),
        *("unspecified launch failure", "invalid device symbol", "invalid device pointer", "invalid resource handle"),
    }
)
"""Texts that hipGetErrorString of clr 5.2 to 7.0 has for the same errors as CUDA."""
_COMPARING = re.compile(
    r"(?:str|mem|wcs)n?(?:case)?(?:cmp|str)|i?equals?|(?:str_?|is_?)?(?:eq|same)(?:_\w+)?|compare|r?find|(?:starts|ends)_with|contains|count|at"
    r"|(?:EXPECT|ASSERT|CHECK|REQUIRE)\w*"
)
_COMPARES = re.compile(rf"[=!]=|<=>|\b(?:{_COMPARING.pattern})\s*\(")
_THROUGH = frozenset(
    {"parenthesized_expression", "argument_list", "initializer_list", "cast_expression", "concatenated_string"}
)
_CONVERTING = re.compile(r"(?:string|string_view|basic_string\w*|\bstrlen)(?:\s*<.*>)?\Z", re.DOTALL)
_WORD = re.compile(r"\b[A-Za-z_]\w*")
_PREFIX = re.compile(r"(?:cuda|CUDA|CUBLAS|CUSPARSE)(?:Error|_ERROR|_STATUS)?_?")
_STATUS = re.compile(r"cuda(?:Success|Error\w+)|CUDA_(?:SUCCESS|ERROR_\w+)|CU\w*_STATUS_\w+|CUFFT_\w+")
_ADVICE = "Compare the error itself, not its name."


_HELD = re.compile(r"\b(\w+)\s*(?:=|\(|\{)\s*(?:[\w:]+\s*[({]\s*)?(?:::\s*)?\Z")
"""Matches the variable that holds a text, or the function that takes it, in front of the function that makes it."""
_FARTHEST = 200
_FILLED = re.compile(r"\bcuGetError(Name|String)\s*\([^;]*?&\s*(\w+)\s*\)")


class _Sources(Struct, frozen=True):
    """Functions that return names or texts of errors, and variables that hold their results."""

    names: frozenset[str]
    texts: frozenset[str]


WORDS = (
    frozenset(
        {
            *(*_NAMING, *_DESCRIBING, "string", "string_view", "strcmp", "strncmp", "strcasecmp", "strstr", "memcmp"),
            *("eq", "equal", "equals", "iequals", "same", "streq", "str_eq", "is_same", "compare"),
            *("EXPECT_STREQ", "ASSERT_STREQ", "EXPECT_EQ", "ASSERT_EQ", "CHECK_EQ", "REQUIRE"),
        }
    ),
)


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Translate and report literals that are compared with names or texts of errors."""
    if is_hip(work) or not work.unit.source.text.count(b'"'):
        return
    sources = _sources(work.unit.code)
    queried = not sources.names.isdisjoint(work.unit.words) or not sources.texts.isdisjoint(work.unit.words)
    if not queried and not _may_hold_names(work):
        return
    for literal in literals(work.unit):
        entry = _entry(work, literal)
        if entry is None and not queried:
            continue
        if platform_at(work.unit, literal.span.start) is not Platform.NVIDIA:
            yield from _literal(work, literal, entry, sources)


def _may_hold_names(work: Work) -> bool:
    return b'"cuda' in work.unit.source.text or b'"CU' in work.unit.source.text


def _sources(code: str) -> _Sources:
    filled = _FILLED.findall(code) if "cuGetError" in code else []  # few sources have it
    named, described = _holding(code, _NAMING), _holding(code, _DESCRIBING)
    names = {*_NAMING, *named, *(name for kind, name in filled if kind == "Name")}
    texts = {*_DESCRIBING, *described, *(name for kind, name in filled if kind == "String")}
    return _Sources(*(frozenset(name for name in found if not _COMPARING.fullmatch(name)) for found in (names, texts)))


def _holding(code: str, functions: Iterable[str]) -> set[str]:
    """Return the variables and functions that get what these functions return."""
    found = set()
    for name in functions:
        end = -1
        while (start := code.find(name, end + 1)) >= 0:
            end = start + len(name)
            holder = _HELD.search(code, max(0, start - _FARTHEST), start)
            if holder is not None and _CALLED.match(code, end):
                found.add(holder[1])
    return found


_CALLED = re.compile(r"\s*\(")


def _entry(work: Work, literal: Literal) -> Entry | None:
    """Return the error or other renamed entity that a literal names, as a whole or in front of a parenthesis."""
    name = _WORD.match(literal.text)
    rest = literal.text[name.end() :] if name is not None else ""
    entry = work.context.tables.names.get(name[0]) if name is not None and rest[:1] in ("", "(") else None
    renamed = entry is not None and (entry.hip is None or entry.hip.name != entry.name)
    return entry if entry is not None and renamed and not entry.ordinary else None


def _literal(work: Work, literal: Literal, entry: Entry | None, sources: _Sources) -> Iterator[Edit | Diagnostic]:
    node = work.unit.node_at(literal.span)
    comparison = _comparison(work, node) if node is not None else None
    if comparison is None:
        if entry is not None and _is_key(work, node, literal, sources):
            yield _never(work, literal)
        return
    words = frozenset(_WORD.findall(text_of(comparison)))
    if entry is None and not words.isdisjoint(sources.texts):
        if literal.text not in _SAME_TEXTS:
            message = f"HIP's texts of errors differ from CUDA's: '{literal.text[:40]}' may never occur"
            yield work.report(literal.span, "HP509", Severity.WARNING, message, _ADVICE)
    elif entry is not None and entry.hip is not None and not words.isdisjoint(sources.names):
        yield from _translated(work, literal, entry)
    elif (entry is not None or _begins_name(literal, words, sources)) and not _has_table(
        work, literal.text, comparison
    ):
        yield _never(work, literal)


def _begins_name(literal: Literal, words: frozenset[str], sources: _Sources) -> bool:
    """Return whether the beginning of a name is compared, as in `strncmp(cudaGetErrorName(e), "cuda", 4)`."""
    return not words.isdisjoint(sources.names) and _PREFIX.fullmatch(literal.text) is not None


def _comparison(work: Work, node: Node) -> Node | None:
    """Return the comparison, or the call that compares, in which a literal is an operand."""
    inner, around = node, work.unit.parent(node)
    while around is not None:
        if around.type == "binary_expression":
            operator = around.child_by_field_name("operator")
            return around if operator is not None and operator.type in ("==", "!=", "<=>") else None
        if around.type == "subscript_expression":
            return around
        if around.type == "call_expression" and not _CONVERTING.search(text_of(around.child_by_field_name("function"))):
            return around if _COMPARING.fullmatch(called(around)) else None
        if around.type not in _THROUGH and around.type not in ("call_expression", "compound_literal_expression"):
            text = around.type in ("string_literal", "raw_string_literal", "user_defined_literal")
            if not text and around.type not in ("subscript_argument_list", "template_function"):
                return None
        inner, around = around, work.unit.parent(around)
    return inner if inner.type == "binary_expression" else None


def _is_key(work: Work, node: Node | None, literal: Literal, sources: _Sources) -> bool:
    """Return whether a literal is a key of a table, in a file that asks for names of errors."""
    if sources.names.isdisjoint(work.unit.words) or not _STATUS.fullmatch(literal.text):
        return False
    around = work.unit.parent(node) if node is not None else None
    while around is not None and around.type in ("string_literal", "concatenated_string"):
        around = work.unit.parent(around)
    return around is not None and around.type == "initializer_list" and not _has_table(work, literal.text)


def _has_table(work: Work, name: str, comparison: Node | None = None) -> bool:
    """Return whether the file gives the name for an error itself, as in `case cudaSuccess: return "cudaSuccess";`.

    A comparison, as in `strcmp(name_of(cudaSuccess), "cudaSuccess")` or `e.name == "cudaSuccess"`, is no such place.
    """
    around = re.escape(name)
    text = work.unit.source.text.decode("latin-1")
    start, end = (comparison.start_byte, comparison.end_byte) if comparison is not None else (0, 0)
    given = re.finditer(rf"\b{around}\b[^;\"]{{0,40}};?[^;\"]{{0,40}}\"{around}\"", text)
    return any(not (start <= match.start() < end or _COMPARES.search(match[0])) for match in given)


def _translated(work: Work, literal: Literal, entry: Entry) -> Iterator[Edit | Diagnostic]:
    name, text = entry.name.encode(), work.unit.source.text
    at = text.find(name, literal.span.start, literal.span.end)
    if at < 0 or entry.hip is None or entry.kind is not Kind.ENUMERATOR:
        yield _never(work, literal)
    else:
        yield Replace(at, at + len(name), entry.hip.name)


def _never(work: Work, literal: Literal) -> Diagnostic:
    message = (
        f"names are HIP's in the translation: '{literal.text[:40]}' is compared with a name that may be one of them"
    )
    span = Span(literal.span.start, literal.span.end)
    return work.report(span, "HP509", Severity.WARNING, message, _ADVICE)
