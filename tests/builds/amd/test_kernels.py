"""Kernels that the host registers and that the code for a target lacks, built with this machine's compilers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hipport.codeobject import HostPart, read
from tests import served
from tests.shared import made_once
from tests.small_hip import SMALL_HIP, built, hipport

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

TARGETS = ("--offload-arch", "gfx90a,gfx1030")
COMPILERS = ["hipcc", "clang++"]

DIFFERENT = """\
#include <hip/hip_runtime.h>
#if defined(__gfx90a__)
constexpr int kNumber = 4;
using Real = double;
struct Chosen { using Type = int; };
namespace own { inline namespace matrix { struct Tag {}; } }
#define SUFFIX(name) name##_matrix
#else
constexpr int kNumber = 2;
using Real = float;
struct Chosen { using Type = unsigned; };
namespace own { inline namespace plain { struct Tag {}; } }
#define SUFFIX(name) name##_plain
#endif
template <int N> __global__ void by_number(int *p) { *p = N; }
template <typename T> __global__ void by_type(int *p) { *p = sizeof(T); }
__global__ void by_signature(Real *p) { *p = 1; }
__global__ void by_alias(Chosen::Type *p) { *p = 1; }
template <typename T> __global__ void by_namespace(int *p) { *p = 1; }
static __global__ void SUFFIX(by_name)(int *p) { *p = 1; }
__global__ void the_same(int *p) { *p = kNumber; }
template <typename T> struct Wrapped { T value; };
template <typename T> __global__ void wrapped(Wrapped<T> *p) { p->value = 1; }
int main() {
  by_number<kNumber><<<1, 1>>>(nullptr);
  by_type<Real><<<1, 1>>>(nullptr);
  by_signature<<<1, 1>>>(nullptr);
  by_alias<<<1, 1>>>(nullptr);
  by_namespace<own::Tag><<<1, 1>>>(nullptr);
  SUFFIX(by_name)<<<1, 1>>>(nullptr);
  wrapped<Real><<<1, 1>>>(nullptr);
  the_same<<<1, 1>>>(nullptr);
#if !defined(__HIP_DEVICE_COMPILE__)
  by_type<char><<<1, 1>>>(nullptr);
#endif
}
"""
LACKING = {
    "by_number",
    "by_type<float>",
    "by_type<char>",
    "by_signature",
    "by_alias",
    "by_namespace",
    "by_name",
    "wrapped",
}

RIGHT = """\
#include <hip/hip_runtime.h>
#if defined(__gfx90a__)
constexpr int kNumber = 4;
#else
constexpr int kNumber = 2;
#endif
__global__ void plain(int *p) { *p = kNumber; }
extern "C" __global__ void named(int *p) { *p = 2; }
static __global__ void internal(int *p) { *p = 3; }
__global__ void __launch_bounds__(64 * kNumber) bounded(int *p) { *p = 4; }
__global__ void never_launched(int *p) { *p = 5; }
template <int N> __global__ void numbered(int *p) { *p = N; }
template <typename T> __global__ void typed(int *p, T value) { *p = value(); }
template <void (*Kernel)(int *)> __global__ void of_kernel(int *p) { *p = 6; }
template <int N> struct Holder { static constexpr int value = N; };
struct Same : Holder<kNumber> {};
template <typename T> __global__ void derived(int *p) { *p = T::value; }
namespace {
struct Local { __device__ int operator()() const { return 7; } };
__global__ void unnamed(int *p) { *p = 8; }
}
namespace outer::k1 { __global__ void nested(int *p) { *p = 9; } }
struct Class { template <int N> static __global__ void member(int *p) { *p = N; } };
#if defined(__HIP_DEVICE_COMPILE__)
template __global__ void numbered<3>(int *);  // which no host registers
#endif
#if defined(ELSEWHERE)
__global__ void elsewhere(int *p);
#endif
inline void never_called(int *p) { numbered<17><<<1, 1>>>(p); }
using Pointer = void (*)(int *);
Pointer chosen = &plain;
int launch(int *p) {
  plain<<<1, 1>>>(p);
  named<<<1, 1>>>(p);
  internal<<<1, 1>>>(p);
  bounded<<<1, 1>>>(p);
  numbered<1><<<1, 1>>>(p);
  typed<<<1, 1>>>(p, Local());
  typed<<<1, 1>>>(p, [] __device__ { return 10; });
  of_kernel<&plain><<<1, 1>>>(p);
  of_kernel<&internal><<<1, 1>>>(p);
  derived<Same><<<1, 1>>>(p);
  unnamed<<<1, 1>>>(p);
  outer::k1::nested<<<1, 1>>>(p);
  Class::member<1><<<1, 1>>>(p);
#if defined(ELSEWHERE)
  elsewhere<<<1, 1>>>(p);
#endif
  return 0;
}
"""
OTHER = """\
#include <hip/hip_runtime.h>
__global__ void elsewhere(int *p) { *p = 11; }
static __global__ void internal(int *p) { *p = 12; }
int launch(int *p);
int main() {
  internal<<<1, 1>>>(nullptr);
  elsewhere<<<1, 1>>>(nullptr);
  return launch(nullptr);
}
"""
REGISTERED = 15  # of both units, which both have one called `internal`

UNUSED = """\
#include <hip/hip_runtime.h>
template <int N> __global__ void numbered(int *p) { *p = N; }
inline void never_called(int *p) { numbered<17><<<1, 1>>>(p); }
int main() {}
"""

GUARDED = """\
#include <hip/hip_runtime.h>
#if !defined(__HIP_DEVICE_COMPILE__) || defined(__gfx90a__)
__global__ void matrix(int *p) { *p = 1; }
#endif
__global__ void plain(int *p) { *p = 2; }
int main() {
#if !defined(__HIP_DEVICE_COMPILE__) || defined(__gfx90a__)
  matrix<<<1, 1>>>(nullptr);
#endif
  plain<<<1, 1>>>(nullptr);
}
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for name, text in {"different": DIFFERENT, "right": RIGHT, "other": OTHER, "guarded": GUARDED}.items():
        (tmp_path / f"{name}.hip").write_text(text)
    return tmp_path


