from __future__ import annotations

import pytest

from hipport.audit.signatures.fit import Fit, fit
from hipport.audit.signatures.types import parse_type

ENUMS = {"Kind", "Mode"}


@pytest.mark.parametrize(
    ("argument", "parameter", "result"),
    [
        ("float *", "float *", Fit.SAME),
        ("float *", "const float *", Fit.CONST),
        ("const float *", "float *", Fit.NONE),
        ("float **", "const float **", Fit.NONE),
        ("float **", "const float *const *", Fit.CONST),
        ("const float *const *", "const float **", Fit.NONE),
        ("float *", "void *", Fit.ANY),
        ("float **", "void **", Fit.NONE),
        ("const float *", "void *", Fit.NONE),
        ("float *", "T *", Fit.ANY),
        ("float", "T *", Fit.NONE),
        ("int", "long", Fit.ARITHMETIC),
        ("unsigned long", "int", Fit.NARROWER),
        ("double", "float", Fit.NARROWER),
        ("int", "double", Fit.ARITHMETIC),
        ("Kind", "int", Fit.ARITHMETIC),
        ("int", "Kind", Fit.NONE),
        ("Kind", "Mode", Fit.NONE),
        ("long *", "long long *", Fit.NONE),
        ("__half *", "unsigned short *", Fit.NONE),
    ],
)
def test_fit(argument: str, parameter: str, result: Fit) -> None:
    assert fit(parse_type(argument), parse_type(parameter), ("T",), ENUMS) is result


def test_what_the_tables_wrote_fits() -> None:
    assert fit(None, parse_type("Kind"), (), ENUMS) is Fit.SAME
