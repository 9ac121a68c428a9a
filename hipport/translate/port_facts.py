"""Collect the traces of a project's own HIP port in a file: HIP headers, names it maps, CUDA names that remain."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from msgspec import Struct

from hipport import lazy_re as re
from hipport.mappings.entry import Entry
from hipport.mappings.tables import Tables
from hipport.source import SourceFile, Span
from hipport.translate.port_switches import selecting
from hipport.translate.references import Reference, resolve
from hipport.translate.syntax.brackets import word_before
from hipport.translate.syntax.conditions import UNDEFINED
from hipport.translate.syntax.includes import Include, includes
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.sides import Setting, Sides, is_projects_switch
from hipport.translate.syntax.unit import Unit, parse

_NAMING = (
    re.compile(r"\busing\s+([A-Za-z_]\w*)\s*="),
    re.compile(r"\bnamespace\s+([A-Za-z_]\w*)\s*="),
    re.compile(r"\btypedef\b[^;{}]{1,160}?\b([A-Za-z_]\w*)\s*;"),
    re.compile(r"\bconst(?:expr)?\b[^;{}()=]{1,160}?\b([A-Za-z_]\w*)\s*="),
)
"""Match definitions that give a name to something of HIP's: aliases and constants."""
_BODY = re.compile(r"\([^(){};]{0,400}\)\s*\{")
"""Matches the parameters of such a function, in front of its body."""


class PortFacts(Struct, frozen=True):
    """The contents of a file as a HIP compiler sees it, with the project's HIP macros defined.

    `includes`: the operands of its `#include` lines; `runs`: it includes a header of HIP; `provides`: the CUDA names
    that it defines; `needs`: CUDA names and headers in it, which HIP does not have by these names, each with the
    function or macro that it is an argument of; `device`: it has device code or launches; `branches`: it has code for
    HIP beside code for CUDA; `asks`: it asks for a macro of the project's own that says HIP; `defined`, `hidden`: the
    macros that it defines, and those whose definitions only nvcc sees; `selecting`: the macros by which it includes
    HIP's headers instead of CUDA's, each with the line of the test.
    """

    includes: tuple[str, ...] = ()
    runs: bool = False
    provides: frozenset[str] = frozenset()
    needs: frozenset[tuple[str, str]] = frozenset()
    device: bool = False
    branches: bool = False
    asks: bool = False
    defined: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    selecting: frozenset[tuple[str, int]] = frozenset()


def port_facts(data: bytes, name: str, tables: Tables, undefined: Collection[str] = ()) -> PortFacts:
    """Read the facts of one file; `undefined` are macros that no file of the project defines for HIP."""
    unit = parse(SourceFile.decode(data, name))
    sides = Sides(unit, dict.fromkeys(undefined, UNDEFINED))
    seen_by_hip = {False: set[str](), True: set[str]()}
    for line in unit.directives:
        if line.kind is DirectiveKind.DEFINE:
            seen_by_hip[sides.of(Setting.PORT, line.branch) is not False].add(line.name)
    lines = tuple(includes(unit))
    seen = [each for each in lines if sides.of(Setting.PORT, each.directive.branch) is not False]
    return PortFacts(
        tuple(each.operand for each in seen),
        any(each.operand in tables.hip_headers or each.operand.startswith("hip/") for each in seen),
        frozenset(_provided(unit, sides)) & tables.known,
        frozenset(
            (
                *_needed_names(unit, sides, resolve(unit, tables, frozenset()).found),
                *((name, "") for name in _needed_headers(seen, tables)),
            )
        ),
        bool(unit.shadow.device_words or unit.launches),
        any(brings_hip(unit, sides, line) for line in unit.branches.values()),
        any(is_projects_switch(name) for line in unit.branches.values() for name in sides.switches(line)),
        frozenset(seen_by_hip[True]),
        frozenset(seen_by_hip[False] - seen_by_hip[True]),
        frozenset(
            (macro, unit.source.position(at.span.start)[0]) for macro, at in selecting(unit, sides, lines, tables)
        ),
    )


