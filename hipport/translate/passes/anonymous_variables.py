"""Device variables of anonymous namespaces: `static`, because compilers before ROCm 6.0 hide the others from the host.

Up to LLVM 16, clang makes a `static` variable visible to the host's calls, such as `hipMemcpyToSymbol`, but not one
that has internal linkage because of its namespace. Kernels then use the initial value as a constant, and the calls fail
(ROCm/hip issue 3246). `static` changes nothing else there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.mappings.life import release
from hipport.source import Edit, Replace, Span
from hipport.translate.syntax.brackets import matching_close
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_UNTIL = (6,)
_WORDS = frozenset({"__constant__", "__device__"})
_ANONYMOUS = re.compile(r"\bnamespace\s*(?:\[\[[^\]]*\]\]\s*)?\{")
_NAMESPACE = re.compile(r"\bnamespace\b[\w\s:]*(?:\[\[[^\]]*\]\]\s*)?\Z")
_VARIABLE = re.compile(
    r"(?:(?:__align__|alignas|__attribute__)\s*\((?:[^()]|\([^()]*\))*\)|::|<(?:[^<>;{}()]|<[^<>;{}()]*>)*>|[\w\s*&])+"
    r"(?P<end>[;=\[{,])"
)
_NO_STATIC = re.compile(
    r"\b(?:static|extern|template|constexpr|struct|class|union|enum|using|typedef|friend|inline)\b"
    r"|\bconst\b(?!.*\*(?!\s*const\b))",
    re.DOTALL,
)
"""Words of declarations that need no `static` or allow none, and constants, which the host cannot write."""


def run(work: Work) -> Iterator[Edit]:
    """Insert `static` in front of the device variables of anonymous namespaces."""
    unit = work.unit
    if release(work.context.tables.releases.rocm) >= _UNTIL or unit.words.isdisjoint(_WORDS):
        return
    bodies = [Span(match.end() - 1, _close(unit, match.end() - 1)) for match in _ANONYMOUS.finditer(unit.code)]
    starts = {_start(unit, offset): offset for _, offset in unit.occurrences(_WORDS) if _is_inside(bodies, offset)}
    for start, offset in starts.items():
        if unit.directive_at(offset) is None and _is_variable(unit, start, offset) and _is_in_namespaces(unit, start):
            yield Replace(offset, offset, "static ")


def _close(unit: Unit, start: int) -> int:
    close = matching_close(unit.code, start)
    return len(unit.code) if close is None else close


def _is_inside(bodies: list[Span], offset: int) -> bool:
    return any(body.start < offset < body.end for body in bodies)


def _start(unit: Unit, offset: int) -> int:
    """Return where the declaration around an offset starts: behind the statement, brace or directive before it."""
    return max(unit.shadow.main.rfind(sign, 0, offset) for sign in ";{}") + 1


def _is_variable(unit: Unit, start: int, offset: int) -> bool:
    """Return whether a declaration is that of a variable that the host may write and that may be `static`."""
    match = _VARIABLE.match(unit.code, offset)
    if match is None:
        return False
    declared = unit.shadow.main[start:offset] + unit.code[offset : match.start("end")]
    return _NO_STATIC.search(declared) is None


def _is_in_namespaces(unit: Unit, offset: int) -> bool:
    """Return whether all braces around an offset are those of namespaces."""
    around = unit.braces.around(Span(offset, offset))
    while around is not None:
        if _NAMESPACE.search(unit.shadow.main, 0, around.start) is None:
            return False
        around = unit.braces.around(Span(around.start - 1, around.end))
    return True
