"""Choosing the CUDA name for a HIP name."""

from __future__ import annotations

from hipport.builds.nvidia.choice import meanings
from hipport.mappings.entry import Kind
from hipport.mappings.life import parse_life
from hipport.mappings.reverse import Origin


def origin(
    name: str, life: str = "", *, library: str = "runtime", kind: Kind = Kind.FUNCTION, plain: bool = True
) -> Origin:
    return Origin(name, kind, library, parse_life(life), plain, library != "nccl")


def chosen(hip: str, *origins: Origin) -> list[tuple[str, tuple[int, ...] | None, tuple[int, ...] | None]]:
    return [(found.origin.name, found.since, found.before) for found in meanings(hip, origins)]


def test_one_origin_counts_in_every_release() -> None:
    assert chosen("hipBindTexture", origin("cudaBindTexture", "removed 12.0")) == [("cudaBindTexture", None, None)]


def test_the_name_that_is_spelled_alike_goes_first() -> None:
    found = chosen("hipDeviceReset", origin("cudaThreadExit"), origin("cudaDeviceReset"))
    assert found == [("cudaDeviceReset", None, None)]
    found = chosen("hipModuleLaunchKernel", origin("cuLaunchKernel", library="driver"))
    assert found == [("cuLaunchKernel", None, None)]


def test_the_runtime_goes_before_the_driver() -> None:
    both = (origin("cuStreamSynchronize", library="driver"), origin("cudaStreamSynchronize"))
    assert chosen("hipStreamSynchronize", *both) == [("cudaStreamSynchronize", None, None)]


def test_options_of_the_linker_are_the_drivers() -> None:
    kinds = {"kind": Kind.ENUMERATOR}
    both = (origin("cudaJitMaxRegisters", **kinds), origin("CU_JIT_MAX_REGISTERS", library="driver", **kinds))  # type: ignore[arg-type]
    assert chosen("hipJitOptionMaxRegisters", *both) == [("CU_JIT_MAX_REGISTERS", None, None)]


def test_a_call_that_keeps_its_arguments_goes_before_one_that_does_not() -> None:
    both = (origin("cudaMallocHost", plain=False), origin("cudaHostAlloc"))
    assert chosen("hipHostMalloc", *both) == [("cudaHostAlloc", None, None)]


def test_versions_of_a_name_come_last() -> None:
    both = (origin("cuMemAlloc_v2", library="driver"), origin("cuMemAlloc", library="driver"))
    assert chosen("hipMemAlloc", *both) == [("cuMemAlloc", None, None)]


def test_another_name_for_releases_that_lack_the_best() -> None:
    new, old = origin("cudaFoo", "12.0"), origin("cudaOldFoo")
    assert chosen("hipFoo", old, new) == [("cudaFoo", (12,), None), ("cudaOldFoo", None, None)]
    gone, left = origin("cudaBar", "removed 13.0"), origin("cudaBarAgain")
    assert chosen("hipBar", gone, left) == [("cudaBar", None, (13,)), ("cudaBarAgain", None, None)]


def test_no_other_name_that_helps_in_no_release() -> None:
    new, newer = origin("cudaFoo", "12.0"), origin("cudaOtherFoo", "12.3")
    assert chosen("hipFoo", newer, new) == [("cudaFoo", None, None)]
    elsewhere = origin("cuFoo", library="driver")
    assert chosen("hipFoo", elsewhere, new) == [("cudaFoo", None, None)]


def test_a_name_that_went_before_cuda_11_is_no_choice() -> None:
    assert chosen("hipFoo", origin("cudaFoo", "removed 10.1"), origin("cudaLaunch")) == [("cudaLaunch", None, None)]
