"""Arrays are compared element by element."""

from __future__ import annotations

import io
import struct
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hipport.verify.arrays import TYPES, compare_npy, compare_raw
from hipport.verify.compare import compare_contents
from hipport.verify.content import compare_bytes, is_npy
from hipport.verify.model import Comparison, Rules, Tolerance
from hipport.verify.text import SHOWN, close

EXACT = Tolerance(0, 0)


def npy(array: object) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(array))
    return file.getvalue()


def f32(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def test_first_difference_with_its_index_and_the_largest_error() -> None:
    old, new = np.zeros((3, 4), "f4"), np.zeros((3, 4), "f4")
    new[1, 2], new[2, 0] = 0.5, 2
    found = compare_npy("a.npy", npy(old), npy(new), EXACT)
    first = found.differences[0]
    assert (first.where, first.original, first.port, first.detail) == (
        "[1, 2]",
        "0.0",
        "0.5",
        "absolute 0.5, relative 1",
    )
    assert (found.count, found.worst, found.how) == (2, 2, "array of float32")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (np.zeros(3, "f4"), np.zeros(4, "f4")),
        (np.zeros(3, "f4"), np.zeros(3, "f8")),
        (np.zeros((2, 3)), np.zeros((3, 2))),
    ],
)
def test_headers_have_to_agree(old: object, new: object) -> None:
    found = compare_npy("a.npy", npy(old), npy(new), Tolerance(1, 1))
    assert (found.count, found.differences[0].where) == (1, "header")


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4", "u8", "?"])
def test_kinds_of_elements(dtype: str) -> None:
    old = np.array([0, 1, 1], dtype)
    assert compare_npy("a.npy", npy(old), npy(old), EXACT).count == 0
    new = old.copy()
    new[2] = 0
    assert [item.where for item in compare_npy("a.npy", npy(old), npy(new), EXACT).differences] == ["[2]"]


def test_a_scalar_and_an_empty_array() -> None:
    assert compare_npy("a.npy", npy(1.0), npy(2.0), EXACT).count == 1
    assert compare_npy("a.npy", npy([]), npy([]), EXACT).count == 0


def test_nan_and_infinity() -> None:
    nan, inf = float("nan"), float("inf")
    wide = Tolerance(1, 1e30)
    assert compare_raw("a", f32(nan, inf), f32(nan, inf), "f32", wide).count == 0
    assert compare_raw("a", f32(nan, 1), f32(1, nan), "f32", wide).count == 2
    assert compare_raw("a", f32(inf, inf), f32(-inf, 1), "f32", wide).count == 2


def test_integers_have_no_tolerance() -> None:
    assert compare_raw("a", b"\5\0\0\0", b"\6\0\0\0", "i32", Tolerance(1, 9)).count == 1


def test_bfloat16_is_the_upper_half_of_a_float() -> None:
    one, near, two = (f32(number)[2:] for number in (1, 1.0078125, 2))
    assert compare_raw("a", one, near, "bf16", Tolerance(0.01, 0)).count == 0
    found = compare_raw("a", one, two, "bf16", Tolerance(0.01, 0)).differences[0]
    assert (found.original, found.port) == ("1.0", "2.0")


def test_numbers_of_16_bits_may_differ_by_their_last_place() -> None:
    one, next_one, after = (struct.pack("<e", 1 + step / 1024) for step in range(3))
    assert compare_raw("a", one, next_one, "f16", Tolerance()).count == 0
    assert compare_raw("a", one, after, "f16", Tolerance()).count == 1
    assert compare_raw("a", one, next_one, "f16", Tolerance(0, 0)).count == 1
    old, new = (npy(np.frombuffer(data, "<f2")) for data in (one, next_one))
    assert compare_npy("a.npy", old, new, Tolerance()).count == 0
    bf16 = [struct.pack("<H", 0x3F80 + step) for step in range(3)]
    assert compare_raw("a", bf16[0], bf16[1], "bf16", Tolerance()).count == 0
    assert compare_raw("a", bf16[0], bf16[2], "bf16", Tolerance()).count == 1


def test_sizes_and_what_is_left_at_the_end() -> None:
    assert compare_raw("a", f32(1), f32(1, 2), "f32", EXACT).differences[0].port == "8 bytes"
    assert compare_raw("a", f32(1) + b"x", f32(1) + b"y", "f32", EXACT).count == 1
    assert compare_raw("a", f32(1) + b"x", f32(1) + b"x", "f32", EXACT).count == 0


