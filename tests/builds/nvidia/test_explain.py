"""Hints about names that nvcc does not know."""

from __future__ import annotations

import pytest

from hipport.builds.nvidia.explain import explain


@pytest.mark.parametrize(
    ("text", "cuda", "said"),
    [
        (
            'k.hip(3): error: identifier "__builtin_amdgcn_s_sleep" is undefined',
            (13, 0),
            "__builtin_amdgcn_s_sleep is only for AMD GPUs: put it inside #if defined(__HIP_PLATFORM_AMD__)",
        ),
        (
            'k.hip(3): error: identifier "cudaBindTexture" is undefined',
            (12, 4),
            "cudaBindTexture (hipBindTexture) was removed in CUDA 12.0; this is 12.4",
        ),
        (
            "a.cpp:3:5: error: 'cudaLaunchKernelExC' was not declared in this scope",
            (11, 0),
            "cudaLaunchKernelExC (hipLaunchKernelExC) came with CUDA 11.8; this is 11.0",
        ),
        (
            "a.cpp:3:5: error: \u2018hipExtStreamCreateWithCUMask\u2019 was not declared in this scope",
            (13, 0),
            "hipExtStreamCreateWithCUMask has no counterpart in CUDA in hipport's tables",
        ),
        ('error: class "cudaDeviceProp" has no member "pitch"', (13, 0), None),
        ('error: identifier "missing" is undefined', (13, 0), None),
        ('error: identifier "cudaBindTexture" is undefined', (11, 8), None),
    ],
)
def test_names(text: str, cuda: tuple[int, int], said: str | None) -> None:
    assert list(explain(text, cuda)) == ([said] if said else [])


def test_each_name_once() -> None:
    text = 'error: identifier "__ockl_gws_init" is undefined\n' * 3
    assert len(list(explain(text, (13, 0)))) == 1