def inspected(path: Path) -> tuple[int, str, dict[str, Any]]:
    """Run `hipport inspect`; return its status, its output, and its JSON of the file."""
    command = ("inspect", "--demangle", path)
    shown = served.hipport(*command)
    document = served.hipport(*command, "--json")
    assert document.returncode == shown.returncode
    return shown.returncode, shown.stdout + shown.stderr, json.loads(document.stdout)["files"][0]


def only(path: Path) -> HostPart:
    (found,) = read(path).hosts
    return found


@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_way_to_depend_on_a_device_macro_is_refused(compiler: str, sources: Path) -> None:
    done = hipport("different.hip", "-o", "different", *TARGETS, "--compiler", compiler, cwd=sources)
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        "different.hip: the host registers void by_number<2>(int*), which is missing in the code for gfx90a"
        in done.stderr
    )
    assert "; gfx90a has void by_number<4>(int*) instead" in done.stderr
    assert "and 3 more" in done.stderr and "a macro that only device compiles define, such as __gfx90a__" in done.stderr
    assert not (sources / "different").exists()
    again = hipport("different.hip", "-o", "different", *TARGETS, "--compiler", compiler, cwd=sources)
    assert again.returncode == 1 and "the host registers" in again.stderr
    (product,) = sources.glob("different.build/product")
    status, shown, file = inspected(product)
    assert status == 1 and "error: gfx90a: the host registers void by_number<2>(int*), which is missing" in shown
    lacking = {missing["name"] for missing in file["hosts"][0]["missing"]}
    assert len(lacking) == len(LACKING)
    assert "8 kernels registered by the host code but missing in code objects" in shown


@pytest.mark.parametrize("flag", ["-fgpu-rdc", "-flto"])
def test_where_host_objects_do_not_tell_the_product_does(flag: str, sources: Path) -> None:
    if flag == "-flto":
        options: tuple[str, ...] = ("--host-flag", flag, "--link-flag", flag, "--link-flag", "-fuse-ld=lld")
    else:
        options = ("--", flag)
    done = hipport("different.hip", "-o", "different", *TARGETS, "--compiler", "clang++", *options, cwd=sources)
    assert done.returncode == 1
    assert (
        "link: the host registers void by_type<float>(int*), which is missing in the code for gfx90a; gfx90a has"
        in done.stderr
    )


