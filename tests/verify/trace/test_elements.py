"""Demanglers' spelling of types, for CUDA and for the CPU target."""

from __future__ import annotations

import pytest

from hipport.verify.trace.elements import element_of, holds_pointers


@pytest.mark.parametrize(
    ("pointer", "element"),
    [
        ("float*", "f32"),
        ("float const*", "f32"),
        ("double volatile*", "f64"),
        ("unsigned long long*", "u64"),
        ("long*", "i64"),
        ("bool*", "u8"),
        ("float4*", "f32"),
        ("uchar4 const*", "u8"),
        ("longlong2*", "i64"),
        ("HIP_vector_type<float, 4u> const*", "f32"),
        ("HIP_vector_type<unsigned int, 2u>*", "u32"),
        ("__half*", "f16"),
        ("__nv_bfloat16*", "bf16"),
        ("hipport::cpu::Float16<&hipport::cpu::half_bits, &hipport::cpu::half_value>*", "f16"),
        ("hipport::cpu::Float16<&(hipport::cpu::bfloat16_bits(float)), &(hipport::cpu::bfloat16_value(x))>*", "bf16"),
        ("hipport::cpu::Pair16<hipport::cpu::Float16<&(hipport::cpu::half_bits(float)), &(x)> > const*", "f16"),
        ("float", None),
        ("", None),
        ("void*", None),
        ("float**", None),
        ("Particle*", None),
        ("float5*", None),
        ("void (*)(int)", None),
    ],
)
def test_element_of(pointer: str, element: str | None) -> None:
    assert element_of(pointer) == element


def test_holds_pointers() -> None:
    assert holds_pointers("float const**")
    assert not holds_pointers("float*")
