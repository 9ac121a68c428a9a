"""Calls with every type of number that CUDA converts choose CUDA's overload in HIP, or are known not to compile."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from hipport.mappings.loader import NameChoice, load_choice
from scripts.overloads import CUDA, RECORD, SIDES, check, read, write
from tests.audit.signatures.test_call_sites import include

DIFFERENCES = {
    r"int (__(is(nan|inf)f?|finitef?|signbitf?))\(.*": "bool, which becomes the same int",
    r"unsigned int (max|min)\(Choice, Choice\)": "the enumeration, which has the same value",
    r"int __hadd\((__half, __nv_bfloat16|__nv_bfloat16, __half)\)": "unsigned; CUDA, too, makes integers of them",
    r"double pow\(float, int\)": "HIP's function computes in float, and cannot be replaced",
    r"\w+ pow\((float|double), (__half|__nv_bfloat16|Choice)\)": "ambiguous: cast the exponent",
    r"double copysign\(.*__nv_bfloat16.*": "ambiguous: cast it to float",
    r"(?=.*bfloat16)(?=.*\blong\b).*": "ambiguous: HIP's bfloat16 cannot be made of a long",
}
"""Regular expressions of the calls whose value has another type, or which do not compile, and what to know of them."""


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("side", SIDES)
def test_every_type_chooses_the_overload_that_it_does_in_cuda(side: str, tmp_path: Path) -> None:
    version = (include() / "hip/hip_version.h").read_text()
    rocm = ".".join(re.findall(r"#define HIP_VERSION_(?:MAJOR|MINOR) (\d+)", version))
    compiler = shutil.which("hipcc")
    if compiler is None:
        assert not os.environ.get("CI"), "no hipcc"
        pytest.skip("no hipcc")
    count, found = check([compiler, "-nogpulib"], tmp_path, load_choice(NameChoice(rocm=rocm, cuda=CUDA)), side)
    assert count > (4000 if side == "host" else 15000)
    assert [f"{call}: {said}" for call, said in found.items() if not _is_known(str(call))] == []


def _is_known(call: str) -> bool:
    return any(re.fullmatch(pattern, call) for pattern in DIFFERENCES)


def test_the_record_is_read_as_it_is_written() -> None:
    recorded = read()
    assert write(recorded) == RECORD.read_text(encoding="utf-8")
    assert len(recorded) > 19000
    assert len({call.name for call in recorded}) > 600