def test_more_elements_than_are_compared_at_a_time() -> None:
    old = np.arange(3 << 20, dtype="u4")
    new = old.copy()
    new[[5, 1 << 20, (3 << 20) - 1]] += 1
    found = compare_npy("a.npy", npy(old), npy(new), EXACT)
    assert [item.where for item in found.differences] == ["[5]", f"[{1 << 20}]", f"[{(3 << 20) - 1}]"]


def test_few_differences_are_kept() -> None:
    found = compare_raw("a", bytes(1000), b"\1" * 1000, "u8", EXACT)
    assert (found.count, len(found.differences)) == (1000, SHOWN)


def test_without_a_type_bytes_are_compared_and_that_is_said() -> None:
    found = compare_contents("out.bin", f32(1, 2), f32(1, 2.0000002), Rules())
    assert (found.how, found.count, found.differences[0].where) == ("bytes", 1, "[4]")
    assert "--dtype" in found.note
    assert compare_contents("out.bin", f32(1, 2), f32(1, 2.0000002), Rules(types=(("*.bin", "f32"),))).count == 0


def test_the_last_type_that_matches_counts() -> None:
    rules = Rules(types=(("*", "f32"), ("out.*", "i32")))
    assert compare_contents("out.bin", f32(1), f32(2), rules).how == "i32"
    assert compare_contents("in.bin", f32(1), f32(2), rules).how == "f32"


@pytest.mark.parametrize(
    "damaged",
    [
        b"\x93NUMPY",
        b"\x93NUMPY\1\0\xff\xff{",
        npy([1.0])[:-1],
        npy([1.0]).replace(b"<f8", b"|O8"),
        npy([1.0]).replace(b"(1,)", b"(9,)"),
        npy(np.zeros(1, [("a", "f4")])),
    ],
)
def test_what_is_no_array_is_compared_by_bytes(damaged: bytes) -> None:
    assert is_npy(damaged)
    assert compare_npy("a.npy", damaged, damaged, EXACT).count == 0
    assert compare_npy("a.npy", damaged, npy([1.0]) + b"!", EXACT).count > 0


def test_bytes_name_the_first_difference() -> None:
    found = compare_bytes("a", b"\0abc", b"\0aXY", "why")
    assert (found.count, found.note) == (2, "why")
    assert [(item.where, item.original, item.port) for item in found.differences] == [("[2]", "98", "88")]


def test_without_numpy_text_and_bytes_are_compared_and_arrays_are_not() -> None:
    """Run in a separate Python that cannot import numpy."""
    code = """
import sys
sys.modules["numpy"] = None
from hipport.errors import HipportError
from hipport.verify.compare import compare_contents
from hipport.verify.model import Rules
print(compare_contents("a", b"1 2", b"1 3", Rules()).count, compare_contents("a", bytes(3), b"abc", Rules()).count)
try:
    compare_contents("a", bytes(4), bytes(4), Rules(types=(("*", "f32"),)))
except HipportError as error:
    print(error, "|", error.hint)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "1 3",
        "comparing arrays needs numpy | pip install 'hipport[verify]', or pip install numpy",
    ]


@given(st.binary(max_size=64), st.binary(max_size=64), st.sampled_from(sorted(TYPES)))
def test_never_raises_and_is_symmetric(first: bytes, second: bytes, element: str) -> None:
    def compared(a: bytes, b: bytes) -> Comparison:
        return compare_raw("a", a, b, element, Tolerance())

    assert compared(first, first).count == 0
    assert compared(first, second).count == compared(second, first).count
    compare_npy("a.npy", b"\x93NUMPY" + first, second, Tolerance())
    compare_contents("a", first, second, Rules())


@given(st.floats(width=64), st.floats(width=64), st.floats(0, 1), st.floats(0, 1))
def test_arrays_and_text_agree_on_what_is_close(a: float, b: float, rtol: float, atol: float) -> None:
    found = compare_raw("a", struct.pack("<d", a), struct.pack("<d", b), "f64", Tolerance(rtol, atol))
    assert (found.count == 0) == close(a, b, Tolerance(rtol, atol))
