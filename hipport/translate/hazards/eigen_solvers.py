"""HP130: decompositions of Eigen in device code, parts of which Eigen declares for the host only."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Span
from hipport.translate.work import Work

WORDS = frozenset(
    [
        "BDCSVD",
        "ColPivHouseholderQR",
        "CompleteOrthogonalDecomposition",
        "ComplexEigenSolver",
        "ComplexSchur",
        "EigenSolver",
        "FullPivHouseholderQR",
        "GeneralizedEigenSolver",
        "GeneralizedSelfAdjointEigenSolver",
        "HessenbergDecomposition",
        "HouseholderQR",
        "JacobiSVD",
        "RealSchur",
        "SelfAdjointEigenSolver",
        "Tridiagonalization",
    ]
)
_SMALL = re.compile(
    r"SelfAdjointEigenSolver\s*<\s*(?:\w+\s*::\s*)*Matrix(?:[23][fd]\b|\s*<\s*\w+\s*,\s*([23])\s*,\s*\1\b)"
)
"""Matches solvers of two or three rows, for which Eigen has functions without Householder's reflections."""

_OF_EIGEN = re.compile(r"\bnamespace\s+Eigen\s*\{")
"""Matches in Eigen's own headers."""


def run(work: Work) -> Iterator[Diagnostic]:
    """Report each decomposition that a device function declares or makes."""
    if "Eigen" not in work.unit.words or _OF_EIGEN.search(work.unit.code):
        return
    for name, offset in work.unit.occurrences(WORDS):
        function = work.flow.function_at(offset)
        if function is None or not function.device or _SMALL.match(work.unit.code, offset):
            continue
        message = f"Eigen's {name} calls host functions, which HIP's compilers reject in device code"
        advice = "nvcc warns only. Write the decomposition for the sizes in use, or do it on the host."
        yield work.report(Span(offset, offset + len(name)), "HP130", Severity.WARNING, message, advice)
