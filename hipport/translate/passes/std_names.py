"""Names of a project that `using namespace std` makes ambiguous in HIP, whose headers include more of the library.

`typedef float real;` beside `using namespace std;` compiles with nvcc, which includes little more than <cmath>.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind, question
from hipport.source import Span
from hipport.translate.inclusion import brought_by
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.named_scopes import USING_STD
from hipport.translate.syntax.unit import Unit
from hipport.translate.syntax.usage import defined_kind
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
WORDS = (frozenset({"using"}), frozenset({"std"}), frozenset(_HEADERS))


def run(work: Work) -> Iterator[Diagnostic]:
    """Report definitions at file scope of types and variables, in files that make the library's names visible.

    Definition and directive may be in included files; where the definition is, the first use of the name is reported.
    """
    unit = work.unit
    directive = _directive(unit.code)
    anywhere = bool(work.told(Kind.DIRECTIVE))
    if is_hip(work) or (directive is None and not anywhere) or unit.source.name.endswith(".c"):
        return
    present = brought_by(unit) | {fact.value for fact in work.facts(Kind.BRINGS)}
    own = [*_definitions(unit)]
    places = [(name, start) for name, _, start in own]
    behind = 0 if anywhere or directive is None else directive.end()
    for name, kind in sorted((fact.subject, fact.value) for fact in work.facts(Kind.STD_NAME)):
        used = _first_use(unit.code, name, kind, behind) if all(name != each for each, _, _ in own) else None
        places += [(name, used)] if used is not None else []
    for name, start in places:
        header = _HEADERS[name]
        if header in present or (header != "complex" and "much" in present):
            continue
        message = f"{name} is ambiguous behind `using namespace std`: HIP's headers include <{header}>, CUDA's do not"
        advice = (
            f"Write ::{name} where it is used, or replace the directive by declarations such as `using std::vector;`."
        )
        yield work.report(Span(start, start + len(name)), "HP131", Severity.WARNING, message, advice)


def _directive(code: str) -> re.Match[str] | None:
    """Return the first directive that begins a line."""
    for match in USING_STD.finditer(code):
        if not code[code.rfind("\n", 0, match.start()) + 1 : match.start()].strip(" \t"):
            return match
    return None


def facts(work: Work) -> Iterator[str]:
    """Yield the names of the library that the file defines, and whether it makes the library's visible."""
    yield from (str(Fact(Kind.STD_NAME, name, kind)) for name, kind, _ in _definitions(work.unit))
    if _directive(work.unit.code) is not None:
        yield str(Fact(Kind.DIRECTIVE, "std"))


def asked(work: Work) -> Iterator[str]:
    """Yield whether another file has a directive, for a file that defines such names."""
    if any(True for _ in _definitions(work.unit)):
        yield question(Kind.DIRECTIVE, "std")


def _definitions(unit: Unit) -> Iterator[tuple[str, str, int]]:
    """Yield name, kind and place of what a file defines at its scope, with the name of something in the library."""
    for name, start in unit.occurrences(_HEADERS.keys()):
        kind = defined_kind(unit.code, start, start + len(name))
        if kind and unit.braces.around(Span(start, start + 1)) is None:
            yield name, kind, start


_FRONT = r"(?<![\w.:~])(?<!->)"


def _first_use(code: str, name: str, kind: str, behind: int) -> int | None:
    """Return the place of the first unqualified use, None if a file declares the name for something else, too."""
    if re.search(rf"\b(?:class|typename|struct|union|enum|namespace|define)\s+{name}\b", code):
        return None
    if kind == "type":
        use = rf"{_FRONT}{name}(?=\s*[*&]+\s*[\w,>)]|\s+[A-Za-z_]|\s*[>)(,])"
    elif re.search(rf"[\w>*&]\s*(?<!\breturn )[\s*&]{name}\s*[=;,)\[({{]", code):
        return None
    else:
        use = rf"{_FRONT}{name}\b(?!\s*(?:::|\())"
    found = re.compile(use).search(code, behind)
    return found.start() if found is not None else None
