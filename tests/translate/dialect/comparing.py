"""Run small CUDA sources and their translations on the host, and compare what they print.

CUDA's vector types are plain structs, so a C++ compiler with such structs gives CUDA's values. The translation is
compiled by clang as HIP, against the headers of a release, for the host alone: that needs no GPU.
HIPPORT_TEST_HIP_HEADERS and HIPPORT_TEST_ROCM name a folder with the headers of another release, and the release.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from hipport.diagnostics import Severity
from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.mappings.tables import Tables
from hipport.support import include_dir
from hipport.translate.context import Context
from hipport.translate.conversion import Conversion
from hipport.translate.convert import convert_source

HEADERS = os.environ.get("HIPPORT_TEST_HIP_HEADERS", "")
"""A folder with the `hip` headers of another release than that of the installed hipcc."""
RELEASE = os.environ.get("HIPPORT_TEST_ROCM", "5.2")
_NAME = re.compile(r"case_(\d+):(\d+):\d+: (?:fatal )?error: (.*)")

_SCALARS = {
    "char": "signed char",
    "uchar": "unsigned char",
    "short": "short",
    "ushort": "unsigned short",
    "int": "int",
    "uint": "unsigned int",
    "long": "long",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
    "float": "float",
    "double": "double",
}
COMPONENTS = "xyzw"
TYPES = {f"{name}{width}": scalar for name, scalar in _SCALARS.items() for width in range(1, 5)}
"""The vector types with their element types."""


@dataclass(frozen=True, slots=True)
class Case:
    """A source in a namespace: `text` declares what it needs, `run` are statements that call `show(value)`."""

    name: str
    text: str
    run: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a case: errors of the compiler, findings by (code, severity), and the program's output."""

    errors: tuple[str, ...] = ()
    findings: tuple[tuple[str, str], ...] = ()
    shown: str = ""

    @property
    def reported(self) -> bool:
        return any(severity != Severity.NOTE.value for _, severity in self.findings)


def converted(text: str, release: str = RELEASE) -> Conversion:
    """Translate a source for a ROCm release."""
    return convert_source(text.encode(), "x.cu", Context(_tables(release)))


@functools.cache
def _tables(release: str) -> Tables:
    return load_choice(NameChoice(rocm=release))


def components(kind: str) -> str:
    """Return the components of a vector type: `xyz` for `float3`."""
    return COMPONENTS[: int(kind[-1])]


def plain_vectors() -> str:
    """Return CUDA's vector types as C++: plain structs, and the functions that make them."""
    lines = ["#include <cstdio>", "#define __host__", "#define __device__", "#define __forceinline__ inline"]
    lines += ["#define __inline__ inline", "#define __constant__", "#define __align__(n) __attribute__((aligned(n)))"]
    for kind, scalar in TYPES.items():
        width = int(kind[-1])
        aligned = f"alignas({width} * sizeof({scalar})) " if width in (2, 4) else ""
        members = " ".join(f"{scalar} {name};" for name in components(kind))
        given = ", ".join(f"{scalar} {name}" for name in components(kind))
        values = ", ".join(components(kind))
        lines.append(f"struct {aligned}{kind} {{ {members} }};")
        lines.append(f"inline {kind} make_{kind}({given}) {{ return {{{values}}}; }}")
    lines.append(
        "struct dim3 { unsigned x, y, z; constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)"
        " : x(a), y(b), z(c) {} constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}"
        " constexpr operator uint3() const { return {x, y, z}; } };"
    )
    return "\n".join(lines)


def _shows() -> str:
    lines = [
        "#include <cstdio>",
        "#include <sys/wait.h>",
        "#include <unistd.h>",
        'template <typename T> void show(T v) { std::printf(" %.9g", (double)v); }',
    ]
    for kind in TYPES:
        body = " ".join(f"show(v.{name});" for name in components(kind))
        lines.append(f"inline void show({kind} v) {{ {body} }}")
    lines += [
        "inline void apart(int number, void (*run)()) {",  # a division by zero ends one case, not all
        '  std::printf("@%d", number); std::fflush(stdout);',
        "  if (!fork()) { run(); std::fflush(stdout); _exit(0); }",
        '  wait(nullptr); std::puts("");',
        "}",
    ]
    return "\n".join(lines)


def program(cases: Sequence[tuple[int, Case, str]], head: str) -> str:
    """Return a program that runs all cases: (number, case, its text)."""
    parts = [head, _shows()]
    includes = dict.fromkeys(line for _, _, text in cases for line in text.splitlines() if line.startswith("#include"))
    parts += [line for line in includes if "hip_runtime" not in line and "cuda_runtime" not in line]
    for number, _, text in cases:
        body = "\n".join("" if line.startswith("#include") else line for line in text.splitlines())
        parts.append(f'namespace c{number} {{\n#line 1 "case_{number}"\n{body}\n}}')
    parts.append('#line 1 "main"\nint main() {')
    parts += [f"  apart({number}, c{number}::run_case);" for number, _, _ in cases]
    return "\n".join([*parts, "}"])


