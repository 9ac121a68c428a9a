"""HP246: copies that take CUDA arrays for memory in rows, which CUDA refuses and ROCm does not.

An array is a handle. CUDA knows its handles and returns an error; ROCm takes the address for host memory, and copies
to or from the struct behind it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.calls import call_of
from hipport.translate.work import Work

POSITIONS: dict[tuple[int, ...], str] = {
    (0,): "cudaMemset cudaMemsetAsync cudaMemset2D cudaMemset2DAsync cudaMemcpyFromSymbol cudaMemcpyFromSymbolAsync "
    "cudaMemcpyFromArray cudaMemcpyFromArrayAsync cudaMemcpy2DFromArray cudaMemcpy2DFromArrayAsync make_cudaPitchedPtr "
    "cuMemcpyAtoH cuMemcpyAtoHAsync cuMemcpyAtoD",
    (1,): "cudaMemcpyToSymbol cudaMemcpyToSymbolAsync",
    (0, 1): "cudaMemcpy cudaMemcpyAsync cuMemcpy cuMemcpyAsync cuMemcpyDtoD cuMemcpyDtoDAsync cuMemcpyDtoH "
    "cuMemcpyDtoHAsync cuMemcpyHtoD cuMemcpyHtoDAsync",
    (0, 2): "cudaMemcpy2D cudaMemcpy2DAsync cudaMemcpyPeer cudaMemcpyPeerAsync cuMemcpyPeer cuMemcpyPeerAsync",
    (2,): "cuMemcpyHtoA cuMemcpyHtoAAsync cuMemcpyDtoA",
    (2, 3): "cudaGraphMemcpyNodeSetParams1D",
    (3,): "cudaMemcpyToArray cudaMemcpyToArrayAsync cudaMemcpy2DToArray cudaMemcpy2DToArrayAsync",
    (4, 5): "cudaGraphAddMemcpyNode1D",
}
"""Functions that copy or set memory in rows, by the places of the arguments that are its addresses."""
_PLACES = {name: places for places, names in POSITIONS.items() for name in names.split()}
_ARRAYS = r"cudaArray_t|cudaArray_const_t|cudaMipmappedArray_t|CUarray|CUmipmappedArray"
_STRUCTS = r"cudaArray|cudaMipmappedArray"
WORDS = frozenset(_ARRAYS.split("|")) | frozenset(_STRUCTS.split("|"))
_DECLARED = re.compile(
    rf"\b(?:(?:{_ARRAYS})\b\s*(?:const\b\s*)?|(?:{_STRUCTS})\s*(?:const\b\s*)?\*\s*)(?=([^;(){{}}<>]{{1,200}}))"
)
_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\[[^\[\]]*\]\s*)*(?:[=:].*)?", re.DOTALL)
_CAST = r"(?:\([\w\s:*]+\)\s*|(?:static|reinterpret|const)_cast\s*<[\w\s:*]+>\s*\(\s*)?"
_GIVEN = re.compile(rf"{_CAST}(?:\w+(?:\s*\[[^\[\]]*\])?\s*(?:\.|->)\s*)*([A-Za-z_]\w*)\s*(?:\[[^\[\]]*\])?\s*\)?")
_ADVICE = "Use the functions for arrays, such as cudaMemcpy2DToArray and cudaMemcpy2DFromArray."


def run(work: Work) -> Iterator[Diagnostic]:
    """Report arguments of functions for memory in rows that are declared as arrays."""
    calls = _PLACES.keys() & work.unit.words
    arrays = frozenset(_declared(work.unit.code)) if calls and not is_hip(work) else frozenset[str]()
    for function, offset in work.unit.occurrences(calls) if arrays else ():
        call = call_of(work.unit, Span(offset, offset + len(function)))
        for place in _PLACES[function] if call is not None else ():
            for span in call.arguments[place : place + 1] if call is not None else ():
                match = _GIVEN.fullmatch(work.unit.code[span.start : span.end].strip())
                if match is not None and match[1] in arrays:
                    message = f"'{match[1]}' is a CUDA array, for which {function} fails in CUDA and not on AMD GPUs"
                    yield work.report(span, "HP246", Severity.WARNING, message, _ADVICE)


def _declared(code: str) -> Iterator[str]:
    """Yield the names that are declared as arrays, and nowhere as other pointers."""
    found = (_NAME.fullmatch(each) for declarators in _DECLARED.findall(code) for each in declarators.split(","))
    for name in {match[1] for match in found if match is not None}:
        if not re.search(rf"\b(?!(?:{_STRUCTS}|const)\b)(?:\w+\s*\*+|CUdeviceptr|auto)\s*{name}\s*[;,=)]", code):
            yield name
