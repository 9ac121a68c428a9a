"""No function of the runtime crashes or waits where it is called with wrong arguments, and its status is AMD's.

amd_statuses.txt has the statuses of HIP 6.2, read off the checks at the beginning of each function of AMD's runtime
(ROCm/clr at rocm-6.2.2): FUNCTION STATUS CALL..., a call as PARAMETER.KIND. It lacks calls that AMD's runtime takes and
that hipport refuses (handles of nothing, which it does not check), those whose status depends on more than the checks,
and those with two wrong arguments.

`HIPPORT_TEST_HIP=DIR` names the folder of other HIP headers than the installed ones.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.emulate.library import LIBRARY
from hipport.support import include_dir
from tests.emulate.bad_calls import declarations, program

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_CPU = ("-std=c++17", "-DHIPPORT_WAVE_SIZE=64", "-I", str(include_dir() / "cpu"))
_HIP = ("-std=c++17", "-D__HIP_PLATFORM_AMD__", "-I", os.environ.get("HIPPORT_TEST_HIP", "/usr/include"))
_FEWEST = 300
_FEWEST_KNOWN = 500
_NOT_SUPPORTED = "801"
_STATUSES = Path(__file__).parent / "amd_statuses.txt"
_LATER = ("hipProfilerStart", "hipProfilerStop", "hipSetValidDevices")
"""Functions that take more in HIP 7, which is what the CPU target is like."""
_WITHOUT_KERNEL = ("hipGraphExecKernelNodeSetParams", "hipGraphKernelNodeSetParams")
"""Say that a kernel of a node is none, not that an argument is wrong."""


def amd_statuses() -> dict[tuple[str, str], str]:
    """Return the statuses of AMD's runtime by function and call."""
    lines = (line.split() for line in _STATUSES.read_text().splitlines())
    return {(function, call): status for function, status, *calls in lines for call in calls}


def others(lines: list[str], *left_out: str) -> Iterator[str]:
    """Yield the calls whose status is not that of AMD's runtime, but those of functions that are not supported."""
    known, compared = amd_statuses(), 0
    for line in lines:
        function, parameter, kind, *result = line.split()
        right = known.get((function, kind if parameter == "-" else f"{parameter}.{kind}"))
        compared += right is not None
        if right is not None and result != [right] and result != [_NOT_SUPPORTED] and function not in left_out:
            yield f"{line}: {right} on AMD GPUs"
    assert compared > _FEWEST_KNOWN


def preprocessed(*flags: str) -> str:
    """Return what a compiler sees of HIP's runtime header."""
    command = ["g++", "-E", "-P", *flags, "-x", "c++", "-"]
    text = "#include <hip/hip_runtime.h>\n" if flags == _CPU else "#include <hip/hip_runtime_api.h>\n"
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def crashes(lines: list[str]) -> Iterator[str]:
    """Yield the calls that ended their process."""
    yield from (line for line in lines if line.split()[3] in ("signal", "exit"))


def accepted(lines: list[str]) -> Iterator[str]:
    """Yield the calls that succeeded with a handle of nothing."""
    yield from (line for line in lines if line.split()[2] in ("wild", "destroyed") and line.split()[3] == "0")


def built(folder: Path, flags: tuple[str, ...], *libraries: str) -> Path:
    """Build the program."""
    text = program(preprocessed(*flags))
    (folder / "calls.cpp").write_text(text.replace("hip_runtime_api.h", "hip_runtime.h") if flags == _CPU else text)
    made = folder / "calls"
    subprocess.run(["g++", "-w", *flags, str(folder / "calls.cpp"), "-o", str(made), *libraries], check=True)
    return made


def results(made: Path, **environment: str) -> list[str]:
    """Run the program; return its lines."""
    variables = {**os.environ, **environment}
    done = subprocess.run([made], capture_output=True, text=True, env=variables, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_declarations_are_read() -> None:
    header = (
        'hipError_t hipFree(void* ptr);\n__attribute__((deprecated("x")))\nhipError_t hipEventQuery(hipEvent_t event);'
    )
    found = {name: [(one.plain, one.name) for one in parameters] for name, parameters in declarations(header)}
    assert found == {"hipFree": [("void*", "ptr")], "hipEventQuery": [("hipEvent_t", "event")]}


def test_the_cpu_target_refuses_what_does_not_exist(tmp_path: Path) -> None:
    assert len(dict(declarations(preprocessed(*_CPU)))) > _FEWEST
    lines = results(built(tmp_path, _CPU, "-lpthread", "-ldl"))
    assert [*crashes(lines)] == []
    assert [*accepted(lines)] == []
    assert [*others(lines, *_LATER, *_WITHOUT_KERNEL)] == []


def test_the_emulator_refuses_what_does_not_exist(tmp_path: Path, cache: Path) -> None:
    library = next((cache / "hipport" / "emulator").glob(f"*/{LIBRARY}"))
    made = built(tmp_path, _HIP, f"-L{library.parent}", f"-l:{LIBRARY}.6")
    for release in (5, 6):  # as the name of the library says
        made.write_bytes(re.sub(rb"(?<=libamdhip64\.so\.)\d", str(release).encode(), made.read_bytes()))
        environment = {"LD_LIBRARY_PATH": str(library.parent), "HIPPORT_EMULATE": "gfx1100"}  # images exist there
        lines = results(made, **environment)
        assert len({line.split()[0] for line in lines}) > _FEWEST
        assert [*crashes(lines)] == []
        assert [*accepted(lines)] == []
        assert release == 5 or [*others(lines, *_WITHOUT_KERNEL)] == []
