"""The headers in device code: run on the CPU target with both wavefront sizes, compiled for AMD GPUs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hipport.support import include_dir
from tests.compat.conftest import tool
from tests.llvm_releases import NEWER

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

PROGRAMS = Path(__file__).parents[2] / "fixtures" / "compat"
NO_LIBRARIES = ("--rocm-path=/usr", "--hip-version=5.2", "-nogpulib", "-D__HIP_PLATFORM_AMD__")


@pytest.mark.parametrize("lanes", ["32", "64"])
def test_groups_on_the_cpu(lanes: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", str(PROGRAMS / "groups.hip")]
    program = tmp_path / "groups"
    command += ["-o", str(program), "--wave-size", lanes, "-O", "0"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout) == (0, f"PASS: groups, wavefronts of {lanes}\n")


@pytest.mark.parametrize(
    ("source", "level", "said"),
    [("bf16_integers.cu", "1", "bfloat16 and integers"), ("surfaces.hip", "0", "surfaces")],
)
def test_on_the_cpu(source: str, level: str, said: str, tmp_path: Path) -> None:
    program = tmp_path / "program"
    command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", str(PROGRAMS / source)]
    done = subprocess.run([*command, "-o", str(program), "-O", level], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout) == (0, f"PASS: {said}\n")


@pytest.mark.parametrize(
    ("name", "said"),
    [("blas_vectors", "vectors of types known at run time"), ("blas_legacy", "functions without a handle")],
)
def test_blas_on_the_cpu(name: str, said: str, tmp_path: Path) -> None:
    program = tmp_path / name
    command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", str(PROGRAMS / f"{name}.cu")]
    done = subprocess.run([*command, "-o", str(program), "-O", "0"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout) == (0, f"PASS: {said}\n")


def test_all_functions_of_the_first_blas_interface(tmp_path: Path) -> None:
    """Those that CUDA 13's <cublas.h> declares, by their exact types."""
    rows = (PROGRAMS / "blas_legacy.tsv").read_text().splitlines()[1:]
    functions = [row.split("\t") for row in rows if not row.startswith("cublasGetVersion")]  # which hipBLAS lacks
    source = tmp_path / "all.cu"
    pointers = "".join(f"{result} (*of_{name})({types}) = {name};\n" for name, result, types in functions)
    source.write_text(f"#include <cublas.h>\n{pointers}")
    command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", "--shared", str(source), "-O", "0"]
    done = subprocess.run([*command, "-o", str(tmp_path / "all.so")], capture_output=True, text=True)
    assert (len(functions), done.returncode) == (156, 0), done.stderr


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
@pytest.mark.parametrize("name", ["ties", "sums"])
def test_the_standard_library_in_device_code(name: str, standard: str, tmp_path: Path) -> None:
    """In C++17 assignments of tuples, and all of <numeric>, are for the host only, and there is no `span`.

    g++ has no runtime to compile for each standard.
    """
    program = tmp_path / name
    command = [sys.executable, "-m", "hipport", "build", "-std", standard, str(PROGRAMS / f"{name}.cu"), "-O", "0"]
    amd = subprocess.run(
        [*command, "-o", str(tmp_path / "amd"), "--offload-arch", "gfx90a"],
        capture_output=True,
        text=True,
        env=os.environ | {"HIP_PLATFORM": "amd"},
    )
    assert amd.returncode == 0, amd.stderr
    compiler = "clang++" if standard == "c++17" else "g++"
    command += ["-o", str(program), "--target", "cpu", "--compiler", compiler]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout) == (0, f"PASS: {name}\n")


@pytest.mark.parametrize(
    ("name", "said"), [("unfused", "every operation is rounded"), ("roots", "roots of 4096 numbers")]
)
@pytest.mark.parametrize("compiler", ["clang++", "g++"])
def test_arithmetic_on_the_cpu(compiler: str, name: str, said: str, tmp_path: Path) -> None:
    program = tmp_path / name
    command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", str(PROGRAMS / f"{name}.cu")]
    done = subprocess.run([*command, "-o", str(program), "--compiler", compiler], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout) == (0, f"PASS: {said}\n")


