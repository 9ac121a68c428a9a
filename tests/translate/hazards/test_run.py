"""Hazards that `--fix` fixes compute the same as in CUDA, on wavefronts of 32 and of 64 lanes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.support import include_dir
from hipport.translate.context import Context, Options
from hipport.translate.convert import convert_source
from tests.translate.hazards.test_compile import compile_for_amd
from tests.translate.hazards.test_hazards import CASES

PROGRAM = Path(__file__).parents[3] / "fixtures" / "hazards" / "computes.cu"

NOT_RUN = {
    "HP102": "does not compile",
    "HP103": "does not compile",
    "HP104": "a test of the preprocessor",
    "HP108": "a function with a limit",
    "HP109": "a name is missing",
    "HP113": "does not compile",
    "HP204": "the source says two things: a person has to choose",
    "HP207": "an array is too short: a person has to choose its size",
    "HP117": "does not compile",
    "HP126": "does not compile",
    "HP130": "does not compile",
    "HP131": "does not compile",
    "HP134": "does not compile",
    "HP136": "does not compile",
    "HP135": "asks about types, on purpose",
    "HP137": "a test of the preprocessor",
    "HP139": "asks about types, on purpose",
    "HP140": "looks for names, on purpose",
    "HP142": "does not compile",
    "HP210": "does not compile",
    "HP211": "does not compile",
    "HP212": "fails when launched, in CUDA too",
    "HP213": "needs 2^32 threads",
    "HP214": "the CPU target has no textures",
    "HP218": "does not compile",
    "HP219": "depends on the device, on purpose",
    "HP220": "depends on the device, on purpose",
    "HP221": "the grid has to be sized by the device",
    "HP224": "does not compile",
    "HP227": "the launch has to be sized by the device",
    "HP229": "host and device code agree",
    "HP230": "the source says two things: a person has to choose",
    "HP231": "the launch and the kernel say two things: a person has to choose",
    "HP232": "types of results and parameters: a person has to choose",
    "HP234": "the CPU target keeps the last error, as CUDA does",
    "HP235": "the lanes do not meet: a person has to move the call",
    "HP236": "the launch fails on AMD GPUs only",
    "HP237": "does not compile",
    "HP238": "the CPU target's printf is the host's",
    "HP239": "hangs: a person has to release the lock within the loop",
    "HP241": "other numbers, on purpose",
    "HP242": "does not compile for some targets",
    "HP243": "the CPU target registers nothing",
    "HP244": "does not compile",
    "HP245": "does not compile",
    "HP246": "fails in CUDA",
    "HP501": "errors that do not occur",
    "HP503": "threads of the host",
    "HP504": "needs hipRTC",
    "HP505": "needs hipRTC",
    "HP509": "names of errors are HIP's, on purpose",
    "HP510": "needs cuBLAS",
    "HP511": "needs a module for NVIDIA GPUs",
    "HP512": "asks the machine",
    "HP513": "errors that do not occur",
}
"""Codes of checks without a case in the program, and why."""


@pytest.fixture(scope="module")
def translated() -> bytes:
    context = Context(load_choice(NameChoice(rocm="5.2")), Options(fix=True))
    return convert_source(PROGRAM.read_bytes(), PROGRAM.name, context).data


def test_every_check_is_run_or_says_why_not() -> None:
    run = set(re.findall(r"HP\d{3}", PROGRAM.read_text()))
    lists = [case.with_name(case.name + ".findings") for case in CASES]
    known = {code for listed in lists if listed.exists() for code in re.findall(r"\[(HP\d{3})\]", listed.read_text())}
    assert known - {"HP101"} <= run | NOT_RUN.keys()
    assert not run & NOT_RUN.keys()


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [32, 64])
def test_it_computes_on_the_cpu(lanes: int, translated: bytes, tmp_path: Path) -> None:
    source, program = tmp_path / "computes.hip", tmp_path / "computes"
    source.write_bytes(translated)
    include = include_dir()
    command = ["g++", "-std=c++17", "-x", "c++", f"-DHIPPORT_WAVE_SIZE={lanes}", f"-I{include / 'cpu'}", f"-I{include}"]
    command += [str(source), "-o", str(program), "-pthread", "-ldl"]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert re.fullmatch(r"thread 3\n0 of \d\d checks are wrong\n", ran.stdout), ran.stdout


@pytest.mark.slow
@pytest.mark.toolchain
def test_it_compiles_for_amd_gpus(translated: bytes, tmp_path: Path) -> None:
    done = compile_for_amd(tmp_path / "computes.hip", translated.decode())
    assert done.returncode == 0, done.stderr
