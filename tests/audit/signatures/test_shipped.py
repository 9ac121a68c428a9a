"""No function that the tables translate has another signature in HIP without a change, a header or a reason."""

from __future__ import annotations

import functools

import pytest

from hipport.audit.signatures import data
from hipport.audit.signatures.compare import Result, compare
from hipport.audit.signatures.fit import Fit
from hipport.audit.signatures.model import Declarations, Parameter, Signature
from hipport.audit.signatures.outcomes import outcomes, parse_outcomes
from hipport.errors import HipportError
from hipport.mappings.loader import NameChoice, load_choice
from scripts.compare_signatures import unexplained

ENDS = (data.RELEASES[0], data.RELEASES[-1])
PAIRS = [("13.0", rocm) for rocm in data.RELEASES] + [("11.8", rocm) for rocm in ENDS]


def declared(product: str, release: str) -> Declarations:
    return data.shipped(product)[release]


@functools.cache
def compared(cuda: str, rocm: str) -> Result:
    tables = load_choice(NameChoice(rocm=rocm, cuda=cuda))
    return compare(tables, declared("cuda", cuda), declared("rocm", rocm))


@pytest.mark.parametrize(("cuda", "rocm"), PAIRS)
def test_every_difference_has_an_outcome(cuda: str, rocm: str) -> None:
    result = compared(cuda, rocm)
    assert len(result.compared) > 2250
    found = unexplained(result.differences, outcomes())
    assert [f"{one.name} with {one.count} arguments: {one.what}" for one in found] == []


def test_every_outcome_is_needed() -> None:
    differences = [one for pair in PAIRS for one in compared(*pair).differences if one.fit >= Fit.NARROWER]
    idle = [entry.line for entry in outcomes() if not any(entry.covers(one) for one in differences)]
    assert idle == []


@pytest.mark.parametrize("rocm", ENDS)
def test_the_comparison_notices_a_changed_signature(rocm: str) -> None:
    hip = declared("rocm", rocm)
    swapped = Signature("hipError_t", (Parameter("hipStream_t"), Parameter("void *")))
    broken = Declarations({**hip.functions, "hipFree": (swapped,)}, hip.macros, hip.typedefs, hip.enums)
    tables = load_choice(NameChoice(rocm=rocm, cuda="13.0"))
    found = unexplained(compare(tables, declared("cuda", "13.0"), broken).differences, outcomes())
    assert {one.name for one in found} == {"cudaFree", "cuMemFree", "cuMemFree_v2"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("outcomes: [{functions: f, differs: x, outcome: fine, why: w}]\n", "expected one of harmless"),
        ("outcomes: [{functions: f, differs: x, outcome: harmless}]\n", "the key 'why' is missing"),
    ],
)
def test_mistakes_in_outcomes(text: str, says: str) -> None:
    with pytest.raises(HipportError, match=says):
        parse_outcomes(text, "outcomes.yaml")
