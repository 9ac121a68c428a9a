"""hipSPARSE on the CPU target: results against numpy's dense ones."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
import pytest

from tests.cpu.libraries.conftest import TYPES, Array, Library, Loader, random, tolerance

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

LETTERS = list("SDCZ")
KINDS = {"S": 0, "D": 1, "C": 4, "Z": 5}
"""The hipDataType of each letter."""
PLAIN, TURNED, CONJUGATED = 0, 1, 2
COLUMNS, ROWS = 1, 2
INDEX = {np.int32: 2, np.int64: 3}
FORMATS = ["Csr", "Csc", "Coo"]


def operated(a: Array, operation: int) -> Array:
    return {PLAIN: a, TURNED: a.T, CONJUGATED: a.conj().T}[operation]


def holes(shape: tuple[int, int], letter: str, seed: int = 0) -> Array:
    """Return a matrix of which about half is 0, and one row is empty."""
    made = random(shape, letter, seed)
    made[np.random.default_rng(seed + 100).random(shape) < 0.5] = 0
    made[1] = 0
    return made


@dataclass
class Sparse:
    """A handle of hipSPARSE."""

    library: Library
    handle: ctypes.c_void_p
    letter: str

    def __post_init__(self) -> None:
        self.kind = KINDS[self.letter]
        self.alive: list[object] = []

    def number(self, value: complex) -> Array:
        return np.array([value if self.letter in "CZ" else value.real], TYPES[self.letter])

    def call(self, name: str, *arguments: object) -> None:
        self.library.call(f"hipsparse{name}", *arguments)

    def made(self, name: str, *arguments: object) -> ctypes.c_void_p:
        """Return a new descriptor; its arrays stay alive."""
        descriptor = ctypes.c_void_p()
        self.alive.extend(arguments)
        self.call(f"Create{name}", ctypes.byref(descriptor), *arguments)
        return descriptor

    def matrix(self, a: Array, form: str, index: type = np.int32, base: int = 0) -> ctypes.c_void_p:
        rows, columns = np.nonzero(a) if form != "Csc" else np.nonzero(a.T)[::-1]
        outer = rows if form == "Coo" else offsets(columns if form == "Csc" else rows, a.shape[form == "Csc"])
        inner = rows if form == "Csc" else columns
        types = (INDEX[index],) * (1 if form == "Coo" else 2)
        arrays = (np.array(outer + base, index), np.array(inner + base, index), a[rows, columns].copy())
        return self.made(form, *a.shape, len(rows), *arrays, *types, base, self.kind)

    def values(self) -> Array:
        """Return the values of the last matrix that was made."""
        return next(
            one for one in reversed(self.alive) if isinstance(one, np.ndarray) and one.dtype == TYPES[self.letter]
        )

    def vector(self, x: Array) -> ctypes.c_void_p:
        return self.made("DnVec", len(x), x, self.kind)

    def dense(self, a: Array, order: int = COLUMNS) -> ctypes.c_void_p:
        assert a.flags.f_contiguous if order == COLUMNS else a.flags.c_contiguous
        return self.made("DnMat", *a.shape, a.shape[order == ROWS], a, self.kind, order)

    def close(self, got: Array, wanted: Array) -> None:
        np.testing.assert_allclose(got, wanted, rtol=0, atol=tolerance(self.letter) * max(1, np.abs(wanted).max()))


def offsets(lines: Array, count: int) -> Array:
    return np.concatenate([[0], np.cumsum(np.bincount(lines, minlength=count))])


def csr(a: Array, base: int = 0) -> tuple[Array, Array, Array]:
    """Return values, offsets and columns."""
    rows, columns = np.nonzero(a)
    return a[rows, columns].copy(), (offsets(rows, len(a)) + base).astype(np.int32), (columns + base).astype(np.int32)


@pytest.fixture(params=LETTERS)
def sparse(request: pytest.FixtureRequest, loaded: Loader) -> Sparse:
    handle, library = ctypes.c_void_p(), loaded("hipsparse")
    library.call("hipsparseCreate", ctypes.byref(handle))
    return Sparse(library, handle, request.param)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("operation", [PLAIN, TURNED, CONJUGATED])
@pytest.mark.parametrize(("index", "base"), [(np.int32, 0), (np.int64, 1)])
def test_a_matrix_times_a_vector(sparse: Sparse, form: str, operation: int, index: type, base: int) -> None:
    a = holes((5, 7), sparse.letter)
    of = operated(a, operation)
    x, y = random((of.shape[1],), sparse.letter, 1), random((of.shape[0],), sparse.letter, 2)
    alpha, beta = sparse.number(2 + 1j), sparse.number(-1 + 3j)
    wanted = alpha * (of @ x) + beta * y
    descriptors = (sparse.matrix(a, form, index, base), sparse.vector(x))
    arguments = (sparse.handle, operation, alpha, *descriptors, beta, sparse.vector(y), sparse.kind, 0)
    size = np.zeros(1, np.uint64)
    sparse.call("SpMV_bufferSize", *arguments, size)
    sparse.call("SpMV", *arguments, None)
    sparse.close(y, wanted)


def test_beta_0_does_not_read_the_result(sparse: Sparse) -> None:
    a, x = holes((4, 4), sparse.letter), random((4,), sparse.letter)
    y = np.full(4, np.nan, TYPES[sparse.letter])
    descriptors = (sparse.matrix(a, "Csr"), sparse.vector(x))
    factors = (sparse.number(1), sparse.number(0))
    arguments = (PLAIN, factors[0], *descriptors, factors[1], sparse.vector(y), sparse.kind, 0, None)
    sparse.call("SpMV", sparse.handle, *arguments)
    sparse.close(y, a @ x)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("operation", [PLAIN, CONJUGATED])
@pytest.mark.parametrize("other", [PLAIN, TURNED])
@pytest.mark.parametrize("order", [COLUMNS, ROWS])
def test_a_matrix_times_a_dense_one(sparse: Sparse, form: str, operation: int, other: int, order: int) -> None:
    a, layout = holes((5, 7), sparse.letter), "F" if order == COLUMNS else "C"
    of = operated(a, operation)
    b, c = random((of.shape[1], 3), sparse.letter, 1), random((of.shape[0], 3), sparse.letter, 2)
    stored, result = np.array(operated(b, other), order=layout), np.array(c, order=layout)
    alpha, beta = sparse.number(2 + 1j), sparse.number(0.5 + 3j)
    descriptors = (sparse.matrix(a, form), sparse.dense(stored, order))
    arguments = (operation, other, alpha, *descriptors, beta, sparse.dense(result, order), sparse.kind, 0, None)
    sparse.call("SpMM", sparse.handle, *arguments)
    sparse.close(result, alpha * (of @ b) + beta * c)


def test_a_product_of_sparse_matrices(sparse: Sparse) -> None:
    a, b = holes((5, 7), sparse.letter), holes((7, 4), sparse.letter, 1)
    rows = np.zeros(6, np.int32)
    c = sparse.made("Csr", 5, 4, 0, rows, None, None, 2, 2, 0, sparse.kind)
    product = ctypes.c_void_p()
    sparse.call("SpGEMM_createDescr", ctypes.byref(product))
    alpha, beta, size = sparse.number(2 + 1j), sparse.number(0), np.zeros(1, np.uint64)
    arguments = (sparse.handle, PLAIN, PLAIN, alpha, sparse.matrix(a, "Csr"), sparse.matrix(b, "Coo"), beta, c)
    arguments = (*arguments, sparse.kind, 0, product)
    for step in ("workEstimation", "compute"):
        sparse.call(f"SpGEMM_{step}", *arguments, size, None)
        assert size[0] > 0
        sparse.call(f"SpGEMM_{step}", *arguments, size, np.zeros(int(size[0]), np.uint8))
    shape = [np.zeros(1, np.int64) for _ in range(3)]
    sparse.call("SpMatGetSize", c, *shape)
    count = int(shape[2][0])
    columns, values = np.zeros(count, np.int32), np.zeros(count, TYPES[sparse.letter])
    sparse.call("CsrSetPointers", c, rows, columns, values)
    sparse.call("SpGEMM_copy", *arguments)
    found = np.zeros((5, 4), TYPES[sparse.letter])
    for row in range(5):
        found[row, columns[rows[row] : rows[row + 1]]] = values[rows[row] : rows[row + 1]]
    sparse.close(found, alpha * (a @ b))
    assert rows[-1] == count


@pytest.mark.parametrize("operation", [PLAIN, TURNED, CONJUGATED])
@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("unit", [0, 1])
@pytest.mark.parametrize("form", FORMATS)
def test_triangular_systems(sparse: Sparse, operation: int, upper: int, unit: int, form: str) -> None:
    a = holes((6, 6), sparse.letter) / 4
    np.fill_diagonal(a, 2)
    triangle = np.triu(a, 1) if upper else np.tril(a, -1)
    triangle = triangle + np.eye(6) * (1 if unit else 2)
    x, y = random((6,), sparse.letter, 3), np.zeros(6, TYPES[sparse.letter])
    b, c = random((6, 2), sparse.letter, 4), np.zeros((6, 2), TYPES[sparse.letter], order="F")
    matrix, alpha = sparse.matrix(a, form), sparse.number(2)
    for attribute, value in ((0, upper), (1, unit)):
        sparse.call("SpMatSetAttribute", matrix, attribute, np.array([value], np.int32), 4)
    arguments = (operation, alpha, matrix, sparse.vector(x), sparse.vector(y), sparse.kind, 0, None)
    sparse.call("SpSV_solve", sparse.handle, *arguments)
    sparse.close(operated(triangle, operation) @ y, 2 * x)
    arguments = (operation, PLAIN, alpha, matrix, sparse.dense(b), sparse.dense(c), sparse.kind, 0, None, None)
    sparse.call("SpSM_solve", sparse.handle, *arguments)
    sparse.close(operated(triangle, operation) @ c, 2 * b)


def test_a_product_at_the_elements_of_a_sparse_matrix(sparse: Sparse) -> None:
    a, b, c = random((5, 3), sparse.letter), random((4, 3), sparse.letter, 1), holes((5, 4), sparse.letter, 2)
    alpha, beta = sparse.number(2), sparse.number(3)
    matrix = sparse.matrix(c, "Csr")
    values = sparse.values()
    arguments = (PLAIN, TURNED, alpha, sparse.dense(a), sparse.dense(b), beta, matrix, sparse.kind, 0, None)
    sparse.call("SDDMM", sparse.handle, *arguments)
    sparse.close(values, (2 * (a @ b.T) + 3 * c)[np.nonzero(c)])


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("order", [COLUMNS, ROWS])
@pytest.mark.parametrize("base", [0, 1])
def test_sparse_from_dense_and_back(sparse: Sparse, form: str, order: int, base: int) -> None:
    a = np.array(holes((5, 7), sparse.letter), order="F" if order == COLUMNS else "C")
    count = int(np.count_nonzero(a))
    outer = np.zeros({"Csr": 6, "Csc": 8, "Coo": count}[form], np.int32)
    inner, values = np.zeros(count, np.int32), np.zeros(count, TYPES[sparse.letter])
    types = (2,) if form == "Coo" else (2, 2)
    matrix = sparse.made(form, 5, 7, count, outer, inner, values, *types, base, sparse.kind)
    sparse.call("DenseToSparse_analysis", sparse.handle, sparse.dense(a, order), matrix, 0, None)
    sparse.call("DenseToSparse_convert", sparse.handle, sparse.dense(a, order), matrix, 0, None)
    assert inner.min() >= base and (form == "Coo" or outer[-1] == count + base)
    back = np.ones_like(a)
    sparse.call("SparseToDense", sparse.handle, matrix, sparse.dense(back, order), 0, None)
    np.testing.assert_array_equal(back, a)


def test_sparse_vectors(sparse: Sparse) -> None:
    places, values = np.array([1, 3, 6], np.int32), random((3,), sparse.letter)
    y = random((7,), sparse.letter, 1)
    x = sparse.made("SpVec", 7, 3, places, values, 2, 0, sparse.kind)
    whole = np.zeros(7, TYPES[sparse.letter])
    whole[places] = values
    result, alpha, beta = sparse.number(0), sparse.number(2 + 1j), sparse.number(3 - 1j)
    sparse.call("SpVV", sparse.handle, PLAIN, x, sparse.vector(y), result, sparse.kind, None)
    sparse.close(result, np.array([whole @ y]))
    sparse.call("SpVV", sparse.handle, CONJUGATED, x, sparse.vector(y), result, sparse.kind, None)
    sparse.close(result, np.array([whole.conj() @ y]))
    wanted = alpha * whole + beta * y
    sparse.call("Axpby", sparse.handle, alpha, x, beta, sparse.vector(y))
    sparse.close(y, wanted)
    sparse.call("Scatter", sparse.handle, x, sparse.vector(y))
    sparse.close(y[places], values)
    y[:] = np.arange(7)
    sparse.call("Gather", sparse.handle, sparse.vector(y), x)
    sparse.close(values, np.array([1, 3, 6]))
    sparse.call("Rot", sparse.handle, sparse.number(0), sparse.number(1), x, sparse.vector(y))
    sparse.close(y, np.array([0, -1, 2, -3, 4, 5, -6]))


def test_older_products(sparse: Sparse) -> None:
    a, descriptor = holes((5, 7), sparse.letter), ctypes.c_void_p()
    sparse.call("CreateMatDescr", ctypes.byref(descriptor))
    sparse.call("SetMatIndexBase", descriptor, 1)
    values, rows, columns = csr(a, 1)
    alpha, beta = sparse.number(2 + 1j), sparse.number(0.5)
    x, y, b, c = (random(shape, sparse.letter, 3) for shape in ((7,), (5,), (7, 2), (5, 2)))
    wanted, product = alpha * (a @ x) + beta * y, alpha * (a @ b) + beta * c
    csr_arguments = (len(values), alpha, descriptor, values, rows, columns)
    sparse.call(f"{sparse.letter}csrmv", sparse.handle, PLAIN, 5, 7, *csr_arguments, x, beta, y)
    sparse.close(y, wanted)
    sparse.call(f"{sparse.letter}csrmm", sparse.handle, PLAIN, 5, 2, 7, *csr_arguments, b, 7, beta, c, 5)
    sparse.close(c, product)


@pytest.mark.parametrize("name", ["csrilu02", "csric02"])
def test_incomplete_factorizations_of_a_band_are_complete(sparse: Sparse, name: str) -> None:
    n = 6
    a = np.diag(np.full(n, 4.0)) + np.diag(np.full(n - 1, -1.0), 1) + np.diag(np.full(n - 1, -1.0), -1)
    a = a.astype(TYPES[sparse.letter])
    if sparse.letter in "CZ":
        a += 1j * (np.diag(np.ones(n - 1), 1) - np.diag(np.ones(n - 1), -1))
    values, rows, columns = csr(a)
    info, descriptor = ctypes.c_void_p(), ctypes.c_void_p()
    sparse.call("CreateMatDescr", ctypes.byref(descriptor))
    sparse.call(f"Create{name.capitalize()}Info", ctypes.byref(info))
    common = (sparse.handle, n, len(values), descriptor, values, rows, columns, info, 0, None)
    sparse.call(f"{sparse.letter}{name}_analysis", *common)
    sparse.call(f"{sparse.letter}{name}", *common)
    factor, position = np.zeros_like(a), np.zeros(1, np.int32)
    factor[np.nonzero(a)] = values
    lower = np.tril(factor, -1) + np.eye(n) if name == "csrilu02" else np.tril(factor)
    sparse.close(lower @ (np.triu(factor) if name == "csrilu02" else lower.conj().T), a)
    sparse.call(f"X{name}_zeroPivot", sparse.handle, info, position)
    assert position[0] == -1
    values[:] = 0
    sparse.call(f"{sparse.letter}{name}", *common)
    assert sparse.library.status(f"hipsparseX{name}_zeroPivot", sparse.handle, info, position) == 9
    assert position[0] == 0


@pytest.mark.parametrize("name", ["gtsv2", "gtsv2_nopivot"])
def test_tridiagonal_systems(sparse: Sparse, name: str) -> None:
    n = 6
    lower, middle, upper, b = (random((n, 2), sparse.letter, seed) for seed in range(4))
    middle = middle + 4
    a = np.diag(middle[:, 0]) + np.diag(lower[1:, 0], -1) + np.diag(upper[:-1, 0], 1)
    x, first = b.copy(order="F"), [one[:, 0].copy() for one in (lower, middle, upper)]
    sparse.call(f"{sparse.letter}{name}", sparse.handle, n, 2, *first, x, n, None)
    sparse.close(a @ x, b)
    x = b.copy(order="F")
    sparse.call(f"{sparse.letter}gtsv2StridedBatch", sparse.handle, n, lower, middle, upper, x, 2, n, None)
    for i in range(2):
        a = np.diag(middle[:, i]) + np.diag(lower[1:, i], -1) + np.diag(upper[:-1, i], 1)
        sparse.close(a @ x[:, i], b[:, i])


@pytest.mark.parametrize("base", [0, 1])
def test_conversions(sparse: Sparse, base: int) -> None:
    a = holes((5, 7), sparse.letter)
    values, rows, columns = csr(a, base)
    count = len(values)
    listed, again = np.zeros(count, np.int32), np.zeros(6, np.int32)
    sparse.call("Xcsr2coo", sparse.handle, rows, count, 5, listed, base)
    assert listed.tolist() == (np.nonzero(a)[0] + base).tolist()
    sparse.call("Xcoo2csr", sparse.handle, listed, count, 5, again, base)
    assert again.tolist() == rows.tolist()
    turned, turned_columns, turned_rows = np.zeros_like(values), np.zeros(8, np.int32), np.zeros(count, np.int32)
    arguments = (5, 7, count, values, rows, columns, turned, turned_columns, turned_rows, sparse.kind, 1, base, 1, None)
    sparse.call("Csr2cscEx2", sparse.handle, *arguments)
    wanted = csr(np.ascontiguousarray(a.T), base)
    assert [turned.tolist(), turned_columns.tolist(), turned_rows.tolist()] == [one.tolist() for one in wanted]
    order, shuffled = np.zeros(count, np.int32), columns.copy()
    sparse.call("CreateIdentityPermutation", sparse.handle, count, order)
    for row in range(5):
        shuffled[rows[row] - base : rows[row + 1] - base] = shuffled[rows[row] - base : rows[row + 1] - base][::-1]
    mixed = shuffled.copy()
    sparse.call("Xcsrsort", sparse.handle, 5, 7, count, None, rows, shuffled, order, None)
    assert shuffled.tolist() == columns.tolist() and mixed[order].tolist() == columns.tolist()
    by_column = (listed.copy(), columns.copy())
    sparse.call("XcoosortByColumn", sparse.handle, 5, 7, count, *by_column, None, None)
    assert by_column[1].tolist() == sorted(columns.tolist()) and by_column[0].tolist() == wanted[2].tolist()


def test_arguments_that_make_no_sense(sparse: Sparse) -> None:
    a, x = sparse.matrix(holes((5, 7), sparse.letter), "Csr"), sparse.vector(random((4,), sparse.letter))
    one = sparse.number(1)
    status = sparse.library.status
    assert status("hipsparseSpMV", sparse.handle, PLAIN, one, a, x, one, x, sparse.kind, 0, None) == 3
    assert status("hipsparseSpMV", None, PLAIN, one, a, x, one, x, sparse.kind, 0, None) == 1
    assert status("hipsparseSpMV", sparse.handle, PLAIN, one, a, None, one, x, sparse.kind, 0, None) == 3
    assert status("hipsparseCsrSetPointers", sparse.matrix(holes((5, 7), "S"), "Coo"), None, None, None) == 3
