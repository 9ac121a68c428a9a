"""Names that look like CUDA's and that nobody knows: misspelled ones, and those of newer or private headers.

Such a name may be declared in another file of the project, which one file cannot tell. So a file yields its findings
and the names that it declares; who knows all files keeps the findings about names that none of them declares.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Kind
from hipport.mappings.tables import Tables
from hipport.source import Span
from hipport.translate.references import may_mean_cuda
from hipport.translate.syntax.brackets import skip_blanks
from hipport.translate.syntax.definitions import is_declared_at
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_LIKE_CUDA = re.compile(
    r"(?:cu|cuda|cublas(?:Lt|Xt)?|cudnn|cufft|cusparse(?:Lt)?|cusolver(?:Dn|Sp|Rf|Mg)?|curand|cutensor|cudss|cupti"
    r"|nccl|nvrtc|nvml|nvtx|nvjpeg|npp[is]?)[A-Z]\w*|__(?:nv|internal)_[a-z]\w*"
)
"""Functions and types as NVIDIA's libraries, and the private parts of CUDA's headers, spell them.

Names in capitals are mostly macros of the projects.
"""
_WORD = re.compile(r"[A-Za-z_]\w*")
_BEFORE_PASTE = re.compile(r"\b([A-Za-z_]\w*)\s*##")
_AFTER_PASTE = re.compile(r"##\s*(\w*[A-Za-z]\w{4,})")
_ARGUMENT = re.compile(r"\b[A-Z][A-Z\d_]+\s*\((?:\s*[A-Za-z_]\w*\s*,)*\s*\Z")
"""Matches in front of an argument of a macro, behind names alone: `TEST(Memory, cudaMallocFails)`."""
_OF_MACRO_TYPE = re.compile(
    r"[;{}]\s*[A-Z][A-Z\d_]+\s*\([^(){};]*\)\s*(?P<names>[*&\s]*[A-Za-z_]\w*\s*(?:[,=[][^;(){}]*)?);"
)
"""Matches variables whose type a macro makes: `API(Event_t) cudaStart, cudaStop;`."""
_NAMED = re.compile(r"(?:\A|,)[*&\s]*([A-Za-z_]\w*)")
_NO_SUGGESTION = "If CUDA has it, map it in a table of your own (--mappings)."


class UnknownNames(Struct, frozen=True):
    """Names like CUDA's that the tables lack: those `declared` in a file, and those `found` that it only uses."""

    declared: frozenset[str] = frozenset()
    found: tuple[tuple[str, Diagnostic], ...] = ()


def unknown_names(work: Work) -> UnknownNames:
    """Return the names of a file that look like CUDA's and are not in the tables, with a finding at the first use."""
    unit, tables = work.unit, work.context.tables
    places = _places(unit, tables)
    if not places:
        return UnknownNames()
    declared = _declared(unit, places)
    first: dict[str, Diagnostic] = {}
    for name, offset in places:
        if name not in declared and name not in first and _counts(work, name, offset):
            first[name] = _finding(work, name, offset)
    return UnknownNames(declared, tuple(first.items()))


def declared_names(unit: Unit, tables: Tables) -> frozenset[str]:
    """Return the names like CUDA's that a file declares, in any scope, and that the tables lack."""
    places = _places(unit, tables)
    return _declared(unit, places) if places else frozenset()


def _places(unit: Unit, tables: Tables) -> list[tuple[str, int]]:
    return unit.occurrences(frozenset(name for name in unit.words if _is_unknown(name, tables)))


def _declared(unit: Unit, places: Sequence[tuple[str, int]]) -> frozenset[str]:
    """Return the names that are declared at one of these places, and patterns for those that macros paste."""
    found = {name for name, _ in places if name in unit.macros}
    for name, offset in places:
        if name not in found and is_declared_at(unit, name, offset):
            found.add(name)
    return frozenset(found | {*_pasted(unit), *_of_macro_types(unit)})


