"""`#include` lines: mapped, merged, dropped, adapted to renamed files, and added where nvcc includes implicitly."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.files.facts import Fact, Kind
from hipport.files.inclusion import IN_CODE, fact, spelling_of
from hipport.mappings.entry import Header
from hipport.source import Edit, Replace, Span
from hipport.translate.inclusion import is_replaced
from hipport.translate.passes import c_sources, hip_branches
from hipport.translate.syntax.includes import Include, includes
from hipport.translate.syntax.lexer import Branch, Directive, DirectiveKind
from hipport.translate.syntax.prologue import guard_branch, insertion_point, is_guarded
from hipport.translate.syntax.sides import Setting
from hipport.translate.syntax.words import ASSEMBLY
from hipport.translate.work import Work

RUNTIME = "hip/hip_runtime.h"
HIP_RUNTIME = str(Fact(Kind.INCLUDED, RUNTIME))
"""The fact that a header of the project includes the runtime itself, behind what it defines for it."""
_OWN = "hipport::ptx::"  # what translations of inline PTX call
SUPPORT = "hipport/compat/"  # headers that include the runtime themselves
_NVCC_SUFFIXES = (".cu", ".hip")
_CPP_STANDARD = re.compile(r"[a-z0-9_]+\Z")
_C_STANDARD = re.compile(
    r"(?:(?:sys|linux|arpa|netinet|bits)/.*|assert|complex|ctype|dirent|errno|fcntl|fenv|float|getopt|inttypes|limits"
    r"|locale|malloc|math|memory|pthread|sched|semaphore|setjmp|signal|std(?:align|arg|atomic|bool|def|int|io|lib|noreturn)"
    r"|string|strings|tgmath|threads|time|uchar|unistd|wchar|wctype)(?:\.h)?\Z"
)
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
_UNIT_SUFFIXES = (".c", ".cc", ".cpp", ".cxx", ".c++")
_HEADER_SUFFIXES = (".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".h++")


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Translate the `#include` lines and add the runtime's if it is missing."""
    seen: list[tuple[str, Branch]] = []
    inserted = missing_runtime(work)
    if inserted is not None:
        yield inserted
        seen.append((RUNTIME, guard_branch(work.unit)))
    for include in includes(work.unit):
        yield from _translate(work, include, seen)
    yield from _named_by_macros(work)


_OPERAND = re.compile(rb"\s*[<\"]([^<>\"\n]+)[>\"]\s*(?://.*|/\*.*)?\Z", re.DOTALL)
_BARE = re.compile(rb"\s*([\w/-]+\.\w+)\s*(?://.*|/\*.*)?\Z", re.DOTALL)
"""Matches a header that other macros put into quotation marks: `#define HALF cuda_fp16.h`."""
_ARGUMENT = re.compile(rb"[\w./-]*\w")


def _named_by_macros(work: Work) -> Iterator[Edit | Diagnostic]:
    """Follow renamed files and headers of CUDA in `#define KERNELS "kernels.cu"` and `#include STRING(kernels.cu)`."""
    mapped = [*_mapped_by_macros(work)]
    yield from mapped
    yield from _put_together(work, [edit.start for edit in mapped if isinstance(edit, Replace)])
    renamed, text = work.context.renamed, work.unit.source.text
    spelled = {line.directive.span.start for line in includes(work.unit)}
    for line in work.unit.directives if renamed else ():
        if line.kind is DirectiveKind.DEFINE and (match := _OPERAND.match(text, line.body.start, line.body.end)):
            spans = [match.span(1)]
        elif line.kind is DirectiveKind.INCLUDE and line.span.start not in spelled:
            spans = [match.span() for match in _ARGUMENT.finditer(text, line.body.start, line.body.end)]
        else:
            continue
        for start, end in spans:
            folder, slash, name = text[start:end].decode("utf-8", "surrogateescape").rpartition("/")
            if name in renamed:
                yield Replace(start, end, folder + slash + renamed[name])


def _joined(work: Work, lines: list[Directive]) -> dict[int, str]:
    """Return the headers that the operands of `#include` lines expand to, by the lines' offsets."""
    if not lines:
        return {}
    from hipport.translate.syntax.computed_headers import header_of, macros_of, text_in

    macros = macros_of(work.unit)
    return {line.span.start: header_of(text_in(work.unit, line.body), macros) for line in lines}


