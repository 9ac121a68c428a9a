"""Services of the host for kernels, and host functions with code of their own, on the emulator."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.cli.test_build import built
from tests.emulate.conftest import emulated
from tests.shared import made_once

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

_PRINTED = """\
0 of 0:  0.00 tex a %
1 of 0:  1.50 tex b %
2 of 0:  3.00 tex c %
one -123456789012 abcdef    7 22
"""
RESULTS = {"print": _PRINTED, "heap": "5760\n", "calls": "6132 77\n"}
TARGETS = ("gfx90a", "gfx1030", "gfx1201")
CASES = {
    "print": ("gfx90a", "gfx1201"),
    "heap": TARGETS,
    "calls": ("gfx90a", "gfx1201"),
}
_BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        source = str(Path(__file__).parent / "features.hip")
        built("--offload-arch", ",".join(TARGETS), "-o", "features", source, cwd=folder)

    return made_once(tmp_path_factory, "emulated-features", make) / "features"


@pytest.mark.parametrize(("case", "target"), [(case, target) for case, targets in CASES.items() for target in targets])
def test_kernels_get_what_they_ask_for(features: Path, cache: Path, case: str, target: str) -> None:
    done = emulated("--emulate", target, str(features), case, cwd=features.parent, cache=cache)
    assert (done.returncode, done.stdout, done.stderr) == (0, RESULTS[case], "")


def test_a_failed_assertion_is_printed_and_names_the_kernel(features: Path, cache: Path) -> None:
    done = emulated("--emulate", "any", str(features), "assert", cwd=features.parent, cache=cache)
    assert done.returncode == 1
    said, stopped = done.stderr.splitlines()
    assert said.endswith("Device-side assertion `int(threadIdx.x) < most' failed.")
    assert "check(int): a trap instruction was executed" in stopped


def test_hiprtc_compiles_with_the_installed_compiler(features: Path, cache: Path) -> None:
    done = emulated("--emulate", "gfx1030", str(features), "rtc", cwd=features.parent, cache=cache)
    assert (done.returncode, done.stdout) == (0, "HIPRTC_SUCCESS\n_Z5scaleIfEvPT_S0_ offset\n5 131\n"), done.stderr


def test_hiprtc_returns_the_compilers_messages(features: Path, cache: Path) -> None:
    done = emulated("--emulate", "gfx90a", str(features), "rtc-error", cwd=features.parent, cache=cache)
    result, message = done.stdout.splitlines()[:2]
    assert result == "HIPRTC_ERROR_COMPILATION"
    assert message.startswith("scale.cu:1:25: error: use of undeclared identifier 'undefined_name'")


@pytest.mark.parametrize("version", [1, 2, 3])
def test_compressed_bundles_are_read(features: Path, cache: Path, tmp_path: Path, version: int) -> None:
    program = features.read_bytes()
    bundle = program[program.index(_BUNDLE) :]
    packed = zlib.compress(bundle)
    sizes = {1: struct.pack("<I", len(bundle)), 2: b"", 3: b""}[version]
    if version > 1:
        form = "<II" if version == 2 else "<QQ"
        header = 8 + struct.calcsize(form) + 8
        sizes = struct.pack(form, header + len(packed), len(bundle))
    file = tmp_path / "compressed"
    file.write_bytes(b"CCOB" + struct.pack("<HH", version, 0) + sizes + bytes(8) + packed)
    done = emulated("--emulate", "gfx90a", str(features), "module", str(file), cwd=tmp_path, cache=cache)
    assert (done.stdout, done.stderr) == ("hipSuccess\nhipErrorNotFound\n", "")
    file.write_bytes(file.read_bytes()[:-500] + bytes(500))
    done = emulated("--emulate", "gfx90a", str(features), "module", str(file), cwd=tmp_path, cache=cache)
    assert done.stdout == "hipErrorNoBinaryForGpu\n"
    assert "a compressed bundle that is damaged" in done.stderr


def test_a_program_built_for_the_emulator_runs_by_itself(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "small.hip").write_text(
        "#include <hip/hip_runtime.h>\n"
        "__global__ void store(int *p) { *p = 3; }\n"
        "int main() { int *p, n; (void)hipMalloc(&p, 4); store<<<1, 1>>>(p);\n"
        "(void)hipMemcpy(&n, p, 4, hipMemcpyDeviceToHost); return n; }\n"
    )
    arguments = ("--target", "emulated", "--offload-arch", "gfx1030", "-o", "small", "small.hip")
    done = built(*arguments, cwd=tmp_path, XDG_CACHE_HOME=str(cache))
    assert "gfx1030 (emulated)" in done.stdout + done.stderr
    assert subprocess.run([tmp_path / "small"], check=False).returncode == 3


def test_verify_compares_with_emulated_code(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "wave.cu").write_text(
        "#include <cstdio>\n"
        "__global__ void lanes(int *p) { *p = WIDTH; }\n"
        "int main() { int *p, n; cudaMalloc(&p, 4); lanes<<<1, 1>>>(p);\n"
        'cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost); std::printf("%d\\n", n); }\n'
    )
    arguments = ("verify", "wave.cu", "--emulate", "gfx90a,gfx1030")
    same = _verified(*arguments, "--build=-DWIDTH=32", cwd=tmp_path, cache=cache)
    assert same.returncode == 0, same.stdout + same.stderr
    assert "port (gfx1030, emulated) matches the original" in same.stdout
    other = _verified(*arguments, "--build=-DWIDTH=warpSize", cwd=tmp_path, cache=cache)
    assert other.returncode == 1
    assert "port (gfx90a, emulated) differs" in other.stdout


def _verified(*arguments: str, cwd: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hipport", *arguments]
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=300)


def test_libraries_are_those_of_the_cpu_target(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "stub.c").write_text("void hiprandCreateGeneratorHost() {} void hiprandGenerateUniform() {}\n")
    (tmp_path / "user.c").write_text(
        "#include <stdio.h>\n"
        "int hiprandCreateGeneratorHost(void **, int); int hiprandGenerateUniform(void *, float *, unsigned long);\n"
        "int main() { void *g; float x[1000], sum = 0; int s = hiprandCreateGeneratorHost(&g, 401);\n"
        "s += hiprandGenerateUniform(g, x, 1000); for (int i = 0; i < 1000; ++i) sum += x[i];\n"
        'printf("%d %d\\n", s, sum > 450 && sum < 550); }\n'
    )
    stub = ("-shared", "-Wl,-soname,libhiprand.so.1", "stub.c", "-o", "libhiprand.so.1")
    subprocess.run(["gcc", *stub], cwd=tmp_path, check=True)
    subprocess.run(["gcc", "user.c", "libhiprand.so.1", "-o", "user"], cwd=tmp_path, check=True)
    (tmp_path / "libhiprand.so.1").unlink()
    done = emulated("--emulate", "any", "./user", cwd=tmp_path, cache=cache)
    assert (done.returncode, done.stdout) == (0, "0 1\n"), done.stderr


def test_a_missing_library_is_named(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "stub.c").write_text("int nothing() { return 0; }\n")
    (tmp_path / "user.c").write_text("int nothing(); int main() { return nothing(); }\n")
    subprocess.run(["gcc", "-shared", "stub.c", "-o", "libnothing.so.1"], cwd=tmp_path, check=True)
    subprocess.run(["gcc", "user.c", "libnothing.so.1", "-o", "user"], cwd=tmp_path, check=True)
    (tmp_path / "libnothing.so.1").unlink()
    done = emulated("./user", cwd=tmp_path, cache=cache)
    assert done.returncode == 1
    assert "user needs libnothing.so.1, not found on this machine" in done.stderr