def source(case: Case) -> str:
    """Return a case as a CUDA file."""
    return f"#include <cuda_runtime.h>\n{case.text}\ninline void run_case() {{ {case.run} }}\n"


def _command(kind: str) -> list[str]:
    if kind == "cuda":
        return ["g++", "-std=c++17", "-w", "-xc++", "-fmax-errors=0"]
    if kind == "cpu":
        return ["g++", "-std=c++17", "-w", "-xc++", "-fmax-errors=0", f"-I{include_dir()}/cpu", f"-I{include_dir()}"]
    clang = "clang++-19" if HEADERS else "clang++-15"
    side = ["--cuda-device-only", "--offload-arch=gfx90a"] if kind == "device" else ["--cuda-host-only"]
    command = [clang, "-std=c++17", "-w", "-xhip", *side, "-nogpulib", "-ferror-limit=0"]
    where = ["--rocm-path=/usr", *([f"-I{HEADERS}"] if HEADERS else [])]
    return [*command, *where, "-D__HIP_PLATFORM_AMD__", f"-I{include_dir()}"]


def compiled(folder: Path, kind: str, text: str, *, link: bool) -> tuple[dict[int, list[str]], str]:
    """Compile a program; return the errors by case, and what it prints if there are none."""
    command = _command(kind)
    if shutil.which(command[0]) is None:
        assert not os.environ.get("CI"), f"{command[0]} is missing"
        pytest.skip(f"{command[0]} is not installed")
    path, binary = folder / f"{kind}.cpp", folder / f"{kind}.exe"
    path.write_text(text)
    what = ["-o", str(binary)] if link else ["-fsyntax-only"]
    done = subprocess.run([*command, str(path), *what], capture_output=True, text=True, check=False, timeout=600)
    errors: dict[int, list[str]] = {}
    for match in _NAME.finditer(done.stderr):
        errors.setdefault(int(match[1]), []).append(f"{match[2]}: {match[3]}")
    assert errors or not done.returncode, done.stderr[-3000:]
    if errors or not link:
        return errors, ""
    return {}, subprocess.run([str(binary)], capture_output=True, text=True, check=True, timeout=60).stdout


def _shown(
    folder: Path, kind: str, cases: list[tuple[int, Case, str]], head: str
) -> tuple[dict[int, list[str]], dict[int, str]]:
    refused, printed = compiled(folder, kind, program(cases, head), link=True)
    more: dict[int, list[str]] = {}
    if refused:
        good = [each for each in cases if each[0] not in refused]
        more, printed = compiled(folder, kind, program(good, head), link=True)
    lines = (line.partition(" ") for line in printed.splitlines())
    return refused | more, {int(number[1:]): values for number, _, values in lines}


def outcomes(folder: Path, cases: Iterable[Case], kind: str = "hip") -> list[tuple[Case, str, Outcome]]:
    """Return for each case what CUDA computes and what became of its translation; CUDA refuses no case."""
    numbered = list(enumerate(cases))
    refused, wanted = _shown(folder, "cuda", [(n, case, source(case)) for n, case in numbered], plain_vectors())
    assert not refused, [(numbered[n][1], errors) for n, errors in refused.items()]
    conversions = {n: converted(source(case)) for n, case in numbered}
    texts = [(n, case, conversions[n].data.decode()) for n, case in numbered]
    errors, got = _shown(folder, kind, texts, "#include <hip/hip_runtime.h>\n#undef __constant__\n#define __constant__")
    result = []
    for number, case in numbered:
        findings = tuple((f.code, f.severity.value) for f in conversions[number].diagnostics)
        outcome = Outcome(tuple(errors.get(number, ())), findings, got.get(number, ""))
        result.append((case, wanted[number], outcome))
    return result


def refused(folder: Path, cases: Iterable[Case], side: str) -> dict[str, list[str]]:
    """Return the errors of the translations that a compiler refuses and that hipport does not report, by case.

    `side` is `device` or `host` for clang with HIP's headers, or `cpu`.
    """
    numbered = list(enumerate(cases))
    conversions = {number: converted(f"#include <cuda_runtime.h>\n{case.text}") for number, case in numbered}
    text = "#include <hip/hip_runtime.h>\n"
    for number, _ in numbered:
        lines = conversions[number].data.decode().splitlines()
        text += "".join(f"{line}\n" for line in lines if line.startswith("#include"))
    for number, _ in numbered:
        lines = conversions[number].data.decode().splitlines()
        body = "\n".join("" if line.startswith("#include") else line for line in lines)
        text += f'namespace c{number} {{\n#line 1 "case_{number}"\n{body}\n}}\n'
    errors, _ = compiled(folder, side, text, link=False)
    reported = {
        number
        for number, found in conversions.items()
        if found.unknown or any(each.severity is not Severity.NOTE for each in found.diagnostics)
    }
    return {case.name: errors[number] for number, case in numbered if number in errors and number not in reported}
