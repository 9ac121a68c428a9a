"""`hipport port`: real trees, built by real build systems."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hipport.port.systems import plan_build
from hipport.project.request import FileResult
from hipport.project.task import Action
from hipport.toolchain.places import Surroundings
from tests import served
from tests.small_hip import SMALL_HIP

KERNEL = """\
#include <cuda_runtime.h>
__global__ void scale(float* x, float a) { x[threadIdx.x] *= a; }
void launch(float* x) { scale<<<1, 32>>>(x, 2.0f); }
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.18)
project(scaling LANGUAGES CXX CUDA)
add_library(scaling STATIC kernel.cu)
"""
MAKEFILE = "libscaling.a: kernel.o\n\tar rc $@ $^\nkernel.o: kernel.cu\n\tnvcc -O2 -c $< -o $@\n"
WRONG = KERNEL + "\nint wrong() { return not_declared_anywhere; }\n"


def port(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Port and build with the small HIP: what compilers read is not the subject here."""
    command = ("port", "tree", "-o", "out", "--offload-arch", "gfx90a", "-j", "2")
    return served.hipport(*command, *options, cwd=folder, env={**os.environ, **SMALL_HIP})


def pasted(command: str, folder: Path) -> str:
    """Return what a command line that `hipport` showed prints in a shell, which must succeed."""
    line = f'hipport() {{ {shlex.quote(sys.executable)} -m hipport "$@"; }}; {command}'
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True, cwd=folder).stdout


def tree(folder: Path, **files: str) -> Path:
    (folder / "tree").mkdir()
    for name, text in files.items():
        (folder / "tree" / name.replace("_dot_", ".")).write_text(text)
    return folder


def test_without_a_build_the_build_files_are_not_run(tmp_path: Path) -> None:
    tree(tmp_path, kernel_dot_cu=KERNEL, Makefile="all:\n\ttouch ran\nx: kernel.cu\n\tnvcc -c $<\n")
    done = port(tmp_path, "--no-build")
    assert done.returncode == 0, done.stderr
    assert "nothing was built" in done.stderr
    assert (tmp_path / "out.build/report.html").is_file()
    assert not list(tmp_path.rglob("ran"))


def test_a_tree_without_sources_is_wrong_usage(tmp_path: Path) -> None:
    tree(tmp_path, README="no code")
    done = port(tmp_path)
    assert done.returncode == 2 and "there is nothing to port in 'tree'" in done.stderr
    assert not list(tmp_path.glob("out*"))


def test_an_absent_build_tool_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, kernel_dot_cu=KERNEL, Makefile=MAKEFILE)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = port(tmp_path)
    assert done.returncode == 1
    assert "cannot run make" in done.stderr
    assert "Traceback" not in done.stderr


PORTED = """\
#include "device.h"
__global__ void scale(float* x, float a) { x[threadIdx.x] *= a; }
void launch(float* x) { scale<<<1, 32>>>(x, 2.0f); gpuDeviceSynchronize(); }
"""
DEVICE = """\
#pragma once
#ifdef __HIP_PLATFORM_AMD__
#include <hip/hip_runtime.h>
#define gpuDeviceSynchronize hipDeviceSynchronize
#else
#include <cuda_runtime.h>
#define gpuDeviceSynchronize cudaDeviceSynchronize
#endif
"""


def ported(folder: Path) -> None:
    tree(folder, kernel_dot_cu=PORTED, CMakeLists_dot_txt=CMAKE)
    (folder / "tree/include").mkdir()
    (folder / "tree/include/device.h").write_text(DEVICE)


def test_a_port_of_the_projects_own_is_named(tmp_path: Path) -> None:
    ported(tmp_path)
    done = port(tmp_path, "--no-build")
    assert done.returncode == 0, done.stderr
    assert "the project has a port to HIP of its own: nothing was translated" in done.stderr
    assert (tmp_path / "out/kernel.cu").read_text() == PORTED