def _of_macro_types(unit: Unit) -> Iterator[str]:
    for match in _OF_MACRO_TYPE.finditer(unit.code):
        yield from (name for name in _NAMED.findall(match["names"]) if _LIKE_CUDA.fullmatch(name))


def _pasted(unit: Unit) -> Iterator[str]:
    """Yield patterns of the names that the file's macros paste together: `ncclParam*` for `ncclParam##name`."""
    for line in unit.directives:
        text = unit.code[line.body.start : line.body.end]
        if line.kind is DirectiveKind.DEFINE and "##" in text:
            # What a parameter stands for is unknown: its own name says nothing about the pasted one.
            parameters = frozenset(_WORD.findall(unit.code[line.span.start : line.body.start]))
            before = (match[1] for match in _BEFORE_PASTE.finditer(text) if _LIKE_CUDA.fullmatch(match[1]))
            yield from (f"{word}*" for word in before if word not in parameters)
            after = (match[1] for match in _AFTER_PASTE.finditer(text))
            yield from (f"*{word}" for word in after if word not in parameters)


@functools.lru_cache(1 << 16)
def _is_like_cuda(name: str) -> bool:
    return _LIKE_CUDA.fullmatch(name) is not None


def _is_unknown(name: str, tables: Tables) -> bool:
    return _is_like_cuda(name) and name not in tables.known and name not in tables.members


def _counts(work: Work, name: str, offset: int) -> bool:
    """Return whether a name is used as CUDA's would be, outside the conditions of the preprocessor."""
    unit, tables, told = work.unit, work.context.tables, work.told(Kind.SAYS)
    line = unit.directive_at(offset)
    if line is not None and (line.kind is not DirectiveKind.DEFINE or offset < line.body.start):
        return False
    if line is not None and unit.code[line.body.start : line.body.end].strip() == name:
        # Such a macro may make a string of a name that `dlsym` looks up, of the project's own spelling.
        return _nearest(name, tables) is not None and may_mean_cuda(unit, name, offset, tables, told)
    return may_mean_cuda(unit, name, offset, tables, told) and not _is_pasted(unit, name, offset)


def _is_pasted(unit: Unit, name: str, offset: int) -> bool:
    """Return whether a name alone is the argument of a macro, which may make another name of it."""
    after = skip_blanks(unit.code, offset + len(name))
    alone = unit.code[after : after + 1] in (")", ",")
    return alone and _ARGUMENT.search(unit.code, max(0, offset - 100), offset) is not None


def _finding(work: Work, name: str, offset: int) -> Diagnostic:
    span, library = Span(offset, offset + len(name)), work.context.tables.headers.get(name)
    if library is not None and library.hip is None and library.reason:
        # A pattern of headers such as `npp*` stands for a library whose functions begin like its headers.
        message = f"{name} has no counterpart in HIP: {library.reason}"
        return work.report(span, "HP101", Severity.ERROR, message, library.alternative)
    message = f"{name} is unknown: neither the mapping tables have it nor does a file of the project declare it"
    return work.report(span, "HP112", Severity.WARNING, message)


def undeclared(
    found: Sequence[tuple[str, Diagnostic]], declared: frozenset[str], tables: Tables
) -> Iterator[Diagnostic]:
    """Yield the findings about names that no file of a project declares, with advice or the nearest known names."""
    patterns = [name for name in declared if "*" in name]
    for name, diagnostic in found:
        if name not in declared and not any(_matches(name, pattern) for pattern in patterns):
            yield diagnostic if diagnostic.advice else replace(diagnostic, advice=_suggestion(name, tables))


def _nearest(name: str, tables: Tables) -> str | None:
    from hipport.translate.spelling import nearest  # few files have unknown names

    return nearest(name, tables.known)


def _suggestion(name: str, tables: Tables) -> str:
    near = _nearest(name, tables)
    return f"Did you mean {near}?" if near else _NO_SUGGESTION


def _matches(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name.endswith(pattern[1:])
