"""Calls of every translated function, with CUDA's types, compile with the installed HIP or are reported."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hipport.audit.evidence import shipped
from hipport.audit.signatures import data
from hipport.diagnostics import Severity
from hipport.mappings.loader import NameChoice, load_choice
from hipport.mappings.tables import Tables
from hipport.support import include_dir
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from scripts.call_sites import HEADERS, Site, macros, members, sites, source

CUDA = "13.0"
PROBES = {
    "cublas": "hipblas/hipblas.h",
    "cufft": "hipfft/hipfft.h",
    "curand": "hiprand/hiprand_kernel.h",
    "cusolver": "hipsolver/hipsolver.h",
    "cusparse": "hipsparse/hipsparse.h",
}
"""Headers of libraries that are packages of their own."""
_ERROR = re.compile(r"^(\S+?):(\d+):\d+: (?:fatal )?error: (.*)$", re.M)


def include() -> Path:
    for folder in (os.environ.get("HIP_PATH", "/nowhere"), "/opt/rocm", "/usr"):
        if (Path(folder) / "include/hip/hip_version.h").is_file():
            return Path(folder) / "include"
    if os.environ.get("CI"):
        pytest.fail("no HIP headers")
    pytest.skip("no HIP headers")


def errors(file: Path) -> list[tuple[int, str]]:
    """Compile for a GPU and return the lines with errors; those in headers count for no line."""
    compiler = shutil.which("hipcc")
    if compiler is None:
        pytest.fail("no hipcc") if os.environ.get("CI") else pytest.skip("no hipcc")
    command = [compiler, "--cuda-device-only", "--offload-arch=gfx90a", "-nogpulib", "-fsyntax-only", "-w"]
    command += ["-ferror-limit=0", "-std=c++17", f"-I{include_dir()}", str(file)]
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    found = [(int(line) if name == str(file) else 0, text) for name, line, text in _ERROR.findall(done.stderr)]
    assert found or done.returncode == 0, done.stderr[:2000]
    return found


@pytest.mark.toolchain
@pytest.mark.slow
@pytest.mark.parametrize("library", HEADERS)
def test_every_call_compiles_or_is_reported(library: str, tmp_path: Path) -> None:
    headers = include()
    if library in PROBES and not (headers / PROBES[library]).is_file():
        pytest.skip(f"{PROBES[library]} is not installed")
    version = (headers / "hip/hip_version.h").read_text()
    rocm = ".".join(re.findall(r"#define HIP_VERSION_(?:MAJOR|MINOR) (\d+)", version))
    tables = load_choice(NameChoice(rocm=rocm, cuda=CUDA))
    found = list(sites(tables, data.shipped("cuda")[CUDA], library))
    assert len(found) > 20
    text = source(tables, found, library)
    conversion = convert_source(text.encode(), f"{library}.cu", Context(tables))
    translated = conversion.data.decode()
    reported = {one.line for one in conversion.diagnostics if one.severity is not Severity.NOTE}
    added = translated.count("\n") - text.count("\n")
    lines = [line if at - added not in reported else "" for at, line in enumerate(translated.splitlines(), 1)]
    file = tmp_path / f"{library}.hip"
    file.write_text("\n".join(lines))
    assert [(said, lines[at - 1]) for at, said in errors(file)] == []


UNKNOWN_MEMBERS = re.compile(r".*\.(reserved\d*|pad|dummy|__\w+|nvSci\w+)|(log2|max|min)\.value")
"""Members that have no use or no access, those of NVIDIA's automotive platform, and members of CUB's functions."""


@pytest.mark.toolchain
@pytest.mark.slow
def test_every_member_and_macro_compiles_or_is_reported(tmp_path: Path) -> None:
    headers = include()
    version = (headers / "hip/hip_version.h").read_text()
    tables = load_choice(
        NameChoice(rocm=".".join(re.findall(r"#define HIP_VERSION_(?:MAJOR|MINOR) (\d+)", version)), cuda=CUDA)
    )
    libraries = [name for name in HEADERS if name not in PROBES or (headers / PROBES[name]).is_file()]
    found = _members_and_macros(tables, libraries)
    assert len(found) > 900
    known = {
        name: tables.headers.get(name) for library in libraries for name in ("math_constants.h", *HEADERS[library])
    }
    head = [f"#include <{name}>" for name, entry in known.items() if entry is not None and entry.hip is not None]
    conversion = convert_source("\n".join([*head, *(site.text for site in found)]).encode(), "m.cu", Context(tables))
    reported = {one.line for one in conversion.diagnostics if one.severity is not Severity.NOTE}
    lines = conversion.data.decode().splitlines()
    added = len(lines) - len(head) - len(found)
    file = tmp_path / "members.hip"
    file.write_text("\n".join(line if at - added not in reported else "" for at, line in enumerate(lines, 1)))
    wrong = {found[at - added - len(head) - 1].name: said for at, said in errors(file) if at > added + len(head)}
    assert [f"{name}: {said}" for name, said in wrong.items() if not UNKNOWN_MEMBERS.fullmatch(name)] == []


def _members_and_macros(tables: Tables, libraries: list[str]) -> list[Site]:
    structs = next(extract for extract in shipped("cuda") if extract.release == CUDA).folder.members
    functions = data.shipped("cuda")[CUDA]
    values = (site for name in ("runtime", "driver", "device") for site in macros(tables, functions, name))
    return [*members(tables, structs, libraries), *values]


def test_uses_are_plain_functions_and_constants() -> None:
    tables = load_choice(NameChoice(rocm="6.4", cuda=CUDA))
    cuda = data.shipped("cuda")[CUDA]
    texts = {site.text for library in HEADERS for site in sites(tables, cuda, library)}
    assert len(texts) > 4500
    numbered = {re.sub(r"\d+", "N", text, count=1) for text in texts}
    assert "void useN(void * a0) { cudaError_t r = cudaFree(a0); }" in numbered
    assert "static const int useN = (int)cudaMemcpyHostToDevice;" in numbered
