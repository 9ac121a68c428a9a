"""Generate the routines of levels 2 and 3 that hipBLAS takes from BLAS as they are.

    python -m scripts.cpu_blas

Each routine has three forms: for one problem, for listed problems, and for problems at equal distances.
BLAS takes the same arguments in the same order. Writes hipport/include/cpu/hipport_cpu/blas/routines.h.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hipport.support import include_dir

OUTPUT = include_dir() / "cpu" / "hipport_cpu" / "blas" / "routines.h"
TYPES = {"S": "float", "D": "double", "C": "hipFloatComplex", "Z": "hipDoubleComplex"}
REAL = {"S": "float", "D": "double", "C": "float", "Z": "double"}
ENUMS = {
    "side": "hipblasSideMode_t",
    "uplo": "hipblasFillMode_t",
    "trans": "hipblasOperation_t",
    "diag": "hipblasDiagType_t",
}

# A matrix is an upper case letter, a vector a lower case one; what is written ends in `!`. A packed matrix, which has
# no leading dimension, is AP. Factors of type `real` belong to Hermitian matrices.
ROUTINES: Mapping[str, tuple[str, str]] = {
    "gbmv": ("SDCZ", "trans m n kl ku alpha A x beta y!"),
    "symv": ("SDCZ", "uplo n alpha A x beta y!"),
    "sbmv": ("SD", "uplo n k alpha A x beta y!"),
    "spmv": ("SD", "uplo n alpha AP x beta y!"),
    "syr": ("SDCZ", "uplo n alpha x A!"),
    "spr": ("SDCZ", "uplo n alpha x AP!"),
    "syr2": ("SDCZ", "uplo n alpha x y A!"),
    "spr2": ("SD", "uplo n alpha x y AP!"),
    "hemv": ("CZ", "uplo n alpha A x beta y!"),
    "hbmv": ("CZ", "uplo n k alpha A x beta y!"),
    "hpmv": ("CZ", "uplo n alpha AP x beta y!"),
    "her": ("CZ", "uplo n real-alpha x A!"),
    "hpr": ("CZ", "uplo n real-alpha x AP!"),
    "her2": ("CZ", "uplo n alpha x y A!"),
    "hpr2": ("CZ", "uplo n alpha x y AP!"),
    "ger": ("SD", "m n alpha x y A!"),
    "geru": ("CZ", "m n alpha x y A!"),
    "gerc": ("CZ", "m n alpha x y A!"),
    "tbmv": ("SDCZ", "uplo trans diag n k A x!"),
    "tbsv": ("SDCZ", "uplo trans diag n k A x!"),
    "tpmv": ("SDCZ", "uplo trans diag n AP x!"),
    "tpsv": ("SDCZ", "uplo trans diag n AP x!"),
    "trmv": ("SDCZ", "uplo trans diag n A x!"),
    "trsv": ("SDCZ", "uplo trans diag n A x!"),
    "symm": ("SDCZ", "side uplo m n alpha A B beta C!"),
    "hemm": ("CZ", "side uplo m n alpha A B beta C!"),
    "syrk": ("SDCZ", "uplo trans n k alpha A beta C!"),
    "herk": ("CZ", "uplo trans n k real-alpha A real-beta C!"),
    "syr2k": ("SDCZ", "uplo trans n k alpha A B beta C!"),
    "her2k": ("CZ", "uplo trans n k alpha A B real-beta C!"),
    "trsm": ("SDCZ", "side uplo trans diag m n alpha A B!"),
    "trmm": ("SDCZ", "side uplo trans diag m n alpha A B C!"),
    "dgmm": ("SDCZ", "side m n A x C!"),
    "syrkx": ("SDCZ", "uplo trans n k alpha A B beta C!"),
    "herkx": ("CZ", "uplo trans n k alpha A B real-beta C!"),
    "copy": ("SDCZ", "n x y!"),
    "swap": ("SDCZ", "n x! y!"),
    "axpy": ("SDCZ", "n alpha x y!"),
    "scal": ("SDCZ", "n alpha x!"),
}
OWN = frozenset({"trmm", "dgmm", "syrkx", "herkx"})
"""Routines that BLAS lacks, or has in another form: products.h has them."""
ELSEWHERE: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        ("symm", "syrk", "trmv", "trsv", "ger", "geru", "gerc", "copy", "swap", "axpy", "scal"), frozenset({""})
    ),
    "trsm": frozenset({"", "Batched"}),
}
"""Forms that vectors.h and matrices.h define."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function of hipBLAS: `form` is empty, Batched or StridedBatched."""

    routine: str
    letter: str
    form: str

    def text(self) -> str:
        """Return its definition."""
        parameters, arguments = ["hipblasHandle_t h"], []
        for word in ROUTINES[self.routine][1].split():
            more, argument = self._operand(word)
            parameters += more
            arguments.append(argument)
        if self.form:
            parameters.append("int batch")
        first = f"h, {'batch' if self.form else '1'}"
        call = (
            f"{self.routine}<{TYPES[self.letter]}>({first}"
            if self.routine in OWN
            else (f'routine<{TYPES[self.letter]}>("{self.routine}", {first}')
        )
        return (
            f"inline hipblasStatus_t hipblas{self.letter}{self.routine}{self.form}({', '.join(parameters)}) {{\n"
            f"  using namespace hipport::cpu::blas;\n"
            f"  if (const auto bad = check(h, {self._valid()})) return bad;\n"
            f"  return {call}, {{{', '.join(arguments)}}});\n}}"
        )

    def _valid(self) -> str:
        """Return the condition for sizes, leading dimensions and distances that hipBLAS accepts."""
        words = [word.rstrip("!") for word in ROUTINES[self.routine][1].split()]
        sizes = [f"{word} >= 0" for word in words if word in ("m", "n", "k", "kl", "ku")]
        matrices = [word for word in words if word.isupper() and word != "AP"]
        leads = [f"has_rows(ld{name.lower()}, {_rows(words, name)})" for name in matrices]
        is_matrix_routine = any(word.isupper() for word in words) and self.routine != "dgmm"
        steps = [f"inc{word} != 0" for word in words if word in ("x", "y") and is_matrix_routine]
        return " && ".join([*sizes, *leads, *steps])

    def _operand(self, word: str) -> tuple[list[str], str]:
        """Return the parameters of an operand, and the argument that is made of them."""
        element, name = TYPES[self.letter], word.rstrip("!")
        if name in ENUMS:
            return [f"{ENUMS[name]} {name}"], name
        if name in ("m", "n", "k", "kl", "ku"):
            return [f"int {name}"], name
        if name.endswith(("alpha", "beta")):
            of = REAL[self.letter] if name.startswith("real-") else element
            name = name.removeprefix("real-")
            return [f"const {of}* {name}"], f"Factor<{of}>{{{name}}}"
        constant = "" if word.endswith("!") else "const "
        step = "" if name == "AP" else f"ld{name.lower()}" if name.isupper() else f"inc{name}"
        parameters, wrapped = self._data(f"{constant}{element}", name)
        lead = [f"int {step}"] if step else []
        strides = [f"hipblasStride stride_{name.lower()}"] if self.form == "StridedBatched" else []
        return parameters + lead + strides, ", ".join([wrapped, *([step] if step else [])])

    def _data(self, element: str, name: str) -> tuple[list[str], str]:
        if self.form == "Batched":
            return [f"{element}* const {name}[]"], f"Listed<{element}>{{{name}}}"
        if self.form == "StridedBatched":
            return [f"{element}* {name}"], f"Strided<{element}>{{{name}, stride_{name.lower()}}}"
        return [f"{element}* {name}"], f"One<{element}>{{{name}}}"