def _put_together(work: Work, mapped: list[int]) -> Iterator[Edit | Diagnostic]:
    """Spell out the headers of CUDA that macros of the file join from parts: `#define HEADER(name) <cuda_##name.h>`.

    Lines of which a part is mapped (at these offsets), or reported because it is the whole name, are left out.
    """
    spelled = {line.directive.span.start for line in includes(work.unit)}
    lines = [line for line in work.unit.directives if line.kind is DirectiveKind.INCLUDE]
    computed = [line for line in lines if line.span.start not in spelled]
    joined = _joined(work, computed)
    for line in computed:
        name = joined[line.span.start]
        header = work.context.tables.headers.get(name)
        bodies = [body for used in _names_used(work, [line]) for body in work.unit.macros.get(used, ())]
        is_mapped = any(span.start <= at < span.end for span in (line.body, *bodies) for at in mapped)
        is_mapped = is_mapped or any(name.encode() in work.unit.source.text[span.start : span.end] for span in bodies)
        if header is None or is_mapped or work.is_told(fact(Kind.OWN, name)):
            continue
        target = header.hip or (RUNTIME if header.drop else "")
        if target:
            code = work.unit.code[line.body.start : line.body.end]
            yield Replace(line.body.start, line.body.start + len(code.rstrip()), f" <{target}>")
        else:
            message = f"<{name}> has no counterpart in HIP"
            yield work.report(line.body, "HP102", Severity.ERROR, message, header.alternative)


_NAME = re.compile(rb"\w+")


def _mapped_by_macros(work: Work) -> Iterator[Edit | Diagnostic]:
    """Map the headers of `#define HALF <cuda_fp16.h>`, `#include STRING(cuda_fp16.h)` and `#include HEADER(cuda_fp16)`.

    A header in quotation marks, or in none, may be any text, unless an `#include` uses the macro, by others, too.
    """
    text, headers = work.unit.source.text, work.context.tables.headers
    spelled = {line.directive.span.start for line in includes(work.unit)}
    kinds = {kind: [line for line in work.unit.directives if line.kind is kind] for kind in DirectiveKind}
    computed = [line for line in kinds[DirectiveKind.INCLUDE] if line.span.start not in spelled]
    used = _names_used(work, computed)
    for line in kinds[DirectiveKind.DEFINE]:
        match = _OPERAND.match(text, line.body.start, line.body.end)
        if match is None and line.name in used:
            match = _BARE.match(text, line.body.start, line.body.end)
        if match is not None and (line.name in used or text[match.start(1) - 1 : match.start(1)] == b"<"):
            yield from _mapped(work, Span(*match.span(1)), "")
    wholes = _joined(work, computed)
    for line in computed:
        joined = wholes[line.span.start]
        for match in _ARGUMENT.finditer(text, line.body.start, line.body.end):
            if joined in headers and joined.removesuffix(".h") != match[0].decode().removesuffix(".h"):
                continue  # it is a part of a header's name
            suffix = "" if headers.get(match[0].decode()) is not None else ".h"
            yield from _mapped(work, Span(*match.span()), suffix)


def _names_used(work: Work, lines: list[Directive]) -> list[str]:
    """Return the names in these lines, and in the macros that they use."""
    text, macros = work.unit.source.text, work.unit.macros
    spans = [line.body for line in lines]
    found = list[str]()
    for span in spans:
        names = {name.decode() for name in _NAME.findall(text, span.start, span.end)} - {*found}
        found.extend(names)
        spans.extend(body for name in names for body in macros.get(name, ()))
    return found


def _mapped(work: Work, span: Span, suffix: str) -> Iterator[Edit | Diagnostic]:
    """Replace the name of a header, which a macro completes by `suffix`, or report that HIP has none."""
    name = work.unit.source.text[span.start : span.end].decode("utf-8", "surrogateescape")
    header = work.context.tables.headers.get(name + suffix)
    if header is None or work.is_told(fact(Kind.OWN, name + suffix)):
        return
    target = header.hip or (RUNTIME if header.drop else "")
    if not target:
        message = f"<{name}{suffix}> has no counterpart in HIP"
        yield work.report(span, "HP102", Severity.ERROR, message, header.alternative)
    elif target.endswith(suffix):
        yield Replace(span.start, span.end, target.removesuffix(suffix) if suffix else target)


def _translate(work: Work, include: Include, seen: list[tuple[str, Branch]]) -> Iterator[Edit | Diagnostic]:
    branch = include.directive.branch
    header = _known(work, include) if not hip_branches.only_nvcc(work, include.span.start) else None
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
    if header is not None and any(target == other and _encloses(outer, branch) for other, outer in seen):
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
    return any(_encloses(outer, branch) for outer in brings)


def _runtime_in_front(work: Work, include: Include) -> Iterator[Edit]:
    """Include the runtime in front of a header that relies on it, in sources that nvcc does not begin with it."""
    begun = work.unit.source.name.lower().endswith(_NVCC_SUFFIXES) or any(map(work.is_told, _BEGUN))
    if begun or _is_inside_block(work, include):
        return
    start = work.unit.source.text.rfind(b"\n", 0, include.directive.span.start) + 1
    yield Replace(start, start, f"#include <{RUNTIME}>{work.unit.source.newline}")