def test_the_code_for_cuda_is_ported_on_request(tmp_path: Path) -> None:
    ported(tmp_path)
    done = port(tmp_path, "--no-build", "--convert-ported")
    assert done.returncode == 0, done.stderr
    assert "of its own" not in done.stderr
    assert "HIP" in (tmp_path / "out/CMakeLists.txt").read_text()
    assert (tmp_path / "out/kernel.hip").is_file()


def test_quiet_prints_errors_only(tmp_path: Path) -> None:
    tree(tmp_path, kernel_dot_cu=KERNEL)
    done = port(tmp_path, "--no-build", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (tmp_path / "tree/kernel.cu").write_text(KERNEL + "void f() { cudaGraphConditionalHandleCreate(0, 0, 0, 0); }\n")
    done = port(tmp_path, "--no-build", "-q")
    assert done.returncode == 1
    assert "error[HP101]" in done.stderr and "nothing was built" not in done.stderr


def test_include_folders_are_those_that_sources_need(tmp_path: Path) -> None:
    texts = {
        "src/a.cu": '#include "b.h"\n#include <lib/c.h>\n#include "d.h"\n#include <absent.h>\n',
        "src/b.h": "",
        "include/lib/c.h": "",
        "include/lib/d.h": "",
        "other/lib/b.h": "",
        "other/xd.h": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    files = [FileResult(name, str(tmp_path / name), Action.COPY) for name in texts]
    plan = plan_build(files, str(tmp_path), "build", ["gfx90a"], 1, Surroundings())
    assert plan is not None
    command = plan.steps[0].command
    places = [command[at + 1] for at, word in enumerate(command) if word == "-I"]
    assert places == [str(tmp_path), str(tmp_path / "include"), str(tmp_path / "include/lib")]


def made(folder: Path, *names: str, changed: bool = True) -> list[FileResult]:
    return [FileResult(name, str(folder / name), Action.TRANSLATE, changed) for name in names]


@pytest.mark.parametrize(
    ("names", "steps"),
    [
        (["Makefile", "make.inc", "sub/Makefile"], ["-C {}"]),
        (["Makefile_gpu", "make.inc"], ["-C {} -f Makefile_gpu"]),
        (["a/Makefile", "a/b/Makefile", "c/GNUmakefile", "c/rules.mk"], ["-C {}/a", "-C {}/c"]),
        (["make.inc", "src/makefile.gcc"], ["-C {}/src -f makefile.gcc"]),
    ],
)
def test_make_runs_in_the_topmost_folders(names: list[str], steps: list[str], tmp_path: Path) -> None:
    plan = plan_build(made(tmp_path, *names), str(tmp_path), "build", ["gfx90a"], 1, Surroundings())
    assert plan is not None and plan.system == "make" and plan.place == str(tmp_path)
    said = [" ".join(step.command).removeprefix("make ").replace(" -k -j1", "") for step in plan.steps]
    assert said == [each.format(tmp_path) for each in steps] and all(step.independent for step in plan.steps)


def test_of_makefiles_in_several_folders_those_for_hip_are_run(tmp_path: Path) -> None:
    texts = {"cuda/Makefile": "all: rules\n", "cuda/lib/Makefile": "CC = hipcc\n", "opencl/Makefile": "I = /opt/rocm\n"}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    plan = plan_build(made(tmp_path, *texts), str(tmp_path), "build", ["gfx90a"], 1, Surroundings())
    assert plan is not None and [step.source for step in plan.steps] == [str(tmp_path / "cuda")]


def test_autotools_generate_configure_anew(tmp_path: Path) -> None:
    files = made(tmp_path, "configure.ac", "Makefile.am", "src/Makefile.am", "Makefile.in", "m4/cuda.m4")
    plan = plan_build(files, str(tmp_path), "build", ["gfx90a"], 1, Surroundings(), definitions=["CXX=g++"])
    assert plan is not None
    assert [step.command[:2] for step in plan.steps] == [
        ("autoreconf", "--force"),
        ("sh", f"{tmp_path}/configure"),
        ("make", "-C"),
    ]
    assert plan.steps[1].command[2:] == ("CXX=g++",) and plan.steps[2].command[2] == "build"


@pytest.mark.parametrize(
    ("environ", "encoding"),
    [
        ({"LC_ALL": "de_DE.UTF-8", "LANG": "C", "LANGUAGE": "de"}, "de_DE.UTF-8"),
        ({"LANG": "fr_FR"}, "fr_FR"),
        ({"LANG": "en_US.UTF-8", "LC_CTYPE": "C.UTF-8", "LC_MESSAGES": "ja_JP"}, "C.UTF-8"),
        ({}, "C"),
    ],
)
def test_builds_speak_english(environ: dict[str, str], encoding: str, tmp_path: Path) -> None:
    plan = plan_build(made(tmp_path, "Makefile"), str(tmp_path), "build", ["gfx90a"], 1, Surroundings(environ=environ))
    assert plan is not None and "LC_ALL" not in plan.environment
    assert (plan.environment["LC_CTYPE"], plan.environment["LC_MESSAGES"]) == (encoding, "C")


def test_unchanged_makefiles_below_the_top_are_not_run(tmp_path: Path) -> None:
    files = [*made(tmp_path, "docs/Makefile", changed=False), *made(tmp_path, "python/setup.py")]
    plan = plan_build(files, str(tmp_path), "build", ["gfx90a"], 1, Surroundings())
    assert plan is not None and plan.system == "setup.py" and plan.steps[0].folder == str(tmp_path / "python")


def test_a_definition_without_a_value_is_refused(tmp_path: Path) -> None:
    tree(tmp_path, kernel_dot_cu=KERNEL)
    done = port(tmp_path, "-D", "FLAG")
    assert done.returncode == 2
    assert "'FLAG' is not NAME=VALUE" in done.stderr


def test_a_makefile_that_lacks_dependencies_is_built_one_job_at_a_time(tmp_path: Path) -> None:
    rules = "all: a b x\na:\n\tsleep 1; touch a\nb:\n\tcat a > b\nx: kernel.cu\n\ttrue nvcc; touch x\n"
    tree(tmp_path, kernel_dot_cu="int one = 1;\n", Makefile=rules)
    done = port(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "hipport: again: make -C out -k -j1\n" in done.stderr and (tmp_path / "out/b").is_file()


def test_a_file_that_a_rule_lacks_is_at_the_rule_in_the_original(tmp_path: Path) -> None:
    tree(
        tmp_path,
        kernel_dot_cu=KERNEL,
        Makefile="# nvcc\nO := obj\n\nall: $(O)/option.o\n$(O)/option.o: src/option.cu\n",
    )
    done = port(tmp_path)
    assert done.returncode == 1
    assert "tree/Makefile:5:1: error[HP602]: No rule to make target 'src/option.cu'" in done.stderr
    assert "The project has no file option.cu, and no rule makes it" in done.stderr


def test_an_exception_of_setup_py_is_at_its_line_in_the_original(tmp_path: Path) -> None:
    tree(tmp_path, kernel_dot_cu=KERNEL, setup_dot_py="# kernel.cu\nimport not_a_module_anywhere\n")
    done = port(tmp_path)
    assert done.returncode == 1
    assert "tree/setup.py:2:1: error[HP602]: ModuleNotFoundError: No module named" in done.stderr


def test_hints_name_what_port_has(tmp_path: Path) -> None:
    calls = "".join(f"void f{n}() {{ cudaGraphConditionalHandleCreate(0, 0, 0, {n}); }}\n" for n in range(12))
    fixable = (
        "__global__ void k(int* p) { __shared__ volatile int v[64]; v[threadIdx.x] = 1; *p = v[threadIdx.x + 1]; }\n"
    )
    tree(tmp_path, kernel_dot_cu=KERNEL + calls + fixable)
    said = port(tmp_path, "--no-build").stderr
    assert "more (the report has all):" in said and "with a quick fix: hipport check --fix)" in said


@pytest.mark.slow
@pytest.mark.toolchain
class TestBuilds:
    def test_a_build_that_leaves_the_kernels_out_is_an_error(self, tmp_path: Path) -> None:
        text = CMAKE.replace(" CUDA", "").replace("add_library", "option(USE_CUDA off)\nif(USE_CUDA)\nadd_library")
        tree(tmp_path, kernel_dot_cu=KERNEL, CMakeLists_dot_txt=text + "endif()\n")
        done = port(tmp_path)
        assert done.returncode == 1
        assert "tree/CMakeLists.txt:3:1: error[HP602]: CMake compiled none of 1 translated unit" in done.stderr
        assert "hipport: CMake built nothing of the port" in done.stderr

    def test_a_makefile_that_leaves_the_kernels_out_is_an_error(self, tmp_path: Path) -> None:
        objects = "objects = host.o\nifeq ($(WITH_CUDA), 1)\nobjects += kernel.o\nendif\n"
        rules = "host.o: host.cpp\n\tg++ -c $< -o $@\n"
        text = objects + MAKEFILE.replace("libscaling.a: kernel.o", "libscaling.a: $(objects)") + rules
        tree(tmp_path, kernel_dot_cu=KERNEL, host_dot_cpp="int one = 1;\n", Makefile=text)
        done = port(tmp_path)
        assert done.returncode == 1
        lines = done.stderr.splitlines()
        said = "make compiled none of 1 translated unit; the project has the options WITH_CUDA"
        assert f"tree/Makefile:2:1: error[HP602]: {said}" in lines
        assert "    If one of them leaves code for the GPU out, set it with -D NAME=VALUE." in lines
        assert lines[-1].startswith("hipport: make built nothing of the port; log: ")
        assert port(tmp_path, "-D", "WITH_CUDA=1").returncode == 0

    def test_units_that_the_build_files_leave_out_are_named(self, tmp_path: Path) -> None:
        tree(tmp_path, kernel_dot_cu=KERNEL, other_dot_cu=KERNEL, CMakeLists_dot_txt=CMAKE)
        done = port(tmp_path)
        assert done.returncode == 0, done.stderr
        assert "hipport: CMake compiled 1 of 2 translated units, not tree/other.cu\n" in done.stderr

    @pytest.mark.parametrize(
        "files",
        [
            {"CMakeLists_dot_txt": 'file(WRITE ${CMAKE_BINARY_DIR}/said "${WORD}")\n'},
            {"Makefile": "all: kernel.cu\n\t# nvcc\n\tprintf '%s' '$(WORD)' > $(CURDIR)/../out.build/said\n"},
            {"setup_dot_py": "import os\n# .cu\nopen('../out.build/said', 'w').write(os.environ['WORD'])\n"},
        ],
        ids=["cmake", "make", "setup.py"],
    )
    def test_definitions_reach_the_build_system(self, files: dict[str, str], tmp_path: Path) -> None:
        files = {name: CMAKE + text if name.startswith("CMake") else text for name, text in files.items()}
        source = "int one = 1;\n" if "Makefile" in files else KERNEL  # this Makefile compiles nothing
        tree(tmp_path, kernel_dot_cu=source, **files)
        done = port(tmp_path, "-D", "WORD=a b=c")
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "out.build/said").read_text() == "a b=c"

    @pytest.mark.parametrize(
        ("files", "system", "product"),
        [
            ({"CMakeLists_dot_txt": CMAKE}, "CMake", "out.build/libscaling.a"),
            ({"Makefile": MAKEFILE}, "make", "out/libscaling.a"),
            ({}, "hipport build", "out.build/units.a"),
        ],
        ids=["cmake", "make", "none"],
    )
    def test_a_tree_is_built(self, files: dict[str, str], system: str, product: str, tmp_path: Path) -> None:
        tree(tmp_path, kernel_dot_cu=KERNEL, **files)
        done = port(tmp_path)
        assert done.returncode == 0, done.stderr
        place = "out" if system == "make" else "out.build"
        assert f"hipport: {system} built the port in {place};" in done.stderr
        assert (tmp_path / product).stat().st_size > 1000

    def test_what_the_end_says_to_do_next_works(self, tmp_path: Path) -> None:
        main = '#include <cstdio>\nint main() { scale<<<1, 32>>>(nullptr, 1); cudaDeviceReset(); puts("ran"); }\n'
        kernel = KERNEL.replace("x[threadIdx.x] *= a", "if (x) *x = a")
        text = CMAKE.replace("add_library(scaling STATIC", 'add_executable("scale"')
        tree(tmp_path, kernel_dot_cu=kernel + main, CMakeLists_dot_txt=text)
        done = port(tmp_path, "--build-dir", "a folder")
        assert done.returncode == 0, done.stderr
        said = [line.strip() for line in done.stderr.splitlines()]
        assert "hipport: next: run 'a folder/scale'" in said
        emulated, update = (next(line for line in said if word in line) for word in ("--emulate", "hipport update"))
        assert "ran" in pasted(emulated.partition(":")[2], tmp_path)
        assert "next" not in pasted(update, tmp_path)
        quiet = port(tmp_path, "--build-dir", "a folder", "-q")
        assert quiet.stderr == ""

    @pytest.mark.parametrize("files", [{"CMakeLists_dot_txt": CMAKE}, {"Makefile": MAKEFILE}, {}])
    def test_an_error_is_shown_at_its_place_in_the_source(self, files: dict[str, str], tmp_path: Path) -> None:
        tree(tmp_path, kernel_dot_cu=WRONG, **files)
        done = port(tmp_path, "--report", "report.json")
        assert done.returncode == 1
        expected = "tree/kernel.cu:5:1: error[HP601]: use of undeclared identifier 'not_declared_anywhere'"
        assert expected in done.stderr
        found = json.loads((tmp_path / "report.json").read_text())["diagnostics"]
        assert [(one["code"], one["line"]) for one in found if one["code"] == "HP601"] == [("HP601", 5)]

    def test_an_error_that_was_foreseen_is_named_by_its_code(self, tmp_path: Path) -> None:
        text = (
            KERNEL + "void f(cudaGraph_t g) { cudaGraphInstantiateFlags x = cudaGraphInstantiateFlagDeviceLaunch; }\n"
        )
        tree(tmp_path, kernel_dot_cu=text)
        done = port(tmp_path, "--rocm", "5.2")
        assert done.returncode == 1
        assert "tree/kernel.cu:4:" in done.stderr
        assert "reported by the translation: HP101: " in done.stderr
        assert "HP601" not in done.stderr

    def test_a_port_of_the_projects_own_is_built(self, tmp_path: Path) -> None:
        ported(tmp_path)
        done = port(tmp_path)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "out.build/units.a").stat().st_size > 1000

    def test_a_missing_package_is_named(self, tmp_path: Path) -> None:
        text = CMAKE.replace("add_library", "find_package(CUDAToolkit)\nfind_package(NotThere REQUIRED)\nadd_library")
        tree(tmp_path, kernel_dot_cu=KERNEL, CMakeLists_dot_txt=text)
        done = port(tmp_path)
        assert done.returncode == 1
        assert "tree/CMakeLists.txt:4:1: error[HP602]: the package NotThere is not installed" in done.stderr
        assert "CMake stopped in the step 'configure', with errors at 1 place" in done.stderr

    def test_an_edit_of_the_translation_is_kept_and_built(self, tmp_path: Path) -> None:
        tree(tmp_path, kernel_dot_cu=WRONG)
        assert port(tmp_path).returncode == 1
        translated = tmp_path / "out/kernel.hip"
        translated.write_text(translated.read_text().replace("not_declared_anywhere", "0"))
        done = port(tmp_path)
        assert done.returncode == 0, done.stderr
        assert "return 0" in translated.read_text()