@pytest.mark.parametrize("target", ["gfx90a", "gfx1100"])
def test_roots_are_not_approximate_instructions(target: str, tmp_path: Path) -> None:
    hip, code = tmp_path / "roots.hip", tmp_path / "roots.s"
    convert = [sys.executable, "-m", "hipport", "convert", "--stdout", str(PROGRAMS / "roots.cu")]
    with hip.open("w") as out:
        subprocess.run(convert, stdout=out, check=True)
    command = [tool(f"clang++-{NEWER}"), "-x", "hip", f"--offload-arch={target}", "--offload-device-only", "-O3", "-S"]
    command += ["-w", "-I", str(include_dir()), *NO_LIBRARIES, str(hip), "-o", str(code)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert set(re.findall(r"v_(?:rsq|sqrt)_f(?:32|64)", code.read_text())) == {"v_rsq_f64"}


@pytest.mark.parametrize("lanes", ["32", "64"])
def test_fragments_on_the_cpu(lanes: str, tmp_path: Path) -> None:
    program = tmp_path / "fragments"
    command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", str(PROGRAMS / "fragments.cu")]
    done = subprocess.run([*command, "-o", str(program), "--wave-size", lanes], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout) == (0, "PASS: fragments of 136 kinds\n")


@pytest.mark.parametrize("target", ["gfx90a", "gfx1030"])
@pytest.mark.parametrize("compiler", ["hipcc", f"clang++-{NEWER}"])
def test_fragments_compile_with_the_strictest_warnings(compiler: str, target: str, tmp_path: Path) -> None:
    hip = tmp_path / "fragments.hip"
    convert = [sys.executable, "-m", "hipport", "convert", "--stdout", str(PROGRAMS / "fragments.cu")]
    with hip.open("w") as out:
        subprocess.run(convert, stdout=out, check=True)
    command = [
        tool(compiler),
        "-x",
        "hip",
        f"--offload-arch={target}",
        "-std=c++14",
        "-Wall",
        "-Werror",
        "-fsyntax-only",
    ]
    command += ["-Wno-unused-command-line-argument", "-Wno-unused-result", "-I", str(include_dir()), str(hip)]
    command += NO_LIBRARIES if compiler != "hipcc" else ()
    subprocess.run(command, check=True, env={**os.environ, "HIP_PLATFORM": "amd"})


@pytest.mark.parametrize("compiler", ["hipcc", f"clang++-{NEWER}"])
def test_surfaces_compile_with_the_strictest_warnings(compiler: str) -> None:
    command = [tool(compiler), "-x", "hip", "--offload-arch=gfx90a", "-std=c++14", "-Wall", "-Werror", "-fsyntax-only"]
    command += ["-Wno-unused-command-line-argument", "-I", str(include_dir()), str(PROGRAMS / "surfaces.hip")]
    command += NO_LIBRARIES if compiler != "hipcc" else ()
    subprocess.run(command, check=True, env={**os.environ, "HIP_PLATFORM": "amd"})


def test_layers_of_surfaces_are_not_mipmap_levels(tmp_path: Path) -> None:
    command = [tool("hipcc"), "-x", "hip", "--offload-arch=gfx1030", "-std=c++14", "-O2", "--cuda-device-only", "-S"]
    command += ["-Wno-unused-command-line-argument", "-I", str(include_dir()), "-o", str(tmp_path / "surfaces.s")]
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    subprocess.run([*command, str(PROGRAMS / "surfaces.hip")], check=True, env=environment)
    assembly = (tmp_path / "surfaces.s").read_text()
    images = set(re.findall(r"\b(image_(?:load|store)\w*).*SQ_RSRC_IMG_(\w+)", assembly))
    assert images == {
        (f"image_{what}", shape) for what in ("load", "store") for shape in ("1D_ARRAY", "2D_ARRAY", "3D")
    }


@pytest.mark.parametrize("name", ["launches", "graph edges"])
def test_host_functions_run_on_the_cpu_and_compile_for_amd_gpus(name: str, tmp_path: Path) -> None:
    source, program = PROGRAMS / f"{name.replace(' ', '_')}.hip", tmp_path / "program"
    command = [sys.executable, "-m", "hipport", "build", "--target", "cpu", str(source)]
    done = subprocess.run([*command, "-o", str(program), "-O", "0"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([program], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout) == (0, f"PASS: {name}\n")
    command = [tool("hipcc"), "-x", "hip", "--offload-arch=gfx90a", "-std=c++14", "-Wall", "-Werror"]
    command += ["-Wno-unused-command-line-argument", "-I", str(include_dir()), "-fsyntax-only"]
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    subprocess.run([*command, str(source)], check=True, env=environment)


@pytest.mark.parametrize(
    ("compiler", "arch", "first"),
    [
        ("hipcc", "gfx90a", 0),
        ("hipcc", "gfx1030", 1),
        (f"clang++-{NEWER}", "gfx90a", 2),
        (f"clang++-{NEWER}", "gfx1030", 0),
    ],
)
def test_compiles_for_amd_gpus(compiler: str, arch: str, first: int, tmp_path: Path) -> None:
    """All programs are one unit, since HIP's headers dominate the time. Each is first once, without others' headers."""
    names = ("groups.hip", "everything.hip", "formats.hip")
    unit = tmp_path / "unit.hip"
    unit.write_text("".join(f'#include "{PROGRAMS / name}"\n' for name in names[first:] + names[:first]))
    command = [tool(compiler), "-x", "hip", f"--offload-arch={arch}", "-std=c++14", "-Wall", "-Werror"]
    command += ["-Wno-unused-command-line-argument", "-Wno-pass-failed", "-I", str(include_dir()), "-fsyntax-only"]
    command += NO_LIBRARIES if compiler != "hipcc" else ()
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    done = subprocess.run([*command, str(unit)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
