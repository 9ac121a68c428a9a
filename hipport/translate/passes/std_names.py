"""Names of a project that `using namespace std` makes ambiguous in HIP, whose headers include more of the library.

`typedef float real;` beside `using namespace std;` compiles with nvcc, which includes little more than <cmath>.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.includes import includes
from hipport.translate.work import Work

_COMPLEX = "arg complex conj imag norm polar proj real"
_FUNCTIONAL = "bit_and divides equal_to greater hash less logical_and minus modulus multiplies negate plus ref"
_STREAMS = "dec fixed hex left ostream right"
_HEADERS = {
    **dict.fromkeys(_COMPLEX.split(), "complex"),
    **dict.fromkeys(_FUNCTIONAL.split(), "functional"),
    **dict.fromkeys(_STREAMS.split(), "ios"),
    **dict.fromkeys(("data", "size"), "iterator"),
    **dict.fromkeys(("milli", "ratio"), "ratio"),
    **{name: name for name in ("array", "string", "thread")},
    "allocator": "memory",
    "count": "algorithm",
    "find": "algorithm",
    "tie": "tuple",
}
"""The names that HIP's headers bring into namespace std and CUDA's do not, with their headers in the library."""
_STREAMED = frozenset({"iostream", "iomanip", "fstream", "sstream", "ostream", "istream", "ios"})
_USING = re.compile(r"^[ \t]*using\s+namespace\s+(?:::\s*)?std\s*;", re.MULTILINE)
_DEFINED = re.compile(
    rf"\btypedef\s[^;{{}}()]*?\b(?P<alias>{'|'.join(_HEADERS)})\s*;"
    rf"|\busing\s+(?P<used>{'|'.join(_HEADERS)})\s*="
    rf"|\b(?:struct|class|union|enum)\s+(?P<type>{'|'.join(_HEADERS)})\s*[:{{]"
    rf"|\b(?:__device__|__constant__|__managed__|static)\s[^;{{}}()=]*?\b(?P<variable>{'|'.join(_HEADERS)})\s*(?=[;=,[])"
)
WORDS = (frozenset({"using"}), frozenset({"std"}), frozenset(_HEADERS))


def run(work: Work) -> Iterator[Diagnostic]:
    """Report definitions at file scope of types and variables, in files that make the library's names visible."""
    unit = work.unit
    if is_hip(work) or not _USING.search(unit.code) or unit.source.name.endswith(".c"):
        return
    present = {line.operand for line in includes(unit)}
    for match in _DEFINED.finditer(unit.code):
        name, start = match[match.lastgroup or 0], match.start(match.lastgroup or 0)
        header = _HEADERS[name]
        known = header in present or (header != "complex" and any(map(_brings_much, present)))
        if known or unit.braces.around(Span(start, start + 1)) is not None:
            continue
        message = f"{name} is ambiguous behind `using namespace std`: HIP's headers include <{header}>, CUDA's do not"
        advice = (
            f"Write ::{name} where it is used, or replace the directive by declarations such as `using std::vector;`."
        )
        yield work.report(Span(start, start + len(name)), "HP131", Severity.WARNING, message, advice)


def _brings_much(header: str) -> bool:
    """Return whether a header of the library includes most of the others, also with CUDA."""
    return header in _STREAMED or header in ("algorithm", "functional", "map", "string", "vector", "memory")