def _rows(words: list[str], matrix: str) -> str:
    """Return the number of rows that a matrix has in memory."""
    if "kl" in words:
        return "kl + ku + 1"
    if "side" in words:
        return "side == HIPBLAS_SIDE_LEFT ? m : n" if matrix == "A" and "uplo" in words else "m"
    if "k" in words and "C" in words:
        return "n" if matrix == "C" else "trans == HIPBLAS_OP_N ? n : k"
    if "k" in words:
        return "k + 1"
    return "m" if "m" in words else "n"


def definitions() -> Iterator[Function]:
    """Yield all functions."""
    for routine, (letters, _) in ROUTINES.items():
        for letter in letters:
            for form in ("", "Batched", "StridedBatched"):
                if form not in ELSEWHERE.get(routine, frozenset()):
                    yield Function(routine, letter, form)


def text() -> str:
    """Return the header."""
    head = (
        "// SPDX-License-Identifier: MIT\n"
        "// Generated by scripts/cpu_blas.py. Do not edit.\n"
        "// Routines of hipBLAS that are BLAS's, for one problem and for batches.\n"
        "// clang-format off\n"
        '#pragma once\n\n#include "products.h"\n'
    )
    return head + "\n" + "\n".join(one.text() for one in definitions()) + "\n"


def main() -> None:
    """Write the header."""
    OUTPUT.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
