"""The constants compared with their definitions, computed to many digits."""

from __future__ import annotations

import re
import struct
from decimal import Decimal, localcontext

import pytest

from hipport.support import include_dir

HEADER = (include_dir() / "hipport/compat/math_constants.h").read_text()
DEFINED = dict(re.findall(r"#define CUDART_(\w+) (.+)", HEADER))


def pi() -> Decimal:
    """Compute pi by Machin's formula: 16 arctan(1/5) - 4 arctan(1/239)."""

    def arctan_of_inverse(n: int) -> Decimal:
        term = total = Decimal(1) / n
        for k in range(3, 200, 2):
            term /= -n * n
            total += term / k
        return total

    return 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239)


def exact() -> dict[str, Decimal]:
    with localcontext() as context:
        context.prec = 60
        two, ten, circle = Decimal(2), Decimal(10), pi()
        log2, log10 = two.ln(), ten.ln()
        return {
            "PI": circle, "PIO2": circle / 2, "PIO4": circle / 4, "3PIO4": 3 * circle / 4, "2_OVER_PI": 2 / circle,
            "SQRT_2_OVER_PI": (2 / circle).sqrt(), "SQRT_2OPI": (2 / circle).sqrt(), "SQRT_2PI": (2 * circle).sqrt(),
            "SQRT_PIO2": (circle / 2).sqrt(), "SQRT_TWO": two.sqrt(), "SQRT_HALF": (1 / two).sqrt(),
            "THIRD": Decimal(1) / 3, "TWOTHIRD": Decimal(2) / 3, "L2E": 1 / log2, "L2T": log10 / log2,
            "LG2": log2 / log10, "LGE": 1 / log10, "LN2": log2, "LNT": log10, "LNPI": circle.ln(),
            "LN2_X_1024": log2 * 1024, "LN2_X_1025": log2 * 1025, "LN2_X_1075": log2 * 1075,
            "LG2_X_1024": log2 / log10 * 1024, "LG2_X_1075": log2 / log10 * 1075,
            "ZERO": Decimal(0), "ONE": Decimal(1), "NEG_ZERO": Decimal(0), "TRIG_PLOSS": two**31,
            "DBL2INT_CVT": Decimal(3) * two**51,
        }  # fmt: skip


def single(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


def wanted(name: str) -> float:
    base = name.removesuffix("_F")
    is_single, part = base != name, base[-3:]
    nearest = (lambda value: single(float(value))) if is_single else float
    if power := re.fullmatch(r"TWO_TO_(M?)(\d+)", base):
        return float(2.0 ** (-int(power[2]) if power[1] else int(power[2])))
    if part in ("_HI", "_LO"):
        value = exact()[base[:-3]]
        high = nearest(value)
        return high if part == "_HI" else nearest(value - Decimal(high))
    return nearest(exact()[base])


OTHERS = {"INF", "INF_F", "NAN", "NAN_F", "MIN_DENORM", "MIN_DENORM_F", "MAX_NORMAL_F", "NORM_HUGE_F", "TRIG_PLOSS_F"}
WORDS = {"REMQUO_BITS_F": "3u", "REMQUO_MASK_F": "7u", "TRIG_PLOSS_F": "105615.0f"}


@pytest.mark.parametrize("name", sorted(DEFINED.keys() - OTHERS - WORDS.keys()))
def test_value(name: str) -> None:
    written = DEFINED[name].strip("()")
    value = float(written.removesuffix("f"))
    assert written.endswith("f") == name.endswith("_F")
    assert (single(value) if name.endswith("_F") else value) == wanted(name)


def test_extremes() -> None:
    assert {DEFINED[name] for name in ("INF", "NAN")} == {"__builtin_huge_val()", '__builtin_nan("")'}
    assert {DEFINED[name] for name in ("INF_F", "NAN_F")} == {"__builtin_huge_valf()", '__builtin_nanf("")'}
    assert struct.pack("<f", float(DEFINED["MIN_DENORM_F"][:-1])) == b"\1\0\0\0"
    assert struct.pack("<d", float(DEFINED["MIN_DENORM"])) == b"\1\0\0\0\0\0\0\0"
    assert struct.pack(">f", float(DEFINED["MAX_NORMAL_F"][:-1])).hex() == "7f7fffff"
    assert DEFINED["NORM_HUGE_F"] == DEFINED["MAX_NORMAL_F"] and DEFINED["NEG_ZERO"] == "(-0.0)"
    assert {name: DEFINED[name] for name in WORDS} == WORDS
