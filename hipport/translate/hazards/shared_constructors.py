"""HP136: shared variables of classes whose default constructor initializes: nvcc ignores that, Clang rejects it."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind, facts_of
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

WORDS = frozenset({"__shared__"})
_CONSTRUCTOR = re.compile(r"(?<![\w:~.>])([A-Za-z_]\w*)\s*\(\s*(?:void\s*)?\)\s*(?:noexcept\s*)?(?::(?!:)|\{\s*[^\s}])")
_CLASS = r"\b(?:struct|class)\s+(?:\w+\s*\([^()]*\)\s*)?{}\s*(?:final\s*)?[:{{]"
_VARIABLE = re.compile(
    r"\b__shared__\s+(?P<more>extern\s+)?(?:(?:__align__|alignas)\s*\([^()]*\)\s*|static\s+|volatile\s+)*"
    r"(?:\w+\s*::\s*)*(?P<type>[A-Za-z_]\w*)\s+[A-Za-z_]\w*\s*[\[;]"
)
_IS_EXTERN = re.compile(r"\bextern\s+\Z")
_ADVICE = "Make the default constructor trivial (Zq() = default;), or declare bytes and use them as the type."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report the declarations."""
    if is_hip(work) or "__shared__" not in work.unit.words:
        return
    known = {fact.subject for fact in facts_of(work.context.foreign, Kind.INITIALIZES)} | {*_classes(work)}
    for match in _VARIABLE.finditer(work.unit.code):
        name = match["type"]
        if name not in known or match["more"] or _IS_EXTERN.search(work.unit.code, 0, match.start()):
            continue
        if platform_at(work.unit, match.start("type")) is not Platform.NVIDIA:
            message = f"the default constructor of {name} initializes, which Clang rejects for shared variables"
            span = Span(match.start("type"), match.end("type"))
            yield work.report(span, "HP136", Severity.ERROR, message, _ADVICE)


def facts(work: Work) -> Iterator[str]:
    """Yield the classes whose default constructor initializes something."""
    yield from (str(Fact(Kind.INITIALIZES, name)) for name in _classes(work))


def asked(work: Work) -> Iterator[str]:
    """Yield the types of shared variables."""
    yield from {match["type"] for match in _VARIABLE.finditer(work.unit.code)}


def _classes(work: Work) -> Iterator[str]:
    names = {match[1] for match in _CONSTRUCTOR.finditer(work.unit.code)}
    yield from (name for name in sorted(names) if re.search(_CLASS.format(name), work.unit.code))
