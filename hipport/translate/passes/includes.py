"""`#include` lines: mapped, merged, dropped, adapted to renamed files, and added where nvcc includes implicitly."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Kind
from hipport.files.inclusion import spelling_of
from hipport.mappings.entry import Header
from hipport.source import Edit, Replace
from hipport.translate.inclusion import RUNTIME
from hipport.translate.passes import c_sources, hip_branches
from hipport.translate.passes.known_headers import known
from hipport.translate.passes.runtime_include import is_behind_runtime, is_inside_block, missing_runtime
from hipport.translate.syntax.includes import Include, includes
from hipport.translate.syntax.lexer import Branch, Directive, encloses
from hipport.translate.syntax.prologue import guard_branch
from hipport.translate.work import Work

_WITHOUT_RUNTIME = frozenset(
    {
        *(f"hip/hip_{name}.h" for name in ("bf16", "fp16", "fp8", "gl_interop", "vector_types")),
        "hipport/compat/wmma.h",
    }
)
"""Headers that do not include HIP's runtime, or rely on it, for CUDA's that include CUDA's."""
_PARTS_OF_RUNTIME = frozenset(
    f"hip/{name}.h"
    for name in ("channel_descriptor", "driver_types", "hip_texture_types", "surface_types", "texture_types")
)
"""Headers of HIP that do not compile alone, which a port includes before the runtime."""


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Translate the `#include` lines and add the runtime's if it is missing."""
    seen: list[tuple[str, Branch]] = []
    inserted = missing_runtime(work)
    if inserted is not None:
        yield inserted
        seen.append((RUNTIME, guard_branch(work.unit)))
    for include in includes(work.unit):
        yield from _translate(work, include, seen)


def _translate(work: Work, include: Include, seen: list[tuple[str, Branch]]) -> Iterator[Edit | Diagnostic]:
    branch = include.directive.branch
    header = known(work, include) if not hip_branches.only_nvcc(work, include.span.start) else None
    target = spelling_of(include.operand, work.told(Kind.RESPELLED)) if include.quoted else include.operand
    folder, slash, name = target.rpartition("/")
    if header is not None and not (header.hip or header.drop):
        yield _unsupported(work, include, header)
    elif header is not None and header.drop:
        yield _remove(work, include.directive)
        return
    elif header is not None and header.hip:
        target = work.context.tables.c_includes.get(target, header.hip) if c_sources.is_c(work) else header.hip
        if header.note and target != include.operand:
            yield work.report(include.span, "HP108", Severity.NOTE, f"<{include.operand}>: {header.note}")
    elif name in work.context.renamed:
        target = folder + slash + work.context.renamed[name]
    if header is not None and any(target == other and encloses(outer, branch) for other, outer in seen):
        yield _remove(work, include.directive)
        return
    alone = target in _PARTS_OF_RUNTIME or (header is not None and target in _WITHOUT_RUNTIME)
    if alone and not _has_seen_runtime(seen, branch):
        yield from _runtime_in_front(work, include)
        seen.append((RUNTIME, branch))
    seen.append((target, branch))
    spelled = work.unit.source.text[include.span.start : include.span.end]
    if target.encode("utf-8", "surrogateescape") != spelled:
        yield Replace(include.span.start, include.span.end, target)


def _has_seen_runtime(seen: list[tuple[str, Branch]], branch: Branch) -> bool:
    """Return whether a header in front, which a branch sees, is the runtime's or one of a library with it."""
    brings = (outer for target, outer in seen if target.startswith(("hip", "roc")) and target not in _WITHOUT_RUNTIME)
    return any(encloses(outer, branch) for outer in brings)


def _runtime_in_front(work: Work, include: Include) -> Iterator[Edit]:
    """Include the runtime in front of a header that relies on it, in sources that nvcc does not begin with it."""
    if is_behind_runtime(work) or is_inside_block(work, include):
        return
    start = work.unit.source.text.rfind(b"\n", 0, include.directive.span.start) + 1
    yield Replace(start, start, f"#include <{RUNTIME}>{work.unit.source.newline}")


def _unsupported(work: Work, include: Include, header: Header) -> Diagnostic:
    message = f"<{include.operand}> has no counterpart in HIP"
    if header.reason:
        message += f": {header.reason}"
    return work.report(include.span, "HP102", Severity.ERROR, message, header.alternative)


_LINE = re.compile(rb"[ \t]*#[^\n<\"]*(?:<[^>\n]*>|\"[^\"\n]*\")[ \t]*(\r?\n|\Z)?")


def _remove(work: Work, line: Directive) -> Edit:
    """Remove the whole line, or only the directive where a comment follows it."""
    text = work.unit.source.text
    start = text.rfind(b"\n", 0, line.span.start) + 1
    match = _LINE.match(text, start)
    # A comment in front of the `#` is kept as well.
    return Replace(start, match.end(), "", whole=True) if match else Replace(line.span.start, line.span.end, "")
