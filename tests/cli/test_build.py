"""The installed command `hipport build` with this machine's compilers."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.toolchain.compilers import find
from hipport.toolchain.places import Surroundings
from hipport.toolchain.tools import find_tool
from tests import served, small_hip

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

KERNEL = """\
#include <hip/hip_runtime.h>
#include <cstdio>
#include "scale.h"
__global__ void scale(float *p) { p[threadIdx.x] *= FACTOR; }
int main() {
  float *p = nullptr;
  if (hipError_t error = hipMalloc(&p, 256); error != hipSuccess) {
    std::fprintf(stderr, "HIP says: %s\\n", hipGetErrorString(error));
    return 3;
  }
  scale<<<1, 64>>>(p);
  return 0;
}
"""
CUDA = """\
#include <cuda.h>
#include <cuda_runtime.h>
__global__ void twice(float *p) { p[threadIdx.x] *= 2; }
int run(float *p) {
  twice<<<1, 64>>>(p);
  return cudaDeviceSynchronize();
}
"""


def hipport(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return served.hipport("build", *arguments, cwd=cwd, env={**os.environ, **environment})


def built(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    done = hipport(*arguments, cwd=cwd, **environment)
    assert done.returncode == 0, done.stderr
    return done


def steps(done: subprocess.CompletedProcess[str]) -> set[str]:
    """Return the titles of the steps that ran."""
    return set(re.findall(r"^\[\d+/\d+\] (.+)$", done.stderr, re.MULTILINE))


def entries(path: Path, folder: Path) -> Iterator[str]:
    """Yield the code objects of a host binary, bundle by bundle, as clang-offload-bundler lists them."""
    compiler = next(find(Surroundings()))
    section = folder / "section"
    objcopy = find_tool("llvm-objcopy", Surroundings(), compiler)
    subprocess.run([objcopy, f"--dump-section=.hip_fatbin={section}", path, "/dev/null"], check=True)
    data = section.read_bytes()
    starts = [match.start() for match in re.finditer(b"__CLANG_OFFLOAD_BUNDLE__", data)]
    for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
        (folder / "bundle").write_bytes(data[start:end])
        yield from listed(folder / "bundle")


def listed(bundle: Path) -> list[str]:
    bundler = find_tool("clang-offload-bundler", Surroundings(), next(find(Surroundings())))
    command = [bundler, "-list", "-type=o", f"-input={bundle}"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return sorted(
        line.removeprefix("hipv4-amdgcn-amd-amdhsa--") for line in text.split() if not line.startswith("host")
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "main.hip").write_text(KERNEL)
    (tmp_path / "scale.h").write_text("#define FACTOR 2\n")
    return tmp_path


@pytest.mark.parametrize("compiler", ["hipcc", "clang++"])
def test_an_executable_for_three_targets(project: Path, compiler: str) -> None:
    targets = "gfx90a,gfx1030,gfx1100"
    done = small_hip.built("main.hip", "-o", "a.out", "--offload-arch", targets, "--compiler", compiler, cwd=project)
    assert re.fullmatch(r"a\.out: [\d,]+ bytes, gfx90a, gfx1030, gfx1100, [\d.]+ s\n", done.stdout)
    assert list(entries(project / "a.out", project)) == ["gfx1030", "gfx1100", "gfx90a"]
    started = subprocess.run([project / "a.out"], capture_output=True, text=True, check=False)
    assert started.returncode == (0 if "gfx" in done.stdout and Path("/dev/kfd").exists() else 3), started
    if started.returncode:
        assert re.match(
            r"HIP says: (hipError\w+|no ROCm-capable device is detected|invalid device ordinal)", started.stderr
        )


def test_targets_that_only_a_newer_clang_knows(project: Path) -> None:
    targets = "gfx90a,gfx942,gfx1151,gfx1201"
    done = small_hip.built("main.hip", "-o", "a.out", "--offload-arch", targets, cwd=project)
    assert re.search(r"^using clang\+\+ .*: hipcc .* does not support gfx942, gfx1151 and gfx1201$", done.stderr, re.M)
    assert list(entries(project / "a.out", project)) == sorted(targets.split(","))


def test_a_hipcc_that_is_too_old_for_rdna3_makes_way_unless_it_is_asked_for(project: Path) -> None:
    arguments = ("main.hip", "--genco", "-o", "k.hipfb", "--offload-arch", "gfx1100")
    done = small_hip.built(*arguments, cwd=project)
    assert re.search(
        r"^using clang\+\+ .*: hipcc .* with clang 15\S* underestimates the registers of gfx1100", done.stderr, re.M
    )
    assert "using " not in small_hip.built(*arguments, cwd=project, HIPCXX="hipcc").stderr
    assert listed(project / "k.hipfb") == ["gfx1100"]


def test_a_target_that_the_chosen_compiler_does_not_know(project: Path) -> None:
    done = small_hip.hipport("main.hip", "-o", "a.out", "--offload-arch", "gfx942", "--compiler", "hipcc", cwd=project)
    assert done.returncode == 1
    assert "does not support gfx942" in done.stderr
    assert re.search(r"gfx942 is supported by clang\+\+ [\d.]+ \(/", done.stderr)
    assert sorted(path.name for path in project.iterdir()) == ["main.hip", "scale.h"]


def test_a_bare_fat_binary_for_target_ids_with_features(project: Path) -> None:
    targets = "gfx90a:xnack+:sramecc-,gfx90a:xnack-:sramecc-,gfx908"
    small_hip.built("main.hip", "--genco", "-o", "k.hipfb", "--offload-arch", targets, cwd=project)
    assert listed(project / "k.hipfb") == ["gfx908", "gfx90a:sramecc-:xnack+", "gfx90a:sramecc-:xnack-"]
    done = small_hip.hipport(
        "main.hip", "main.hip", "x.cpp", "--genco", "-o", "k", "--offload-arch", "gfx90a", cwd=project
    )
    assert (done.returncode, "no such file: x.cpp" in done.stderr) == (2, True)


def test_generic_targets(project: Path) -> None:
    small_hip.built("main.hip", "--genco", "-o", "k.hipfb", "--offload-arch", "gfx11-generic,gfx90a", cwd=project)
    assert listed(project / "k.hipfb") == ["gfx11-generic", "gfx90a"]


@pytest.mark.parametrize("compiler", ["hipcc", "clang++"])
def test_a_shared_library_of_cuda_and_a_host_only_program(project: Path, compiler: str) -> None:
    (project / "run.cu").write_text(CUDA)
    (project / "main.cpp").write_text(
        "#include <cuda_runtime.h>\n#include <cstdio>\nint run(float *);\n"
        "int main() { std::puts(cudaGetErrorName(cudaSuccess)); return run(nullptr) == 0; }\n"
    )
    common = ("--offload-arch", "gfx90a", "--compiler", compiler)
    small_hip.built("run.cu", "--shared", "-o", "lib/librun.so", *common, cwd=project)
    assert list(entries(project / "lib/librun.so", project)) == ["gfx90a"]
    done = small_hip.built(
        "main.cpp", "-o", "main", *common, "-L", "lib", "-l", "run", "-Wl,-rpath,$ORIGIN/lib", cwd=project
    )
    assert steps(done) == {"main.cpp for the host", "link"}
    assert "no GPU code" in done.stdout
    started = subprocess.run([project / "main"], capture_output=True, text=True, check=False)
    assert (started.returncode, started.stdout) == (0, "hipSuccess\n")


def test_only_what_a_change_affects_is_built_again(project: Path) -> None:
    (project / "other.hip").write_text("#include <hip/hip_runtime.h>\n__global__ void other() {}\n")
    (project / "plain.c").write_text("int plain(void) { return 1; }\n")
    command = ("main.hip", "other.hip", "plain.c", "-o", "a.out", "--offload-arch", "gfx90a,gfx1030", "-j2")
    assert len(steps(small_hip.built(*command, cwd=project))) == 2 * 4 + 1 + 1
    again = small_hip.built(*command, cwd=project)
    assert (again.stdout, steps(again)) == ("a.out: nothing to do\n", set())
    (project / "scale.h").write_text("#define FACTOR 3\n")
    assert steps(small_hip.built(*command, cwd=project)) == {
        *("main.hip for gfx90a", "main.hip for gfx1030", "main.hip: bundle", "main.hip for the host", "link"),
    }
    (project / "a.out").unlink()
    assert steps(small_hip.built(*command, cwd=project)) == set()
    assert (project / "a.out").exists()
    assert len(steps(small_hip.built(*command, "-D", "NEW", cwd=project))) == 2 * 4 + 1 + 1 - 0


def test_a_cuda_header_rebuilds_its_unit_and_a_new_target_only_itself(project: Path) -> None:
    (project / "run.cu").write_text('#include "k.cuh"\n' + CUDA)
    (project / "k.cuh").write_text("inline cudaError_t last() { return cudaGetLastError(); }\n")
    (project / "two.cu").write_text("__global__ void two() {}\n")
    command = ("run.cu", "two.cu", "--shared", "-o", "k.so", "--offload-arch")
    small_hip.built(*command, "gfx90a", cwd=project)
    (project / "k.cuh").write_text("inline cudaError_t last() { return cudaPeekAtLastError(); }\n")
    assert not {step for step in steps(small_hip.built(*command, "gfx90a", cwd=project)) if "two.cu" in step}
    more = steps(small_hip.built(*command, "gfx90a,gfx1030", cwd=project))
    assert {step for step in more if " for gfx" in step} == {"run.cu for gfx1030", "two.cu for gfx1030"}


@pytest.mark.parametrize("compiler", ["hipcc", "clang++"])
def test_odd_names_and_sources_that_share_a_name(project: Path, compiler: str) -> None:
    odd = project / "a $b: 'c' \"d\" é & (e)"
    odd.mkdir()
    shutil.move(project / "main.hip", odd / "x.hip")
    shutil.move(project / "scale.h", odd / "scale.h")
    (project / "x.hip").write_text("#include <hip/hip_runtime.h>\nconst char *text = NAME;\n__global__ void k() {}\n")
    arguments = (f"{odd.name}/x.hip", "x.hip", "-o", f"{odd.name}/o $(x) `y`", "--compiler", compiler, "-j2")
    flags = ("--offload-arch", "gfx90a", "-D", 'NAME="a b$c"')
    assert len(steps(small_hip.built(*arguments, *flags, cwd=project))) == 7
    assert steps(small_hip.built(*arguments, *flags, cwd=project)) == set()
    (odd / "scale.h").write_text("#define FACTOR 4\n")
    assert len(steps(small_hip.built(*arguments, *flags, cwd=project))) == 4
    assert b"a b$c" in (odd / "o $(x) `y`").read_bytes()


@pytest.mark.parametrize("compiler", ["hipcc", "clang++"])
def test_an_error_shows_the_compilers_words_once_at_the_cuda_line(project: Path, compiler: str) -> None:
    (project / "src").mkdir()
    (project / "src/bad.cu").write_text(CUDA.replace("twice<<<1, 64>>>(p)", "twice<<<1, 64>>>(missing)"))
    targets = ("--offload-arch", "gfx90a,gfx1030", "--compiler", compiler)
    done = small_hip.hipport("src/bad.cu", "-o", "bad", *targets, "-j2", cwd=project)
    assert done.returncode == 1
    assert len(re.findall(r"src/bad\.cu:5:\d+: error: use of undeclared identifier 'missing'", done.stderr)) == 1
    assert "FAILED" not in done.stderr and "ninja" not in done.stderr and "clang++" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("hipport: error: build failed")
    assert not (project / "bad").exists()


def test_an_error_in_a_header_points_there_too(project: Path) -> None:
    (project / "k.cuh").write_text(
        "#pragma once\n#include <cuda.h>\n#include <cuda_runtime.h>\nint f() { return nope; }\n"
    )
    (project / "a.cu").write_text('#include <cuda_runtime.h>\n#include "k.cuh"\n')
    done = small_hip.hipport("a.cu", "-o", "a", "--offload-arch", "gfx90a", cwd=project)
    assert "k.cuh:4:18: error: use of undeclared identifier 'nope'" in done.stderr
    assert "In file included from a.cu:2:" in done.stderr


@pytest.mark.parametrize("compiler", ["hipcc", "clang++"])
def test_a_header_that_is_reached_in_several_ways_is_one_header(project: Path, compiler: str) -> None:
    for folder in ("host", "device"):
        (project / folder).mkdir()
    (project / "host/shape.h").write_text(
        "#pragma once\n#include <cuda_runtime.h>\nstruct Shape { cudaStream_t s; };\n"
    )
    (project / "device/use.cuh").write_text('#pragma once\n#include "host/shape.h"\n#include <host/shape.h>\n')
    (project / "config.h").write_text("#define ANSWER 42\n")
    (project / "main.cu").write_text(
        '#include "host/shape.h"\n#include "device/use.cuh"\n#include "device/../host/shape.h"\n'
        '#define CONFIG "config.h"\n#include CONFIG\nint main() { return ANSWER; }\n'
    )
    done = small_hip.built(
        "main.cu", "-I.", "-o", "a.out", "--offload-arch", "gfx90a", "--compiler", compiler, cwd=project
    )
    assert "no GPU code" in done.stdout, "there is no kernel"
    assert subprocess.run([project / "a.out"], check=False).returncode == 42


def test_a_name_that_compilers_cannot_add_to(tmp_path: Path) -> None:
    longest, shorter = f"{'n' * 251}.hip", f"{'n' * 226}.hip"
    for name in (longest, shorter):
        (tmp_path / name).write_text("#include <hip/hip_runtime.h>\n__global__ void k() {}\nint main() { return 0; }\n")
    arguments = ("--offload-arch", "gfx90a", "--compiler", "clang++", "-o", "out")
    assert "temporary files" not in small_hip.built(shorter, *arguments, cwd=tmp_path).stderr
    done = small_hip.hipport(longest, *arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert "hipport: compilers name temporary files after the source and add to it: shorten its name" in done.stderr


def test_a_failing_link_leaves_the_old_output(project: Path) -> None:
    command = ("main.hip", "-o", "a.out", "--offload-arch", "gfx90a")
    small_hip.built(*command, cwd=project)
    before = (project / "a.out").read_bytes()
    done = small_hip.hipport(*command, "-l", "no_such_library", cwd=project)
    assert (done.returncode, "no_such_library" in done.stderr) == (1, True)
    assert (project / "a.out").read_bytes() == before


def test_a_dry_run_shows_commands_that_work_and_runs_none(project: Path) -> None:
    command = ("main.hip", "-o", "a.out", "--offload-arch", "gfx90a,gfx1030")
    done = small_hip.built(*command, "--dry-run", cwd=project)
    assert sorted(path.name for path in project.iterdir()) == ["main.hip", "scale.h"]
    lines = done.stdout.splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("export HIP_PLATFORM=amd", "cp a.out.build/product a.out", 7)
    (project / "a.out.build").mkdir()
    for folder in set(re.findall(r"a\.out\.build/([\w.-]+)/", done.stdout)):
        (project / "a.out.build" / folder).mkdir()
    environment = {**os.environ, **small_hip.SMALL_HIP}
    subprocess.run(["sh", "-e"], input=done.stdout, text=True, cwd=project, env=environment, check=True)
    assert list(entries(project / "a.out", project)) == ["gfx1030", "gfx90a"]


def test_verbose_shows_the_commands_and_temporaries_are_kept(project: Path) -> None:
    command = ("main.hip", "--genco", "-o", "k", "--offload-arch", "gfx90a", "--save-temps", "--build-dir", "tmp")
    done = small_hip.built(*command, "--verbose", cwd=project)
    assert re.search(r"^compiler: hipcc \S+, clang [\d.]+ \(/\S+hipcc\)\nHIP: \d\S+ \(/", done.stderr, re.MULTILINE)
    assert re.search(r"^bundler: /\S+clang-offload-bundler", done.stderr, re.MULTILINE)
    assert re.search(r"^\S+hipcc -x hip .*--offload-arch=gfx90a .*-save-temps=obj", done.stderr, re.MULTILINE)
    assert {path.suffix for path in (project / "tmp").rglob("main-hip-*")} >= {".bc", ".s"}


def test_flags_reach_the_commands_they_are_for(project: Path) -> None:
    (project / "f.hip").write_text(
        "#include <hip/hip_runtime.h>\n"
        "#if defined __HIP_DEVICE_COMPILE__ && (!defined DEVICE || defined HOST)\n#error device\n#endif\n"
        "#if !defined __HIP_DEVICE_COMPILE__ && (!defined HOST || defined DEVICE)\n#error host\n#endif\n"
        "#if !defined BOTH || __cplusplus < 202002L || defined GONE\n#error both\n#endif\n"
        "__global__ void k() {}\nint main() {}\n"
    )
    flags = ("-XDEVICE", "--device-flag=-DDEVICE", "--host-flag=-DHOST", "-std=c++20", "-O0", "-g", "-DGONE", "-UGONE")
    command = ("f.hip", "-o", "f", "--offload-arch=gfx90a", "--link-flag=-s", *flags[1:], "-Wall", "--", "-DBOTH")
    small_hip.built(*command, cwd=project)
    assert subprocess.run([project / "f"], check=False).returncode == 0


def test_hipcc_builds_for_amd_whatever_the_environment_says(project: Path) -> None:
    command = ("main.hip", "-o", "a.out", "--offload-arch", "gfx90a", "--compiler", "hipcc")
    small_hip.built(*command, cwd=project, HIP_PLATFORM="nvidia")
    assert list(entries(project / "a.out", project)) == ["gfx90a"]


@pytest.mark.skipif(Path("/dev/kfd").exists(), reason="this machine has an AMD GPU")
def test_native_says_that_there_is_no_gpu(project: Path) -> None:
    done = small_hip.hipport("main.hip", "-o", "a.out", "--offload-arch", "native", cwd=project)
    assert (done.returncode, "no AMD GPU in this machine" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("main.hip", "-o", "x"), "no target named"),
        (("main.hip", "--offload-arch", "gfx90a"), "Missing option '-o'"),
        (("main.hip", "-o", "x", "--offload-arch", "gfx90b:xnack"), "needs a sign"),
        (("main.hip", "-o", "main.hip", "--offload-arch", "gfx90a"), "is one of the sources"),
        (("main.hip", "-o", "x", "--offload-arch", "gfx90a", "--shared", "--genco"), "cannot be combined"),
        (("main.hip", "-o", "x", "--offload-arch", "gfx90a", "--compiler", "gcc"), "is neither hipcc nor a clang++"),
        (("scale.h", "-o", "x", "--offload-arch", "gfx90a"), "scale.h: unknown type of file"),
    ],
)
def test_wrong_use_has_status_2(project: Path, arguments: tuple[str, ...], message: str) -> None:
    done = small_hip.hipport(*arguments, cwd=project)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert "Traceback" not in done.stderr


def test_the_fat_binary_of_one_unit_calls_no_others(project: Path) -> None:
    done = small_hip.hipport(
        "main.hip", "-o", "x", "--genco", "--offload-arch", "gfx90a", "--", "-fgpu-rdc", cwd=project
    )
    assert (done.returncode, "builds a single unit, so -fgpu-rdc has no effect" in done.stderr) == (1, True)


def test_an_interrupted_build_stops_its_compilers(project: Path) -> None:
    lines = "".join(f"__global__ void k{n}(float *p) {{ p[0] = sinf(p[1]) + {n}; }}\n" for n in range(1500))
    (project / "slow.hip").write_text("#include <hip/hip_runtime.h>\n" + lines)
    command = ["slow.hip", "--genco", "-o", "k", "--offload-arch", "gfx90a"]
    process = subprocess.Popen(
        [sys.executable, "-m", "hipport", "build", *command],
        cwd=project,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not list(project.glob("k.build/slow*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    stopped = time.monotonic()
    _, stderr = process.communicate(timeout=60)
    assert time.monotonic() - stopped < 10, "a compiler that was not stopped holds the pipe"
    assert process.returncode == 130
    assert stderr == "hipport: interrupted; run the same command again to continue\n"
    assert not (project / "k").exists()
    assert not list(project.glob("k.build/slow*/*.co"))
