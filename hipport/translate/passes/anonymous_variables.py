"""Device variables that compilers before ROCm 6.0 hide from the host: `static`, which makes them visible.

Up to LLVM 16, clang makes a `static` variable visible to the host's calls, such as `hipMemcpyToSymbol`, but not one
that has internal linkage because of its namespace or its type: one of an anonymous namespace, or a struct without a
name. Kernels then use the initial value as a constant, and the calls fail (ROCm/hip issue 3246). `static` changes
nothing else there.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
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
_TYPE = re.compile(r"\b(?:struct|class|union|enum)\s+(?:(?:class|struct)\s+)?(?P<name>[A-Za-z_]\w*)\s*[:{;]")
_WORD = re.compile(r"[A-Za-z_]\w*")
_WITHOUT_NAME = re.compile(r"(?:(?:__constant__|__device__|__managed__|volatile)\s+)+(?:struct|union)\s*(?=\{)")
_DECLARATOR = re.compile(r"\s*[A-Za-z_]\w*\s*[\[;={,]")
WORDS = (_WORDS,)


def run(work: Work) -> Iterator[Edit]:
    """Insert `static` in front of device variables whose namespace or type gives them internal linkage."""
    unit = work.unit
    if release(work.context.tables.releases.rocm) >= _UNTIL:
        return
    bodies = [Span(match.end() - 1, _close(unit, match.end() - 1)) for match in _ANONYMOUS.finditer(unit.code)]
    types = {match["name"] for match in _TYPE.finditer(unit.code) if _is_inside(bodies, match.start())}
    starts = {_start(unit, offset): offset for _, offset in unit.occurrences(_WORDS)}
    for start, offset in starts.items():
        if unit.directive_at(offset) is not None:
            continue
        variable = _variable(unit, start, offset)
        hidden = variable and (_is_inside(bodies, offset) or not types.isdisjoint(_WORD.findall(variable)))
        if (hidden or _has_type_without_name(unit, start, offset)) and _is_in_namespaces(unit, start):
            yield Replace(offset, offset, "static ")


def _close(unit: Unit, start: int) -> int:
    close = matching_close(unit.code, start)
    return len(unit.code) if close is None else close


def _is_inside(bodies: list[Span], offset: int) -> bool:
    return any(body.start < offset < body.end for body in bodies)


def _start(unit: Unit, offset: int) -> int:
    """Return where the declaration around an offset starts: behind the statement, brace or directive before it."""
    return max(unit.shadow.main.rfind(sign, 0, offset) for sign in ";{}") + 1


def _variable(unit: Unit, start: int, offset: int) -> str:
    """Return the declaration, up to the name, of a variable that the host may write and that may be `static`."""
    match = _VARIABLE.match(unit.code, offset)
    if match is None:
        return ""
    declared = unit.shadow.main[start:offset] + unit.code[offset : match.start("end")]
    return "" if _NO_STATIC.search(declared) else declared


def _has_type_without_name(unit: Unit, start: int, offset: int) -> bool:
    """Return whether a declaration is `__constant__ struct { ... } variable`, and may be `static`."""
    match = _WITHOUT_NAME.match(unit.code, offset)
    close = matching_close(unit.code, match.end()) if match is not None else None
    is_free = _NO_STATIC.search(unit.shadow.main[start:offset]) is None
    return close is not None and is_free and _DECLARATOR.match(unit.code, close + 1) is not None


def _is_in_namespaces(unit: Unit, offset: int) -> bool:
    """Return whether all braces around an offset are those of namespaces."""
    around = unit.braces.around(Span(offset, offset))
    while around is not None:
        if _NAMESPACE.search(unit.shadow.main, 0, around.start) is None:
            return False
        around = unit.braces.around(Span(around.start - 1, around.end))
    return True
