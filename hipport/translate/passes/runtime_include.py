"""The header of HIP's runtime: whether a file includes it, and whether it needs to, as nvcc itself includes CUDA's."""

from __future__ import annotations

from hipport.files.facts import Fact, Kind
from hipport.files.inclusion import IN_CODE
from hipport.source import Edit, Replace, Span
from hipport.translate.inclusion import RUNTIME
from hipport.translate.passes import hip_branches
from hipport.translate.passes.known_headers import is_standard, target_of
from hipport.translate.syntax.includes import Include, includes
from hipport.translate.syntax.lexer import Branch, DirectiveKind, encloses
from hipport.translate.syntax.prologue import guard_branch, insertion_point, is_guarded
from hipport.translate.syntax.sides import Setting
from hipport.translate.syntax.words import ASSEMBLY
from hipport.translate.work import Work

_ATTRIBUTES = {"__host__": "__attribute__((host))", "__device__": "__attribute__((device))"}
"""The sides where `__host__` may not be defined, as in headers that units without HIP include, too."""
HIP_RUNTIME = str(Fact(Kind.INCLUDED, RUNTIME))
"""The fact that a header of the project includes the runtime itself, behind what it defines for it."""
SUPPORT = "hipport/compat/"
"""The folder of headers that include the runtime themselves."""
_BEGUN = frozenset({IN_CODE, HIP_RUNTIME})
"""Facts of files in front of which others include the runtime."""
_OWN = "hipport::ptx::"
"""The namespace of what translations of inline PTX call."""
_NVCC_SUFFIXES = (".cu", ".hip")
_UNIT_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".c++")
_HEADER_SUFFIXES = (".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".h++")


def is_behind_runtime(work: Work) -> bool:
    """Return whether every compilation of a file begins with the runtime: nvcc includes it, or all includers do."""
    return work.unit.source.name.lower().endswith(_NVCC_SUFFIXES) or any(map(work.is_told, _BEGUN))


def missing_runtime(work: Work) -> Edit | None:
    """Return the edit that includes the HIP runtime, if the file needs it and does not include it."""
    name = work.unit.source.name.lower()
    if any(map(work.is_told, _BEGUN)):
        return None
    if name.endswith(_NVCC_SUFFIXES):
        needed = not _starts_with_runtime(work) and (_uses_anywhere(work) or _relies_on_nvcc(work))
    elif name.endswith(_HEADER_SUFFIXES) or (not name.endswith(_UNIT_SUFFIXES) and is_guarded(work.unit)):
        uses = _uses_anywhere if name.endswith((".cuh", ".hu")) else _uses_unconditionally
        needed = not _has_runtime(work) and uses(work)
    else:
        needed = False
    if not needed:
        return None
    at = insertion_point(work.unit)
    newline = work.unit.source.newline
    blank_before, blank_after = (newline if wanted else "" for wanted in (at.blank_before, at.blank_after))
    return Replace(at.offset, at.offset, f"{blank_before}#include <{RUNTIME}>{newline}{blank_after}")


def _has_runtime(work: Work) -> bool:
    return any(target_of(work, include) == RUNTIME for include in includes(work.unit))


def _starts_with_runtime(work: Work) -> bool:
    """Return whether the runtime is included unconditionally and before any header that may rely on it.

    nvcc includes it before the first line, so headers of the project and of CUDA do rely on it.
    """
    guard = guard_branch(work.unit)
    for include in includes(work.unit):
        ours = include.operand.startswith(SUPPORT)
        if (ours or target_of(work, include) == RUNTIME) and _is_taken(work, include, guard):
            return not is_inside_block(work, include)
        if include.quoted or not is_standard(include):
            return False
    return False


def _is_taken(work: Work, include: Include, guard: Branch) -> bool:
    """Return whether HIP's compilers see an include: outside all conditions, or in a branch for them."""
    if encloses(include.directive.branch, guard):
        return True
    return work.sides.switched and work.sides.of(Setting.HIP, include.directive.branch) is True


def brings_runtime(work: Work) -> bool:
    """Return whether the source itself has an include of HIP's runtime that HIP's compilers always see."""
    wanted = [each for each in includes(work.unit) if each.operand == RUNTIME]
    return any(work.sides.of(Setting.HIP, each.directive.branch) is True for each in wanted)


def is_inside_block(work: Work, include: Include) -> bool:
    """Return whether an include is inside braces, mostly `extern "C"`, where HIP's templates cannot be."""
    before = work.unit.code[: include.directive.body.start]
    return before.count("{") > before.count("}")


def _uses_anywhere(work: Work) -> bool:
    """Return whether the file uses anything that nvcc knows without an `#include`."""
    unit = work.unit
    if unit.launches or unit.shadow.device_words:
        return True
    places = [
        *(found for found in unit.occurrences(work.context.tables.known) if not unit.code.endswith(_OWN, 0, found[1])),
        *((each, each.span.start) for each in work.references.found),
    ]
    return any(not work.sides.switched or _is_seen(work, offset) for _, offset in places) or _has_ptx(work)


def _has_ptx(work: Work) -> bool:
    """Return whether the file has inline PTX, whose translation may call HIP's functions."""
    if ASSEMBLY.isdisjoint(work.unit.words):
        return False
    from hipport.translate.ptx.recognize import is_ptx
    from hipport.translate.ptx.statement import asm_statements

    return any(
        is_ptx(each, work.unit.original(each.span)) and _is_seen(work, each.span.start)
        for each in asm_statements(work.unit)
    )


def _is_seen(work: Work, offset: int) -> bool:
    """Return whether HIP's compilers may see a use; a condition is none in a file that asks for HIP itself."""
    line = work.unit.directive_at(offset)
    return (line is None or line.kind is DirectiveKind.DEFINE) and not hip_branches.only_nvcc(work, offset)


def _relies_on_nvcc(work: Work) -> bool:
    """Return whether this is a .cu source with project headers, which may use names that nvcc predeclares.

    Those that include CUDA's headers may stand in `extern "C" { }`, where HIP's cannot be included first.
    """
    others = (each for each in includes(work.unit) if each.quoted or is_inside_block(work, each))
    return work.unit.source.name.lower().endswith(".cu") and any(others)


def _uses_unconditionally(work: Work) -> bool:
    """Return whether a header has device code visible to every includer, not only to a CUDA compiler."""
    guard = guard_branch(work.unit)
    spans = [*work.unit.shadow.device_words, *(launch.open for launch in work.unit.launches)]
    return any(encloses(_branch_at(work, span), guard) for span in spans)


def _branch_at(work: Work, span: Span) -> Branch:
    """Return the conditional branches around a range; a macro's body counts as guarded."""
    if work.unit.directive_at(span.start) is not None:
        return ((-1, 0),)
    return work.unit.branch_at(span.start)


def named_sides(work: Work, sides: frozenset[str]) -> list[str]:
    """Return the words for sides in a file that may be read without HIP's headers."""
    is_known = brings_runtime(work) or not work.unit.words.isdisjoint(_ATTRIBUTES)
    return [word if is_known else _ATTRIBUTES[word] for word in _ATTRIBUTES if word in sides]
