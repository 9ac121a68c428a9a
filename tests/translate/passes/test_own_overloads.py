"""Overloads of CUDA's device functions for a program's own types: each function that HIP has under another name.

`python -m tests.translate.passes.test_own_overloads` prints the program; nvcc compiles it with `-c -arch=sm_90`.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import hipport
from hipport.audit.signatures.data import shipped
from hipport.audit.signatures.model import Signature
from hipport.mappings.choice import NameChoice
from hipport.mappings.entry import Kind
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context, Options
from hipport.translate.conversion import Conversion
from hipport.translate.convert import convert_source
from hipport.translate.dataflow.cross_lane import REDUCTIONS, SHUFFLES_SYNC, VOTES_SYNC
from tests.llvm_releases import NEWER

HEAD = """\
#include <type_traits>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
"""
INCLUDE = Path(hipport.__file__).parent / "include"
BY_OTHERS = frozenset({"min", "max", "atomicAdd", "atomicAdd_system"})
"""Functions whose overloads other passes judge."""
_NUMBER = re.compile(r"(?:const )?(?P<base>[\w ]+?)(?P<rest>(?: ?\*(?: ?const)?| const)*)\Z")


def functions(rocm: str) -> dict[str, tuple[Signature, ...]]:
    """Return CUDA's device functions that HIP has under another name, that it lacks, or that hipport supplies."""
    names, cuda = load_choice(NameChoice(rocm=rocm)).names, shipped("cuda")
    found = {}
    for name, signatures in cuda[max(cuda)].functions.items():
        entry = names.get(name)
        if entry is None or entry.kind is not Kind.FUNCTION or entry.ordinary or name in BY_OTHERS:
            continue
        if entry.library != "device":
            continue
        is_same = entry.hip is not None and entry.hip.name == name and not entry.support
        taking = tuple(each for each in signatures if each.parameters and not each.template and _is_of_numbers(each))
        is_lost = not is_same and not entry.overloads and "host_math" not in entry.support
        if taking and (is_lost or name in SHUFFLES_SYNC):
            found[name] = taking
    return found


def _is_of_numbers(signature: Signature) -> bool:
    return not signature.variadic and not any("void" in each.type for each in signature.parameters)


def _base(type_: str) -> str:
    match = _NUMBER.match(type_)
    return match["base"] if match else ""


def _passed(types: Sequence[str]) -> str:
    return ", ".join(f"{type_} a{index}" for index, type_ in enumerate(types))


def overload(name: str, signature: Signature) -> Iterator[str]:
    """Yield a struct, an overload for it that calls CUDA's function, and a call of the overload."""
    types = [each.type for each in signature.parameters]
    chosen = 1 if name.endswith("_sync") and len(types) > 1 else 0
    base, own = _base(types[chosen]), f"Own_{name}"
    swapped = [own if _base(type_) == base and index >= chosen else "" for index, type_ in enumerate(types)]
    taken = [type_.replace(base, own, 1) if mine else type_ for type_, mine in zip(types, swapped, strict=True)]
    values = [
        (f"&a{i}->v" if "*" in type_ else f"a{i}.v") if mine else f"a{i}"
        for i, (type_, mine) in enumerate(zip(types, swapped, strict=True))
    ]
    call, returns = f"{name}({', '.join(values)})", own if signature.returns == base else signature.returns
    yield f"struct {own} {{ {base} v; }};"
    yield (
        f"__device__ {returns} {name}({_passed(taken)}) {{ return {f'{own}{{{call}}}' if returns == own else call}; }}"
    )
    yield _use(f"own_{name}", name, taken, returns)


def _use(function: str, name: str, types: Sequence[str], returns: str) -> str:
    call = f"{name}({', '.join(f'a{index}' for index in range(len(types)))})"
    same = f'static_assert(std::is_same<decltype({call}), {returns}>::value, "{name}");'
    return f"__device__ void {function}({_passed(types)}) {{ {call}; {same} }}"


def program(of: dict[str, tuple[Signature, ...]]) -> str:
    """Return a file that overloads functions, and calls both the overloads and CUDA's functions for all types."""
    lines: list[str] = []
    for name, signatures in of.items():
        lines += overload(name, signatures[0])
        lines += (
            _use(f"cuda{number}_{name}", name, [one.type for one in each.parameters], each.returns)
            for number, each in enumerate(signatures)
        )
    return HEAD + "".join(f"{line}\n" for line in lines)


def convert(text: str, rocm: str = "5.2", *, lane_masks: bool = False) -> Conversion:
    context = Context(load_choice(NameChoice(rocm=rocm)), Options(lane_masks=lane_masks))
    return convert_source(text.encode(), "x.cu", context)


def reported(done: Conversion) -> set[str]:
    said = (re.match(r"calls of (\w+) beside", each.message) for each in done.diagnostics)
    return {each[1] for each in said if each}


