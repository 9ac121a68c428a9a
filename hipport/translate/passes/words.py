"""Words that nvcc accepts and AMD's compilers do not: `register`, and `alignas` after `__shared__`."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span
from hipport.translate.inclusion import is_c_source
from hipport.translate.syntax.brackets import matching_close, skip_blanks
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_REGISTER = "register"
_ASM = re.compile(r"[^;{}]*\b(?:asm|__asm__|__asm)\b")
_BEFORE_SHARED = re.compile(r"(?:\b(?:extern|static|volatile|const)\s+)*\Z")
_ALIGNAS = re.compile(r"alignas\s*\(")
WORDS = (frozenset({_REGISTER, "alignas"}),)


def run(work: Work) -> Iterator[Edit | Diagnostic]:
    """Drop `register` in files with CUDA in them, and move `alignas` to the start of the declaration."""
    yield from _alignas(work)
    if is_c_source(work.unit) or not (work.unit.shadow.device_words or work.references.found):
        return
    reported = False
    for _, offset in work.unit.occurrences(frozenset({_REGISTER})):
        if _is_storage_class(work, offset):
            yield work.unit.without_word(Span(offset, offset + len(_REGISTER)))
            if not reported:
                yield _report(work, offset)
            reported = True


def _is_storage_class(work: Work, offset: int) -> bool:
    """Return False in a preprocessor line such as `#define register`, and where a hardware register is named."""
    end = offset + len(_REGISTER)
    behind = skip_blanks(work.unit.code, end)
    return (
        work.unit.directive_at(offset) is None
        and work.unit.code[behind : behind + 1].isidentifier()
        and not _ASM.match(work.unit.code, end)
    )


def _report(work: Work, offset: int) -> Diagnostic:
    message = "'register' is removed: it is an error in C++17, the default of AMD's compilers"
    span = Span(offset, offset + len(_REGISTER))
    return work.report(span, "HP222", Severity.NOTE, message, "Compilers have long ignored it.")


def _alignas(work: Work) -> Iterator[Edit]:
    """Turn `extern __shared__ alignas(16) char s[]` into `alignas(16) extern __shared__ char s[]`.

    What moves is `extern __shared__`: other passes may edit the operand of `alignas`.
    """
    if "alignas" not in work.unit.words:
        return
    code = work.unit.code
    for word, offset in work.unit.occurrences(frozenset({"__shared__"})):
        start = skip_blanks(code, offset + len(word))
        match = _ALIGNAS.match(code, start)
        close = matching_close(code, match.end() - 1) if match is not None else None
        if close is None or platform_at(work.unit, offset) is Platform.NVIDIA:
            continue
        first = _BEFORE_SHARED.search(code, max(0, offset - 100), offset)
        at = first.start() if first is not None else offset
        behind = skip_blanks(code, close + 1)
        yield Replace(at, start, "")
        yield Replace(behind, behind, work.unit.original(Span(at, start)))