_PART = re.compile(r"cuda/(?:std/)?(?:detail/|__)")
"""Matches the names of the parts of libcu++ that its headers include."""


def _known(work: Work, include: Include) -> Header | None:
    """Return a header's table entry; None for a header of the project that has the name of one of CUDA's.

    `"cuda/a.cuh"` and <cuda/api.hpp> are, too, since libcu++ headers have no suffix, but for parts of its own.
    """
    header = work.context.tables.headers.get(include.operand)
    if include.quoted and work.is_told(fact(Kind.OWN, include.operand)):
        return None
    if header is not None and work.is_told(fact(Kind.FINDS, include.operand)):
        return None
    if header is not None and header.library == "libcudacxx" and "." in include.operand:
        return header if not include.quoted and _PART.match(include.operand) else None
    return header


def followed(work: Work) -> tuple[str, ...]:
    """Return the operands of the `#include` lines, but for those in angle brackets that mean no file of the project.

    These are C's own, such as `<math.h>` in a tree with another `math.h`, and those that one of HIP's replaces: a copy
    of CUDA's header in the project, such as CUB's, is then not what the translation includes. For quoted operands that
    depends on the place of the copy: `hipport.files.inclusion`.
    """
    lines = (line for line in includes(work.unit) if line.quoted or not _C_STANDARD.match(line.operand))
    return tuple(line.operand for line in lines if line.quoted or not _is_replaced(work, line))


def _is_replaced(work: Work, include: Include) -> bool:
    replaced = is_replaced(work.context.tables.headers.get(include.operand))
    return replaced and not hip_branches.only_nvcc(work, include.span.start)


def _encloses(outer: Branch, inner: Branch) -> bool:
    return inner[: len(outer)] == outer


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


_BEGUN = frozenset({IN_CODE, HIP_RUNTIME})
"""Facts of files in front of which others include the runtime."""


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
    return any(_target(work, include) == RUNTIME for include in includes(work.unit))


def _starts_with_runtime(work: Work) -> bool:
    """Return whether the runtime is included unconditionally and before any header that may rely on it.

    nvcc includes it before the first line, so headers of the project and of CUDA do rely on it.
    """
    guard = guard_branch(work.unit)
    for include in includes(work.unit):
        ours = include.operand.startswith(SUPPORT)
        if (ours or _target(work, include) == RUNTIME) and _is_taken(work, include, guard):
            return not _is_inside_block(work, include)
        if include.quoted or not _is_standard(include):
            return False
    return False


def _is_standard(include: Include) -> bool:
    return bool(_CPP_STANDARD.match(include.operand) or _C_STANDARD.match(include.operand))


def _is_taken(work: Work, include: Include, guard: Branch) -> bool:
    """Return whether HIP's compilers see an include: outside all conditions, or in a branch for them."""
    if _encloses(include.directive.branch, guard):
        return True
    return work.sides.switched and work.sides.of(Setting.HIP, include.directive.branch) is True


def brings_runtime(work: Work) -> bool:
    """Return whether the source itself has an include of HIP's runtime that HIP's compilers always see."""
    wanted = [each for each in includes(work.unit) if each.operand == RUNTIME]
    return any(work.sides.of(Setting.HIP, each.directive.branch) is True for each in wanted)


def _is_inside_block(work: Work, include: Include) -> bool:
    """Return whether an include is inside braces, mostly `extern "C"`, where HIP's templates cannot be."""
    before = work.unit.code[: include.directive.body.start]
    return before.count("{") > before.count("}")


def _target(work: Work, include: Include) -> str:
    header = _known(work, include)
    return header.hip if header is not None and header.hip else include.operand


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
    others = (each for each in includes(work.unit) if each.quoted or _is_inside_block(work, each))
    return work.unit.source.name.lower().endswith(".cu") and any(others)


def _uses_unconditionally(work: Work) -> bool:
    """Return whether a header has device code visible to every includer, not only to a CUDA compiler."""
    guard = guard_branch(work.unit)
    spans = [*work.unit.shadow.device_words, *(launch.open for launch in work.unit.launches)]
    return any(_encloses(_branch_at(work, span), guard) for span in spans)


def _branch_at(work: Work, span: Span) -> Branch:
    """Return the conditional branches around a range; a macro's body counts as guarded."""
    if work.unit.directive_at(span.start) is not None:
        return ((-1, 0),)
    return work.unit.branch_at(span.start)
