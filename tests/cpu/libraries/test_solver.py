"""hipSOLVER on the CPU target: results against numpy's, and against what defines them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
import pytest

from tests.cpu.libraries.conftest import TYPES, Array, Library, Loader, random, tolerance

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

N, T, C = 111, 112, 113
UPPER, LOWER = 121, 122
LEFT, RIGHT = 141, 142
VECTORS, VALUES = 202, 201
LETTERS = list("SDCZ")


@dataclass
class Solver:
    """A handle of hipSOLVER; `prefix` selects one of the interfaces."""

    library: Library
    handle: ctypes.c_void_p
    letter: str
    prefix: str

    def name(self, real: str, complex_: str = "") -> str:
        return f"{self.prefix}{self.letter}{complex_ if complex_ and self.letter in 'CZ' else real}"

    def call(self, name: str, *arguments: object) -> int:
        """Call a function whose last argument is `info`; return info."""
        info = np.full(1, 99, np.int32)
        self.library.call(name, self.handle, *arguments, info)
        return int(info[0])

    @property
    def plain(self) -> bool:
        return self.prefix == "hipsolver"

    def work(self) -> tuple[object, ...]:
        return (None, 0) if self.plain else ()

    def close(self, got: Array, wanted: Array) -> None:
        np.testing.assert_allclose(got, wanted, rtol=0, atol=tolerance(self.letter) * max(1, np.abs(wanted).max()))

    def real(self, count: int) -> Array:
        return np.zeros(count, np.zeros(1, TYPES[self.letter]).real.dtype)


@pytest.fixture(params=["hipsolver", "hipsolverDn"])
def prefix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=LETTERS)
def solver(request: pytest.FixtureRequest, prefix: str, loaded: Loader) -> Solver:
    handle = ctypes.c_void_p()
    library = loaded("hipsolver")
    library.call("hipsolverDnCreate", ctypes.byref(handle))
    return Solver(library, handle, request.param, prefix)


def zeros(shape: tuple[int, ...], like: Array) -> Array:
    return np.zeros(shape, like.dtype, order="F")


def hermitian(n: int, letter: str, seed: int = 1) -> Array:
    made = random((n, n), letter, seed)
    return np.asfortranarray(made + made.conj().T)


def positive(n: int, letter: str, seed: int = 1) -> Array:
    made = random((n, n), letter, seed)
    return np.asfortranarray(made @ made.conj().T + n * np.eye(n)).astype(made.dtype, order="F")


@pytest.mark.parametrize("fill", [UPPER, LOWER])
def test_cholesky(solver: Solver, fill: int) -> None:
    n = 7
    a, b = positive(n, solver.letter), random((n, 3), solver.letter, 2)
    factor = a.copy(order="F")
    assert solver.call(solver.name("potrf"), fill, n, factor, n, None, 0) == 0
    triangle = np.triu(factor) if fill == UPPER else np.tril(factor)
    solver.close(triangle.conj().T @ triangle if fill == UPPER else triangle @ triangle.conj().T, a)
    x = b.copy(order="F")
    assert solver.call(solver.name("potrs"), fill, n, 3, factor, n, x, n, *solver.work()) == 0
    solver.close(a @ x, b)
    assert solver.call(solver.name("potri"), fill, n, factor, n, None, 0) == 0
    part = np.triu if fill == UPPER else np.tril
    solver.close(part(factor), part(np.linalg.inv(a)))


def test_a_matrix_that_is_not_positive(solver: Solver) -> None:
    a = np.asfortranarray(np.diag([1, 4, -9, 1]).astype(TYPES[solver.letter]))
    assert solver.call(solver.name("potrf"), LOWER, 4, a, 4, None, 0) == 3


def test_cholesky_of_a_batch(solver: Solver) -> None:
    n, matrices = 5, [positive(5, solver.letter, seed) for seed in range(3)]
    matrices.append(-matrices[0])
    factors = [one.copy(order="F") for one in matrices]
    sides = [random((n, 1), solver.letter, seed) for seed in range(4)]
    solved = [one.copy(order="F") for one in sides]
    lists = [np.array([one.ctypes.data for one in each], np.uint64) for each in (factors, solved)]
    info = np.full(4, 99, np.int32)
    solver.library.call(solver.name("potrfBatched"), solver.handle, LOWER, n, lists[0], n, *solver.work(), info, 4)
    assert info.tolist() == [0, 0, 0, 1]
    batch = (LOWER, n, 1, lists[0], n, lists[1], n, *solver.work(), info, 3)
    solver.library.call(solver.name("potrsBatched"), solver.handle, *batch)
    for a, b, x in zip(matrices[:3], sides, solved, strict=False):
        solver.close(a @ x, b)


@pytest.mark.parametrize("pivoted", [True, False])
@pytest.mark.parametrize("operation", [N, T, C])
def test_lu(solver: Solver, pivoted: bool, operation: int) -> None:
    n = 6
    a, b = positive(n, solver.letter), random((n, 2), solver.letter, 3)
    a[0, 3] += 5
    factor, pivots = a.copy(order="F"), np.zeros(n, np.int32) if pivoted else None
    assert solver.call(solver.name("getrf"), n, n, factor, n, *(None, 0)[: 2 if solver.plain else 1], pivots) == 0
    lower, upper = np.tril(factor, -1) + np.eye(n), np.triu(factor)
    product = lower @ upper
    for row in reversed(range(n)) if pivots is not None else ():
        product[[row, pivots[row] - 1]] = product[[pivots[row] - 1, row]]
    solver.close(product, a)
    x = b.copy(order="F")
    assert solver.call(solver.name("getrs"), operation, n, 2, factor, n, pivots, x, n, *solver.work()) == 0
    solver.close({N: a, T: a.T, C: a.conj().T}[operation] @ x, b)


def test_a_singular_matrix(solver: Solver) -> None:
    a = np.asfortranarray(np.ones((3, 3), TYPES[solver.letter]))
    pivots = np.zeros(3, np.int32)
    assert solver.call(solver.name("getrf"), 3, 3, a, 3, *(None, 0)[: 2 if solver.plain else 1], pivots) == 2


def test_symmetric_indefinite(solver: Solver) -> None:
    n = 4
    a = np.asfortranarray(np.diag(np.arange(1, n + 1)).astype(TYPES[solver.letter]))
    pivots = np.zeros(n, np.int32)
    assert solver.call(solver.name("sytrf"), LOWER, n, a, n, pivots, None, 0) == 0
    assert pivots.tolist() == [1, 2, 3, 4]
    solver.close(np.diag(a), np.arange(1, n + 1))


@pytest.mark.parametrize("shape", [(7, 4), (4, 4)])
def test_qr(solver: Solver, shape: tuple[int, int]) -> None:
    m, n = shape
    a, c = random(shape, solver.letter), random((m, 3), solver.letter, 4)
    factor, tau = a.copy(order="F"), zeros((n,), a)
    assert solver.call(solver.name("geqrf"), m, n, factor, m, tau, None, 0) == 0
    q = factor.copy(order="F")
    assert solver.call(solver.name("orgqr", "ungqr"), m, n, n, q, m, tau, None, 0) == 0
    solver.close(q.conj().T @ q, np.eye(n))
    solver.close(q @ np.triu(factor[:n]), a)
    product = c.copy(order="F")
    arguments = (LEFT, C if solver.letter in "CZ" else T, m, 3, n, factor, m, tau, product, m, None, 0)
    assert solver.call(solver.name("ormqr", "unmqr"), *arguments) == 0
    solver.close(product[:n], q.conj().T @ c)


def test_tridiagonal_form(solver: Solver) -> None:
    n = 6
    a, c = hermitian(n, solver.letter), random((n, n), solver.letter, 6)
    reduced, d, e, tau = a.copy(order="F"), solver.real(n), solver.real(n - 1), zeros((n - 1,), a)
    assert solver.call(solver.name("sytrd", "hetrd"), LOWER, n, reduced, n, d, e, tau, None, 0) == 0
    q, product = reduced.copy(order="F"), c.copy(order="F")
    assert solver.call(solver.name("orgtr", "ungtr"), LOWER, n, q, n, tau, None, 0) == 0
    solver.close(q @ (np.diag(d) + np.diag(e, 1) + np.diag(e, -1)) @ q.conj().T, a)
    arguments = (LEFT, LOWER, N, n, n, reduced, n, tau, product, n, None, 0)
    assert solver.call(solver.name("ormtr", "unmtr"), *arguments) == 0
    solver.close(product, q @ c)


def test_bidiagonal_form(solver: Solver) -> None:
    m, n = 6, 4
    a = random((m, n), solver.letter)
    reduced, d, e, tau_q, tau_p = a.copy(order="F"), solver.real(n), solver.real(n - 1), zeros((n,), a), zeros((n,), a)
    assert solver.call(solver.name("gebrd"), m, n, reduced, m, d, e, tau_q, tau_p, None, 0) == 0
    q, p = reduced.copy(order="F"), np.asfortranarray(reduced[:n])
    assert solver.call(solver.name("orgbr", "ungbr"), LEFT, m, n, n, q, m, tau_q, None, 0) == 0
    assert solver.call(solver.name("orgbr", "ungbr"), RIGHT, n, n, m, p, n, tau_p, None, 0) == 0
    solver.close(q @ (np.diag(d) + np.diag(e, 1)) @ p, a)


@pytest.mark.parametrize("method", ["d", "j"])
@pytest.mark.parametrize("fill", [UPPER, LOWER])
def test_eigenvalues(solver: Solver, method: str, fill: int) -> None:
    n = 8
    a = hermitian(n, solver.letter)
    vectors, values = a.copy(order="F"), solver.real(n)
    info = np.full(1, 99, np.int32)
    more = (None,) if method == "j" else ()
    arguments = (VECTORS, fill, n, vectors, n, values, None, 0, info, *more)
    solver.library.call(solver.name(f"syev{method}", f"heev{method}"), solver.handle, *arguments)
    assert info[0] == 0
    solver.close(values, np.linalg.eigvalsh(a))
    solver.close(a @ vectors, vectors * values)


@pytest.mark.parametrize("kind", [211, 212, 213])
def test_generalized_eigenvalues(solver: Solver, kind: int) -> None:
    n = 5
    a, b = hermitian(n, solver.letter), positive(n, solver.letter, 7)
    vectors, factor, values = a.copy(order="F"), b.copy(order="F"), solver.real(n)
    arguments = (kind, VECTORS, LOWER, n, vectors, n, factor, n, values, None, 0)
    assert solver.call(solver.name("sygvd", "hegvd"), *arguments) == 0
    assert (np.diff(values) >= 0).all()
    left, right = {211: (a, b), 212: (a @ b, np.eye(n)), 213: (b @ a, np.eye(n))}[kind]
    solver.close(left @ vectors, right @ vectors * values)


@pytest.mark.parametrize(
    ("wanted", "part"), [((221, 0.0, 0.0, 0, 0), slice(0, 6)), ((223, 0.0, 0.0, 2, 4), slice(1, 4))]
)
def test_a_part_of_the_eigenvalues(solver: Solver, wanted: tuple[int, float, float, int, int], part: slice) -> None:
    n = 6
    a = hermitian(n, solver.letter)
    vectors, values, count = a.copy(order="F"), solver.real(n), np.zeros(1, np.int32)
    number = ctypes.c_float if solver.letter in "SC" else ctypes.c_double
    range_, low, high, first, last = wanted
    arguments = (VECTORS, range_, UPPER, n, vectors, n, number(low), number(high), first, last, count, values, None, 0)
    assert solver.call(solver.name("syevdx", "heevdx"), *arguments) == 0
    found = np.linalg.eigvalsh(a)[part]
    assert count[0] == len(found)
    solver.close(values[: len(found)], found)
    solver.close(a @ vectors[:, : len(found)], vectors[:, : len(found)] * values[: len(found)])


def test_eigenvalues_between_two_bounds(solver: Solver) -> None:
    a = np.asfortranarray(np.diag([5, 1, 3, 9]).astype(TYPES[solver.letter]))
    values, count = solver.real(4), np.zeros(1, np.int32)
    number = ctypes.c_float if solver.letter in "SC" else ctypes.c_double
    arguments = (VALUES, 222, UPPER, 4, a, 4, number(1), number(5), 0, 0, count, values, None, 0)
    assert solver.call(solver.name("syevdx", "heevdx"), *arguments) == 0
    assert (count[0], values[:2].tolist()) == (2, [3, 5])


@pytest.mark.parametrize("shape", [(7, 4), (4, 7), (5, 5)])
def test_singular_values(solver: Solver, shape: tuple[int, int]) -> None:
    m, n = shape
    a = random(shape, solver.letter)
    k = min(m, n)
    u, s, v = zeros((m, m), a), solver.real(k), zeros((n, n), a)
    arguments = (ctypes.c_char(b"A"), ctypes.c_char(b"A"), m, n, a.copy(order="F"), m, s, u, m, v, n, None, 0, None)
    assert solver.call(solver.name("gesvd"), *arguments) == 0
    solver.close(s, np.linalg.svd(a, compute_uv=False))
    solver.close(u[:, :k] * s @ v[:k], a)
    solver.close(u.conj().T @ u, np.eye(m))


@pytest.mark.parametrize("economical", [0, 1])
@pytest.mark.parametrize("shape", [(6, 3), (3, 6)])
def test_jacobi_returns_v_itself(solver: Solver, economical: int, shape: tuple[int, int]) -> None:
    m, n = shape
    k = min(m, n)
    a = random(shape, solver.letter)
    u, s, v = zeros((m, k if economical else m), a), solver.real(k), zeros((n, k if economical else n), a)
    info = np.full(1, 99, np.int32)
    arguments = (VECTORS, economical, m, n, a.copy(order="F"), m, s, u, m, v, n, None, 0, info, None)
    solver.library.call(solver.name("gesvdj"), solver.handle, *arguments)
    assert info[0] == 0
    solver.close(u[:, :k] * s @ v[:, :k].conj().T, a)
    solver.close(v.conj().T @ v, np.eye(v.shape[1]))


def test_batches_of_eigenvalues_and_singular_values(solver: Solver) -> None:
    n, batch = 4, 3
    matrices = [hermitian(n, solver.letter, seed) for seed in range(batch)]
    packed = np.concatenate([one.ravel(order="F") for one in matrices])
    vectors, values, info = packed.copy(), solver.real(n * batch), np.full(batch, 99, np.int32)
    arguments = (VECTORS, LOWER, n, vectors, n, values, None, 0, info, None, batch)
    solver.library.call(solver.name("syevjBatched", "heevjBatched"), solver.handle, *arguments)
    assert info.tolist() == [0] * batch
    solver.close(values, np.concatenate([np.linalg.eigvalsh(one) for one in matrices]))
    u, v, s = np.zeros_like(packed), np.zeros_like(packed), solver.real(n * batch)
    arguments = (VECTORS, n, n, packed.copy(), n, s, u, n, v, n, None, 0, info, None, batch)
    solver.library.call(solver.name("gesvdjBatched"), solver.handle, *arguments)
    for i, a in enumerate(matrices):
        part = slice(i * n * n, (i + 1) * n * n)
        left, right = u[part].reshape(n, n, order="F"), v[part].reshape(n, n, order="F")
        solver.close(left * s[i * n : (i + 1) * n] @ right.conj().T, a)


@pytest.mark.parametrize("letter", LETTERS)
def test_the_largest_singular_values_of_a_batch(letter: str, loaded: Loader) -> None:
    handle, library = ctypes.c_void_p(), loaded("hipsolver")
    library.call("hipsolverDnCreate", ctypes.byref(handle))
    solver = Solver(library, handle, letter, "hipsolverDn")
    m, n, rank = 6, 4, 2
    a = random((m, n), letter)
    u, s, v, info, residual = (
        zeros((m, rank), a),
        solver.real(rank),
        zeros((n, rank), a),
        np.ones(1, np.int32),
        np.zeros(1),
    )
    arguments = (VECTORS, rank, m, n, a, m, m * n, s, rank, u, m, m * rank, v, n, n * rank, None, 0, info, residual, 1)
    library.call(solver.name("gesvdaStridedBatched"), handle, *arguments)
    rest = a - u * s @ v.conj().T
    assert info[0] == 0
    solver.close(residual, np.array([np.linalg.norm(rest)]))
    solver.close(s, np.linalg.svd(a, compute_uv=False)[:rank])


@pytest.mark.parametrize("shape", [(7, 4), (4, 4)])
def test_systems_and_least_squares(solver: Solver, shape: tuple[int, int]) -> None:
    m, n = shape
    a, b = random(shape, solver.letter), random((m, 2), solver.letter, 9)
    x, iterations = zeros((n, 2), a), np.zeros(1, np.int32)
    twice = f"{solver.prefix}{solver.letter * 2}"
    arguments = (a.copy(order="F"), m, b, m, x, n, None, ctypes.c_size_t(0), iterations)
    assert solver.call(f"{twice}gels", m, n, 2, *arguments) == 0
    solver.close(x, np.linalg.lstsq(a, b, rcond=None)[0])
    if m == n:
        pivots = np.zeros(n, np.int32)
        arguments = (a.copy(order="F"), n, pivots, b, n, x, n, None, ctypes.c_size_t(0), iterations)
        assert solver.call(f"{twice}gesv", n, 2, *arguments) == 0
        solver.close(a @ x, b)


@pytest.mark.parametrize(("letter", "kind"), [("S", 0), ("D", 1), ("C", 4), ("Z", 5)])
def test_functions_with_64_bits(letter: str, kind: int, loaded: Loader) -> None:
    handle, library = ctypes.c_void_p(), loaded("hipsolver")
    library.call("hipsolverDnCreate", ctypes.byref(handle))
    solver = Solver(library, handle, letter, "hipsolverDn")
    n = 5
    a, b, size = positive(n, letter), random((n, 2), letter, 5), ctypes.c_size_t(0)
    none = (None, size, None, size)
    factor, pivots, x = a.copy(order="F"), np.zeros(n, np.int64), b.copy(order="F")
    assert solver.call("hipsolverDnXgetrf", None, n, n, kind, factor, n, pivots, kind, *none) == 0
    assert solver.call("hipsolverDnXgetrs", None, N, n, 2, kind, factor, n, pivots, kind, x, n) == 0
    solver.close(a @ x, b)
    factor, x = a.copy(order="F"), b.copy(order="F")
    assert solver.call("hipsolverDnXpotrf", None, UPPER, n, kind, factor, n, kind, *none) == 0
    assert solver.call("hipsolverDnXpotrs", None, UPPER, n, 2, kind, factor, n, kind, x, n) == 0
    solver.close(a @ x, b)
    factor, tau = a.copy(order="F"), zeros((n,), a)
    assert solver.call("hipsolverDnXgeqrf", None, n, n, kind, factor, n, kind, tau, kind, *none) == 0
    solver.close(np.abs(np.diag(factor)), np.abs(np.diag(np.linalg.qr(a)[1])))
    assert library.status("hipsolverDnXpotrf", handle, None, UPPER, n, 3, factor, n, 3, *none, pivots) == 10


def test_arguments_that_make_no_sense(solver: Solver) -> None:
    a = random((3, 3), solver.letter)
    info = np.zeros(1, np.int32)
    assert solver.library.status(solver.name("potrf"), solver.handle, UPPER, -1, a, 3, None, 0, info) == 3
    assert solver.library.status(solver.name("potrf"), solver.handle, UPPER, 3, a, 2, None, 0, info) == 3
    assert solver.library.status(solver.name("potrf"), None, UPPER, 3, a, 3, None, 0, info) == 1