def errors(text: str, folder: Path) -> list[str]:
    """Return what Clang says against a translation."""
    source = folder / "overloads.hip"
    source.write_text(text)
    command = [f"clang++-{NEWER}", "-x", "hip", "--rocm-path=/usr", "--hip-version=5.2", "-nogpulib", "-w"]
    command += ["--offload-arch=gfx90a", "--offload-device-only", "-std=c++17", "-fsyntax-only", "-ferror-limit=0"]
    command += ["-D__HIP_PLATFORM_AMD__", "-I", str(INCLUDE), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return re.findall(r"overloads\.hip:\d+:\d+: error: .*", done.stderr)


@pytest.mark.slow
@pytest.mark.toolchain
def test_calls_mean_what_they_do_in_cuda_or_are_reported(tmp_path: Path) -> None:
    found = functions("5.2")
    lost = reported(convert(program(found)))
    assert lost == {name for name in found if is_lost(name)}
    supplied = {name: signatures for name, signatures in found.items() if name not in lost}
    done = convert(program(supplied))
    assert reported(done) == set()
    assert errors(done.data.decode(), tmp_path) == []
    assert len(supplied) > 180


def is_lost(name: str) -> bool:
    """Return whether no header declares CUDA's function under its name."""
    entry = load_choice(NameChoice(rocm="5.2")).names[name]
    is_renamed = entry.hip is None or entry.hip.name != name
    return is_renamed and not name.endswith("_block") and name not in VOTES_SYNC | REDUCTIONS | SHUFFLES_SYNC


OWN = "#include <cuda_runtime.h>\nstruct Own { int v; };\ntemplate <class T> struct Box { T v; };\n"


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("__device__ Own __vadd4(Own a, Own b) { return a; }", "simd.h"),
        ("template <class T> __device__ Box<T> __ldcs(const Box<T>* p) { return *p; }", "cache.h"),
        ("__device__ int __any_sync(unsigned mask, const Own& v) { return v.v; }", "lane_overloads.h"),
        ("__device__ float3 __reduce_add_sync(unsigned mask, float3 v) { return v; }", "lane_overloads.h"),
        ("__device__ Own atomicAdd_block(Own* p, Own v) { return v; }", "block_overloads.h"),
        ("__device__ Own __shfl_down_sync(unsigned mask, Own v, int delta) { return v; }", "shuffle_overloads.h"),
        (
            "template <class T> __device__ Box<T> __shfl_sync(int mask, Box<T> v, int i) { return v; }",
            "shuffle_overloads.h",
        ),
    ],
)
def test_the_header_of_cudas_function_is_included(text: str, header: str) -> None:
    done = convert(f"{OWN}{text}\n")
    assert f"#include <hipport/compat/{header}>\n" in done.data.decode()
    assert text in done.data.decode() and reported(done) == set()


@pytest.mark.parametrize(
    "text",
    [
        "__device__ double __vadd4(double a, double b) { return a; }",
        "template <class T> __device__ T __ldcs(const T* p) { return *p; }",
        "namespace own { __device__ Own __vadd4(Own a, Own b) { return a; } }",
        "struct Has { __device__ Own __fadd_rn(Own a, Own b) { return a; } };",
        "__device__ Own __popc(Own a) { return a; }",
        "template <class T> __device__ T __shfl_xor_sync(unsigned mask, T v, int lanes) { return v; }",
        "__device__ Own __shfl_sync(unsigned mask, Own v, int lane) { return v; }\n"
        "template <class T> __device__ T __shfl_sync(unsigned mask, T v, int lane) { return v; }",
    ],
)
def test_others_are_left_alone(text: str) -> None:
    done = convert(f"{OWN}{text}\n")
    assert "hipport/compat" not in done.data.decode() and reported(done) == set()


def test_an_overload_of_what_hip_has_under_another_name_is_reported() -> None:
    done = convert(f"{OWN}__device__ Own __fadd_rn(Own a, Own b) {{ return {{(int)__fadd_rn(a.v, b.v)}}; }}\n")
    (found,) = (each for each in done.diagnostics if each.code == "HP101")
    assert found.message == (
        "calls of __fadd_rn beside this overload keep the name, but HIP has it as hipport::compat::fadd_rn"
    )


@pytest.mark.parametrize("name", ["__fadd_rn", "__ballot_sync", "__shfl_sync"])
def test_compilers_for_nvidia_gpus_have_cudas_functions(name: str) -> None:
    text = f"{OWN}__device__ Own {name}(unsigned mask, Own a, int b) {{ return a; }}\n"
    done = convert(text, lane_masks=True)
    assert "hipport/compat" not in done.data.decode() and reported(done) == set()
    assert "hipport/compat" in convert(text).data.decode() or reported(convert(text)) == {name}


if __name__ == "__main__":
    print(program(functions("5.2")), end="")