WAYS = {
    "program": (),
    "library.so": ("--shared",),
    "archive.a": ("--static",),
    "separate": ("--", "-fgpu-rdc", "-DELSEWHERE"),
    "unoptimised": ("-O", "0", "-g"),
}
"""Options for every supported way to build."""
BUILT = [
    *(("hipcc", name) for name in ("program", "library.so", "separate")),
    *(("clang++", name) for name in ("program", "archive.a", "unoptimised")),
]
"""Every way with one compiler, one way with both: each compiles two units for two targets and the host."""


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """A function that builds a program or library with matching kernels, with a compiler in one of the ways."""

    def make(compiler: str, name: str) -> Path:
        def build(folder: Path) -> None:
            for source, text in {"right": RIGHT, "other": OTHER}.items():
                (folder / f"{source}.hip").write_text(text)
            options = (*TARGETS, "--compiler", compiler, "-o", name, *WAYS[name])
            built("right.hip", "other.hip", *options, cwd=folder)

        return made_once(tmp_path_factory, f"right-{compiler}-{name}", build) / name

    return make


@pytest.mark.parametrize(("compiler", "name"), [each for each in BUILT if each[1] != "archive.a"])
def test_kernels_that_only_look_like_it_are_accepted(
    compiler: str, name: str, right: Callable[[str, str], Path]
) -> None:
    path = right(compiler, name)
    part = only(path)
    assert (part.missing, part.unchecked) == ((), "") and len(part.registered) == REGISTERED
    status, shown, _ = inspected(path)
    assert status == 0 and f"host code: registers {REGISTERED} kernels, in all code objects" in shown


def test_members_of_a_static_library_are_checked(right: Callable[[str, str], Path]) -> None:
    first, second = read(right("clang++", "archive.a")).hosts
    assert (first.missing, second.missing, first.unchecked, second.unchecked) == ((), (), "", "")
    assert len(first.registered) + len(second.registered) == REGISTERED + 1


@pytest.mark.parametrize(("compiler", "option"), [("hipcc", "--strip-all"), ("clang++", "--discard-all")])
def test_a_stripped_program_is_not_called_right(
    compiler: str, option: str, right: Callable[[str, str], Path], tmp_path: Path
) -> None:
    subprocess.run(["strip", option, right(compiler, "program"), "-o", tmp_path / "stripped"], check=True)
    part = only(tmp_path / "stripped")
    assert part.missing == () and part.unchecked.startswith("it is stripped")
    status, shown, _ = inspected(tmp_path / "stripped")
    assert status == 0 and "not checked: it is stripped" in shown


def test_compressed_bundles_are_read(sources: Path) -> None:
    done = hipport("different.hip", "-o", "different", *TARGETS, "--compress", cwd=sources)
    assert done.returncode == 1 and "void by_number<2>(int*), which is missing in the code for gfx90a" in done.stderr
    built("guarded.hip", "-o", "guarded", *TARGETS, "--compress", cwd=sources)
    (bundle,) = read(sources / "guarded").bundles
    assert bundle.compression == "zstd" and len(only(sources / "guarded").missing) == 1


def test_what_hipcc_alone_makes_is_read(sources: Path) -> None:
    command = ["hipcc", "--offload-arch=gfx90a", "--offload-arch=gfx1030", "-o"]
    for name, status in {"different": 1, "guarded": 0}.items():
        subprocess.run([*command, name, f"{name}.hip"], cwd=sources, check=True, env=_amd(), capture_output=True)
        assert inspected(sources / name)[0] == status


def _amd() -> dict[str, str]:
    from hipport.toolchain.process import amd_environment

    return {**amd_environment(), **SMALL_HIP}


def test_a_unit_whose_only_kernel_is_launched_by_an_unused_function(tmp_path: Path) -> None:
    (tmp_path / "unused.hip").write_text(UNUSED)
    done = built("unused.hip", "-o", "unused", *TARGETS, cwd=tmp_path)
    assert "no GPU code" in done.stdout


def test_a_kernel_that_is_left_out_for_a_target_is_a_warning(sources: Path) -> None:
    done = built("guarded.hip", "-o", "guarded", *TARGETS, cwd=sources)
    assert (
        "warning: guarded.hip: the host registers matrix(int*), which is missing in the code for gfx1030\n"
        in done.stderr
    )
    status, shown, _ = inspected(sources / "guarded")
    assert status == 0 and "warning: gfx1030: the host registers matrix(int*), which is missing\n" in shown
