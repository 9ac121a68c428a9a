"""HP246: the functions for memory in rows are those of CUDA's headers, with the places of all their addresses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source
from hipport.translate.hazards.copies_of_arrays import POSITIONS

SIGNATURES = Path(__file__).parents[3] / "mappings" / "known" / "signatures" / "cuda.tsv"
_COPIES = re.compile(r"(?:cuda|cu)Mem(?:cpy|set)(?!Batch|3D)\w*(?<!_v2)(?<!_ptsz)(?<!_ptds)|cudaGraphAddMemcpyNode1D")
_NO_ROWS = re.compile(
    r"cuMemset|cuMemcpy[23]D|cuMemcpyWith|cuMemcpyAtoA|cudaMemcpyArrayToArray|cudaMemcpy2DArrayToArray"
)
"""Functions whose addresses are numbers that no array converts to, are in structs, or which take arrays alone."""

OTHERS = {
    "make_cudaPitchedPtr",
    "cudaGraphMemcpyNodeSetParams1D",
    "cudaMemcpyFromArrayAsync",
    "cudaMemcpyToArrayAsync",
    "cuMemcpyPeer",
    "cuMemcpyPeerAsync",
}
"""Functions with addresses that are no copies themselves, or which the table of signatures lacks."""


def signatures() -> dict[str, list[str]]:
    rows = (line.split("\t") for line in SIGNATURES.read_text().splitlines() if "\t" in line)
    return {row[0]: row[1].partition("(")[2].rpartition(")")[0].split(";") for row in rows}


def addresses(name: str, parameters: list[str]) -> tuple[int, ...]:
    kinds = [each.strip() for each in parameters]
    found = [place for place, kind in enumerate(kinds) if kind in ("void *", "const void *", "CUdeviceptr")]
    return tuple(found[1:] if "ToSymbol" in name and len(found) > 1 else found)[: 2 - ("FromSymbol" in name)]


def test_the_functions_are_those_of_the_headers() -> None:
    known = {name: places for places, names in POSITIONS.items() for name in names.split()}
    expected = {
        name: addresses(name, parameters)
        for name, parameters in signatures().items()
        if _COPIES.fullmatch(name) and not _NO_ROWS.match(name) and addresses(name, parameters)
    }
    assert {name: known.get(name) for name in expected} == expected
    assert {*known} - {*expected} == OTHERS


def reported(declared: str, given: str) -> bool:
    text = (
        f"#include <cuda_runtime.h>\n{declared}\nvoid f(float* h) {{ cudaMemcpy({given}, h, 4, cudaMemcpyDefault); }}\n"
    )
    found = convert_source(text.encode(), "a.cu", Context(load_choice(NameChoice(rocm="5.2")), Options()))
    return any(each.code == "HP246" for each in found.diagnostics)


@pytest.mark.parametrize(
    "kind", ["cudaArray_t a", "cudaArray* a", "cudaArray const *a", "CUarray a", "cudaMipmappedArray_t a"]
)
@pytest.mark.parametrize("given", ["a", "(void*)a", "reinterpret_cast<void*>(a)"])
def test_each_type_in_each_form(kind: str, given: str) -> None:
    assert reported(f"extern {kind};", given)
    assert reported(f"static float* z; extern {kind}, *all;", given)


@pytest.mark.parametrize("given", ["&a", "a + 1", "f(a)", "b", "all"])
def test_other_values(given: str) -> None:
    assert not reported("extern cudaArray_t a, *all; extern float* b;", given)


def test_a_name_that_is_another_pointer_elsewhere() -> None:
    assert not reported("extern cudaArray_t a; void g(float* a);", "a")