def _provided(unit: Unit, sides: Sides) -> Iterator[str]:
    for line in unit.directives:
        if line.kind is DirectiveKind.DEFINE and sides.of(Setting.PORT, line.branch) is not False:
            yield line.name
    whole = Span(0, len(unit.code))
    yield from (name for name, at in _naming(unit, whole) if sides.at(Setting.PORT, at) is not False)


def _naming(unit: Unit, span: Span) -> Iterator[tuple[str, int]]:
    """Yield the names that definitions in a range give to something, with the places of the definitions."""
    for match in (each for pattern in _NAMING for each in pattern.finditer(unit.code, span.start, span.end)):
        yield match[1], match.start()
    for match in _BODY.finditer(unit.code, span.start, span.end):
        if name := word_before(unit.code, match.start()):
            yield name, match.start()


def _needed_names(unit: Unit, sides: Sides, references: Iterable[Reference]) -> Iterator[tuple[str, str]]:
    for reference in references:
        if _is_lacking(reference.entry) and sides.at(Setting.PORT, reference.span.start) is not False:
            line = unit.directive_at(reference.span.start)
            if line is None or line.kind is DirectiveKind.DEFINE:
                yield reference.entry.name, _callee(unit.code, reference.span.start)


_FARTHEST = 400


def _callee(code: str, offset: int) -> str:
    """Return the name in front of the parenthesis that an offset is in; empty without one."""
    depth = 0
    for at in range(offset - 1, max(0, offset - _FARTHEST), -1):
        depth += (code[at] == ")") - (code[at] == "(")
        if depth < 0:
            match = _LAST_WORD.search(code, max(0, at - 100), at)
            return match[1] if match is not None else ""
        if code[at] in ";{}":
            break
    return ""


_LAST_WORD = re.compile(r"([A-Za-z_]\w*)\s*\Z")


def _is_lacking(entry: Entry) -> bool:
    """Return whether HIP has no such name; names of device code are often the compiler's own."""
    renamed = entry.hip is not None and entry.hip.name != entry.name and entry.library != "device"
    return not entry.ordinary and (entry.hip is None or renamed)


def _needed_headers(seen: list[Include], tables: Tables) -> Iterator[str]:
    for include in seen:
        header = tables.headers.get(include.operand)
        if header is not None and include.operand not in tables.hip_headers and header.hip != include.operand:
            yield include.operand


def brings_hip(unit: Unit, sides: Sides, line: Directive) -> bool:
    """Return whether a line opens code for HIP that nvcc does not see: in an `#if` that asks for HIP."""
    return (
        sides.asks_for_hip(line)
        and sides.of(Setting.PORT, line.after) is not False
        and sides.of(Setting.NVCC, line.after) is False
        and _has_code(unit, line)
    )


def own_needs(unit: Unit, sides: Sides, tables: Tables, references: Iterable[Reference]) -> frozenset[str]:
    """Return the CUDA names and headers that HIP's compilers see in a file and that it gives no meaning itself."""
    names = {name for name, _ in _needed_names(unit, sides, references)} - {*_provided(unit, sides)}
    seen = [each for each in includes(unit) if sides.of(Setting.PORT, each.directive.branch) is not False]
    return frozenset((*names, *_needed_headers(seen, tables)))


_CLASS = re.compile(r"\b(?:struct|class|union|enum)\s+([A-Za-z_]\w*)|#\s*define\s+([A-Za-z_]\w*)")


def defined_names(unit: Unit, span: Span) -> frozenset[str]:
    """Return the macros, aliases, constants, functions and classes that a range defines."""
    classes = _CLASS.finditer(unit.code, span.start, span.end)
    named = {name for name, _ in _naming(unit, span)}
    return frozenset(named.union(match[match.lastindex or 0] for match in classes)) - _WORDS


_WORDS = frozenset({"if", "for", "while", "switch"})


def _has_code(unit: Unit, line: Directive) -> bool:
    following = next((other for other in unit.directives if other.span.start > line.span.start), None)
    end = following.span.start if following is not None else len(unit.code)
    directive = following is not None and following.word in ("include", "define", "if", "ifdef", "ifndef")
    return directive or bool(unit.code[line.span.end : end].strip())
