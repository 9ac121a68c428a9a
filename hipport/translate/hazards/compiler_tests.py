"""HP137: conditions that ask for CUDA's compiler beside another: `defined(__CUDACC__) && !defined(__clang__)`.

nvcc compiles for GCC, AMD's compilers are Clang, and both define `__CUDACC__` or what it becomes. Such a condition
selects other code in HIP than in CUDA. So does one with `_MSC_VER` if nvcc compiled for MSVC: it is reported where
both branches have code and one of them is device code.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.branches import branches_of
from hipport.translate.syntax.calls import in_device_code
from hipport.translate.syntax.conditions import DEFINED, UNDEFINED, evaluate
from hipport.translate.syntax.lexer import Directive, DirectiveKind
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.syntax.side_words import sides_in
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

_CUDA = ("__CUDACC__", "__NVCC__", "__CUDA_ARCH__", "__CUDACC_RTC__")
_NVCC = {
    **dict.fromkeys(("__CUDACC__", "__NVCC__"), 1),
    "__GNUC__": 12,
    "__GNUC_MINOR__": 2,
    "__GNUG__": 12,
    **dict.fromkeys(("__clang__", "__clang_major__", "__CUDA__", "_MSC_VER", "__HIPCC__", "__HIP__"), UNDEFINED),
}
"""Macros that nvcc defines with GCC on Linux."""
_CLANG = _NVCC | {
    "__clang__": 1,
    "__clang_major__": 19,
    "__GNUC__": 4,
    "__GNUG__": 4,
    "__HIPCC__": 1,
    "__HIP__": 1,
}
"""Macros that AMD's compilers define after translation, in which `__CUDACC__` and `__NVCC__` become `__HIPCC__`."""
_ON_WINDOWS = _NVCC | {**dict.fromkeys(("__GNUC__", "__GNUC_MINOR__", "__GNUG__"), UNDEFINED), "_MSC_VER": 1940}
"""Macros that nvcc defines with MSVC."""
WORDS = ("__clang__", "__clang_major__", "__GNUC__", "__GNUG__", "_MSC_VER")
_OTHERS = re.compile(rf"\b(?:{'|'.join(WORDS[:-1])})\b")
_MSVC = re.compile(r"\b_MSC_VER\b")
_OF_CUDA = re.compile(rf"\b(?:{'|'.join(_CUDA)})\b")
_ADVICE = (
    "Decide which code AMD's compilers should get, and ask for them: || defined(__HIP_PLATFORM_AMD__), "
    "or && !defined(__HIP_PLATFORM_AMD__)."
)


def run(work: Work) -> Iterator[Diagnostic]:
    """Report conditions that are known to hold for one compiler only, in files that are no port yet."""
    unit = work.unit
    if is_hip(work) or unit.words.isdisjoint(_CUDA):
        return
    for line in unit.branches.values():
        if line.word == "else" or line.kind is not DirectiveKind.CONDITION:
            continue
        text = unit.code[line.body.start : line.body.end]
        found, of_msvc = _OTHERS.search(text), _MSVC.search(text)
        if found is None and of_msvc is None:
            continue
        if not _is_about_cuda(unit, line, text) or platform_at(unit, line.span.start) is Platform.AMD:
            continue
        gcc, msvc, clang = (_holds(line.word, text, known) for known in (_NVCC, _ON_WINDOWS, _CLANG))
        if found is not None and gcc is not None and clang is not None and gcc != clang:
            yield _report(work, line, found[0], "nvcc", holds=clang)
        elif of_msvc is None or msvc is None or clang is None or msvc == clang:
            continue
        elif _differs_on_devices(unit, line):
            yield _report(work, line, of_msvc[0], "nvcc with MSVC", holds=clang)


def _is_about_cuda(unit: Unit, line: Directive, text: str) -> bool:
    """Return whether a condition names CUDA's compiler, or is nested in one that asks for it."""
    around = (unit.branches.get(each) for each in unit.branch_at(line.span.start))
    return _OF_CUDA.search(text) is not None or any(
        each is not None and each.word != "else" and _OF_CUDA.search(unit.code, each.body.start, each.body.end)
        for each in around
    )


def _holds(word: str, text: str, known: dict[str, int]) -> bool | None:
    """Return whether a condition holds; the device side of what depends on `__CUDA_ARCH__`."""
    return evaluate(word, text, lambda name: DEFINED if name == "__CUDA_ARCH__" else known.get(name))


def _differs_on_devices(unit: Unit, line: Directive) -> bool:
    """Return whether a condition has an alternative, both have code, not the same, and one of them for devices."""
    found = branches_of(unit, line)
    spans = (found.own, *found.others) if found is not None else ()
    texts = ["".join(unit.code[each.start : each.end].split()) for each in spans]
    if len(texts) < 2 or not all(texts) or len({*texts}) < 2:
        return False
    return any(_is_for_devices(unit, each) for each in spans)


def _is_for_devices(unit: Unit, span: Span) -> bool:
    words = any(span.start <= each.start < span.end for each in unit.shadow.device_words)
    macros = any("__device__" in sides for _, sides in sides_in(unit, span))
    return words or macros or in_device_code(unit, span, or_host=True)


def _report(work: Work, line: Directive, name: str, nvcc: str, *, holds: bool) -> Diagnostic:
    chosen = f"holds for AMD's compilers, which are Clang, and not for {nvcc}"
    if not holds:
        chosen = f"holds for {nvcc} and not for AMD's compilers, which are Clang"
    message = f"this condition {chosen}: {name} selects other code than in CUDA"
    return work.report(line.body, "HP137", Severity.WARNING, message, _ADVICE)
