"""HP142: handles that are numbers in CUDA and pointers in HIP, used as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.calls import call_of, last_name
from hipport.translate.syntax.unit import Unit
from hipport.translate.work import Work

FFT, MEMORY = "cufftHandle", "CUmemGenericAllocationHandle"
_SIZES = ("1d", "2d", "3d", "Many")
_FFT_CALLS = (
    *("Create", "Destroy", "SetStream", "SetWorkArea", "SetAutoAllocation", "GetSize", "MakePlanMany64"),
    *(f"{verb}{size}" for verb in ("Plan", "MakePlan", "GetSize") for size in _SIZES),
    *(f"Exec{types}" for types in ("C2C", "C2R", "D2Z", "R2C", "Z2D", "Z2Z")),
    *(f"Xt{end}" for end in ("Exec", "MakePlanMany", "GetSizeMany", "SetCallback", "ClearCallback", "SetGPUs")),
)
CALLS: Mapping[str, tuple[str, int]] = {
    **{f"cufft{end}": (FFT, 0) for end in _FFT_CALLS},
    **{f"cuMem{end}": (MEMORY, 0) for end in ("Create", "Release", "RetainAllocationHandle")},
    "cuMemImportFromShareableHandle": (MEMORY, 0),
    "cuMemExportToShareableHandle": (MEMORY, 1),
    "cuMemGetAllocationPropertiesFromHandle": (MEMORY, 1),
    "cuMemMap": (MEMORY, 3),
}
"""Functions, with the type of the handle that they take, or a pointer to it, and the position of that argument."""
WORDS = frozenset({FFT, MEMORY}) | frozenset(CALLS)
_NUMBER_TYPE = r"(?:(?:un)?signed|short|int|long|size_t|u?int(?:8|16|32|64)?_t)"
_LIST = r"(?:[^;(){}<>]{0,200}?[,*&\s])?"
"""Declarators in front of a name, in one declaration."""
_DECLARATION = re.compile(rf"\b({FFT}|{MEMORY})\s+([^;(){{}}<>]{{1,200}})")
_DECLARATOR = re.compile(r"\s*(?:const\b)?[*&\s]*([A-Za-z_]\w*)\s*(?:[=\[:].*)?", re.DOTALL)
_VALUE = r"(?:-\s*[0-9]\w*|[1-9]\w*|0[xX0-9]*[1-9a-fA-F]\w*)"
"""A number that is not 0: a literal 0 is a null pointer, too."""
_ADVICE = "Declare it with CUDA's type of the handle, use 0 for no handle, and compare with == and != only."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report numbers that functions take for handles, and handles that are set to numbers or compared with them."""
    if is_hip(work):
        return
    declared = dict(_declared(work.unit.code))
    found = (*_passed(work, declared), *_compared(work, declared))
    yield from {(each.line, each.column): each for each in found}.values()


def _declared(code: str) -> Iterator[tuple[str, str]]:
    """Yield the names that are declared as handles, and the types."""
    for kind, declarators in _DECLARATION.findall(code):
        for declarator in declarators.split(","):
            if match := _DECLARATOR.fullmatch(declarator):
                yield match[1], kind


def _passed(work: Work, declared: Mapping[str, str]) -> Iterator[Diagnostic]:
    numbers: dict[str, bool] = {}
    for kind, name, span in _handles(work.unit):
        if name not in declared and numbers.setdefault(name, _is_number(work.unit.code, name)):
            yield _report(work, span, f"'{name}' is a number and is used as a {kind}")


def _handles(unit: Unit) -> Iterator[tuple[str, str, Span]]:
    """Yield the type of each argument for a handle, the last name in it, and its range."""
    for function, offset in unit.occurrences(CALLS.keys() & unit.words):
        kind, position = CALLS[function]
        call = call_of(unit, Span(offset, offset + len(function)))
        if call is None or len(call.arguments) <= position:
            continue
        if named := last_name(unit, call.arguments[position]):
            yield kind, *named


def _is_number(code: str, name: str) -> bool:
    """Return whether a name is declared as a number, or as a container of numbers."""
    return bool(re.search(rf"\b{_NUMBER_TYPE}\s(?:{_LIST}){name}\s*[;,=)\[{{]|\b{_NUMBER_TYPE}\s*>\s*{name}\b", code))


def _compared(work: Work, declared: Mapping[str, str]) -> Iterator[Diagnostic]:
    for name, kind in declared.items():
        if _is_number(work.unit.code, name):
            continue  # another variable of this name
        uses = rf"\b{name}\s*(?:\[[^\[\]]*\]\s*)?(?:[=!]?=\s*{_VALUE}(?![\w.])|[<>]=?\s*[-0-9])"
        for match in re.finditer(uses, work.unit.code):
            yield _report(
                work, Span(*match.span()), f"'{name}' is a {kind} and is compared with a number or set to one"
            )
        casts = rf"(?:\(\s*{_NUMBER_TYPE}\s*\)\s*|<\s*{_NUMBER_TYPE}\s*>\s*\(\s*|\b{_NUMBER_TYPE}\s+\w+\s*=\s*)"
        for match in re.finditer(rf"{casts}(?:\w+(?:\.|->))*{name}\s*[;,)]", work.unit.code):
            yield _report(work, Span(*match.span()), f"'{name}' is a {kind} and becomes a number")


def _report(work: Work, span: Span, message: str) -> Diagnostic:
    return work.report(span, "HP142", Severity.ERROR, f"{message}: HIP's is a pointer", _ADVICE)
