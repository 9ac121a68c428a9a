"""hipBLAS on the CPU target: the routines of BLAS and LAPACK for one problem and for batches, against numpy."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
import pytest

from scripts import cpu_blas
from tests.cpu.libraries.conftest import TYPES, Array, Library, Loader, random, tolerance

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

PLAIN, TURNED, CONJUGATED = 111, 112, 113
UPPER, LOWER = 121, 122
NON_UNIT, UNIT = 131, 132
LEFT, RIGHT = 141, 142
BATCH = 3
REAL = {"C": "S", "Z": "D"}
"""The letters of the parts of complex numbers."""
ON_THE_DEVICE = 1


def test_the_generated_header_is_current() -> None:
    assert cpu_blas.OUTPUT.read_text(encoding="utf-8") == cpu_blas.text(), "run python -m scripts.cpu_blas"


@dataclass
class Blas:
    """A handle of hipBLAS; `form` selects one problem, listed ones or strided ones."""

    library: Library
    handle: ctypes.c_void_p
    letter: str
    form: str

    def many(self, shape: tuple[int, ...], seed: int) -> list[Array]:
        return [random(shape, self.letter, seed + 10 * i) for i in range(BATCH if self.form else 1)]

    def number(self, value: complex, real: bool = False) -> Array:
        letter = REAL.get(self.letter, self.letter) if real else self.letter
        return np.array([value if letter in "CZ" else value.real], TYPES[letter])

    def call(self, routine: str, *arguments: object) -> None:
        """Call a routine: a list of arrays is a matrix of each problem; its steps are those of the results."""
        passed: list[object] = []
        packed: list[tuple[list[Array], Array]] = []
        waiting = 0
        for argument in arguments:
            if isinstance(argument, list):
                passed.append(self._data(argument, packed))
                waiting = argument[0].size
                if argument[0].ndim == 1 and routine[0:2] in ("sp", "tp", "hp") and argument is arguments[self._packed]:
                    passed.extend([ctypes.c_int64(waiting)] if self.form == "StridedBatched" else [])
                    waiting = 0
            else:
                passed.append(argument)
                if waiting:
                    passed.extend([ctypes.c_int64(waiting)] if self.form == "StridedBatched" else [])
                    waiting = 0
        passed.extend([BATCH] if self.form else [])
        self.library.call(f"hipblas{self.letter}{routine}{self.form}", self.handle, *passed)
        for matrices, together in packed:
            for one, part in zip(matrices, np.split(together, len(matrices)), strict=True):
                one[...] = part.reshape(one.shape, order="F")

    _packed: int = -1

    def _data(self, matrices: list[Array], packed: list[tuple[list[Array], Array]]) -> object:
        if self.form == "Batched":
            return np.array([one.ctypes.data for one in matrices], np.uint64)
        if not self.form:
            return matrices[0]
        together = np.concatenate([one.ravel(order="F") for one in matrices])
        packed.append((matrices, together))
        return together

    def close(self, got: list[Array], wanted: list[Array]) -> None:
        for one, other in zip(got, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=tolerance(self.letter) * max(1, np.abs(other).max()))


@pytest.fixture(params=["", "Batched", "StridedBatched"])
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=list("SDCZ"))
def blas(request: pytest.FixtureRequest, form: str, loaded: Loader) -> Blas:
    handle, library = ctypes.c_void_p(), loaded("hipblas")
    library.call("hipblasCreate", ctypes.byref(handle))
    return Blas(library, handle, request.param, form)


def symmetric(a: Array, fill: int, conjugated: bool = False) -> Array:
    """Return the matrix of which `a` has one triangle."""
    triangle = np.triu(a) if fill == UPPER else np.tril(a)
    other = triangle.conj().T if conjugated else triangle.T
    diagonal = np.diag(np.diag(a).real if conjugated else np.diag(a))
    return triangle - np.diag(np.diag(a)) + other - np.diag(np.diag(other)) + diagonal


def packed(a: Array, fill: int) -> Array:
    """Return the columns of a triangle one after the other."""
    n = len(a)
    return np.concatenate([a[: j + 1, j] if fill == UPPER else a[j:, j] for j in range(n)])


@pytest.mark.parametrize("fill", [UPPER, LOWER])
def test_symmetric_and_hermitian_products(blas: Blas, fill: int) -> None:
    n, alpha, beta = 5, blas.number(2 + 1j), blas.number(0.5 - 1j)
    for name, conjugated in (("symv", False), ("hemv", True)):
        if conjugated and blas.letter in "SD":
            continue
        a, x, y = blas.many((n, n), 0), blas.many((n,), 1), blas.many((n,), 2)
        wanted = [alpha * (symmetric(m, fill, conjugated) @ v) + beta * w for m, v, w in zip(a, x, y, strict=True)]
        blas.call(name, fill, n, alpha, a, n, x, 1, beta, y, 1)
        blas.close(y, wanted)
    for name, conjugated in (("symm", False), ("hemm", True)):
        if conjugated and blas.letter in "SD":
            continue
        a, b, c = blas.many((n, n), 0), blas.many((n, 2), 1), blas.many((n, 2), 2)
        wanted = [alpha * (symmetric(m, fill, conjugated) @ v) + beta * w for m, v, w in zip(a, b, c, strict=True)]
        blas.call(name, LEFT, fill, n, 2, alpha, a, n, b, n, beta, c, n)
        blas.close(c, wanted)


@pytest.mark.parametrize("fill", [UPPER, LOWER])
def test_updates(blas: Blas, fill: int) -> None:
    n, part = 4, np.triu if fill == UPPER else np.tril
    rest = np.tril if fill == UPPER else np.triu
    kinds = [("syr", "syr2", False)] + ([("her", "her2", True)] if blas.letter in "CZ" else [])
    for one, two, conjugated in kinds:
        alpha = blas.number(2 + 1j, real=conjugated)
        both = blas.number(2 + 1j)
        a, x, y = blas.many((n, n), 0), blas.many((n,), 1), blas.many((n,), 2)
        turn = np.conj if conjugated else np.array
        for m in a:
            np.fill_diagonal(m, m.diagonal().real if conjugated else m.diagonal())
        wanted = [
            part(m + alpha * np.outer(v, turn(v))) + rest(m, -1 if fill == UPPER else 1)
            for m, v in zip(a, x, strict=True)
        ]
        blas.call(one, fill, n, alpha, x, 1, a, n)
        blas.close(a, wanted)
        wanted = [
            part(m + both * np.outer(v, turn(w)) + turn(both) * np.outer(w, turn(v)))
            + rest(m, -1 if fill == UPPER else 1)
            for m, v, w in zip(a, x, y, strict=True)
        ]
        blas.call(two, fill, n, both, x, 1, y, 1, a, n)
        blas.close(a, wanted)


@pytest.mark.parametrize("fill", [UPPER, LOWER])
@pytest.mark.parametrize("operation", [PLAIN, CONJUGATED])
def test_updates_of_rank_k(blas: Blas, fill: int, operation: int) -> None:
    n, k, part = 4, 3, np.triu if fill == UPPER else np.tril
    hermitian = [("herk", "her2k", "herkx", True)] if blas.letter in "CZ" else []
    for one, two, mixed, conjugated in [("syrk", "syr2k", "syrkx", False), *hermitian]:
        used = operation if conjugated or operation == PLAIN else TURNED
        shape = (n, k) if used == PLAIN else (k, n)
        alpha, beta = blas.number(2 + 1j, real=conjugated), blas.number(0.5, real=conjugated)
        both = blas.number(2 + 1j)
        turn = np.conj if conjugated else np.array
        a, b = blas.many(shape, 0), blas.many(shape, 1)
        left = [m if used == PLAIN else turn(m).T for m in a]
        right = [m if used == PLAIN else turn(m).T for m in b]
        c = [symmetric(m, fill, conjugated).copy(order="F") for m in blas.many((n, n), 2)]
        wanted = [part(alpha * (m @ turn(m).T) + beta * w) for m, w in zip(left, c, strict=True)]
        blas.call(one, fill, used, n, k, alpha, a, len(a[0]), beta, c, n)
        blas.close([part(m) for m in c], wanted)
        wanted = [
            part(both * (m @ turn(v).T) + turn(both) * (v @ turn(m).T) + beta * w)
            for m, v, w in zip(left, right, c, strict=True)
        ]
        blas.call(two, fill, used, n, k, both, a, len(a[0]), b, len(b[0]), beta, c, n)
        blas.close([part(m) for m in c], wanted)
        wanted = [part(both * (m @ turn(v).T) + beta * w) for m, v, w in zip(left, right, c, strict=True)]
        blas.call(mixed, fill, used, n, k, both, a, len(a[0]), b, len(b[0]), beta, c, n)
        blas.close([part(m) for m in c], wanted)


@pytest.mark.parametrize("fill", [UPPER, LOWER])
@pytest.mark.parametrize("operation", [PLAIN, TURNED, CONJUGATED])
@pytest.mark.parametrize("unit", [NON_UNIT, UNIT])
def test_triangular_products_and_systems(blas: Blas, fill: int, operation: int, unit: int) -> None:
    n, alpha = 4, blas.number(2 + 1j)
    a = blas.many((n, n), 0)
    for m in a:
        m += 4 * np.eye(n, dtype=m.dtype)
    whole = [np.triu(m) if fill == UPPER else np.tril(m) for m in a]
    if unit == UNIT:
        whole = [m - np.diag(np.diag(m)) + np.eye(n) for m in whole]
    whole = [{PLAIN: m, TURNED: m.T, CONJUGATED: m.conj().T}[operation] for m in whole]
    x, b, c = blas.many((n,), 1), blas.many((n, 2), 2), blas.many((n, 2), 3)
    before = [v.copy() for v in x]
    blas.call("trmv", fill, operation, unit, n, a, n, x, 1)
    blas.close(x, [m @ v for m, v in zip(whole, before, strict=True)])
    blas.call("trsv", fill, operation, unit, n, a, n, x, 1)
    blas.close(x, before)
    blas.call("trmm", LEFT, fill, operation, unit, n, 2, alpha, a, n, b, n, c, n)
    blas.close(c, [alpha * (m @ v) for m, v in zip(whole, b, strict=True)])
    blas.call("trsm", LEFT, fill, operation, unit, n, 2, blas.number(1), a, n, c, n)
    blas.close(c, [alpha * v for v in b])
    packs = [packed(m, fill) for m in a]
    blas._packed = 4
    blas.call("tpmv", fill, operation, unit, n, packs, x, 1)
    blas.close(x, [m @ v for m, v in zip(whole, before, strict=True)])
    blas.call("tpsv", fill, operation, unit, n, packs, x, 1)
    blas.close(x, before)


def test_bands_and_diagonals(blas: Blas) -> None:
    n, alpha, beta = 5, blas.number(2 + 1j), blas.number(0.5)
    bands, x, y = blas.many((3, n), 0), blas.many((n,), 1), blas.many((n,), 2)
    whole = [np.diag(m[0, 1:], 1) + np.diag(m[1]) + np.diag(m[2, :-1], -1) for m in bands]
    wanted = [alpha * (m @ v) + beta * w for m, v, w in zip(whole, x, y, strict=True)]
    blas.call("gbmv", PLAIN, n, n, 1, 1, alpha, bands, 3, x, 1, beta, y, 1)
    blas.close(y, wanted)
    triangle = [np.diag(m[0, 1:], 1) + np.diag(m[1]) for m in bands]
    before = [v.copy() for v in x]
    upper = [np.asfortranarray(m[:2]) for m in bands]
    blas.call("tbmv", UPPER, PLAIN, NON_UNIT, n, 1, upper, 2, x, 1)
    blas.close(x, [m @ v for m, v in zip(triangle, before, strict=True)])
    a, c = blas.many((n, 3), 3), blas.many((n, 3), 4)
    blas.call("dgmm", LEFT, n, 3, a, n, y, 1, c, n)
    blas.close(c, [np.diag(v) @ m for m, v in zip(a, y, strict=True)])


def test_linear_systems(blas: Blas) -> None:
    n = 4
    a, b = blas.many((n, n), 0), blas.many((n, 2), 1)
    factors, x = [m.copy(order="F") for m in a], [m.copy(order="F") for m in b]
    if blas.form == "StridedBatched":
        pytest.skip("getrs has no strided form here")
    pivots: Array = np.zeros((BATCH, n), np.int32)
    info: Array = np.full(BATCH, 9, np.int32)
    host: Array = np.full(1, 9, np.int32)
    listed = [blas._data(each, []) for each in (factors, x)]
    batch = (len(a),) if blas.form else ()
    name = f"hipblas{blas.letter}"
    blas.library.call(f"{name}getrf{blas.form}", blas.handle, n, listed[0], n, pivots, info, *batch)
    arguments = (PLAIN, n, 2, listed[0], n, pivots, listed[1], n, host, *batch)
    blas.library.call(f"{name}getrs{blas.form}", blas.handle, *arguments)
    assert host[0] == 0 and not info[: len(a)].any()
    blas.close([m @ v for m, v in zip(a, x, strict=True)], b)
    if blas.form:
        inverse = blas.many((n, n), 7)
        arguments = (n, listed[0], n, pivots, blas._data(inverse, []), n, info, *batch)
        blas.library.call(f"{name}getriBatched", blas.handle, *arguments)
        blas.close([m @ v for m, v in zip(a, inverse, strict=True)], [np.eye(n)] * len(a))


def test_factors_on_the_device_are_read_when_the_work_runs(loaded: Loader) -> None:
    handle, library = ctypes.c_void_p(), loaded("hipblas")
    library.call("hipblasCreate", ctypes.byref(handle))
    library.call("hipblasSetPointerMode", handle, ON_THE_DEVICE)
    blas = Blas(library, handle, "Z", "StridedBatched")
    alpha, beta = blas.number(2 + 1j), blas.number(0.5 - 1j)
    a, x, y = blas.many((3, 3), 0), blas.many((3,), 1), blas.many((3,), 2)
    wanted = [alpha * (symmetric(m, UPPER) @ v) + beta * w for m, v, w in zip(a, x, y, strict=True)]
    blas.call("symv", UPPER, 3, alpha, a, 3, x, 1, beta, y, 1)
    blas.close(y, wanted)
    assert library.status("hipblasZsymv", handle, UPPER, 3, None, a[0], 3, x[0], 1, beta, y[0], 1) != 0
