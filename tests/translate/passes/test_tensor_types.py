"""`AT_DISPATCH_*` with the deprecated `type()` of a tensor."""

from __future__ import annotations

import pytest

from hipport.mappings.tables import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('AT_DISPATCH_ALL_TYPES(x.type(), "f", [&] {})', 'AT_DISPATCH_ALL_TYPES(x.scalar_type(), "f", [&] {})'),
        ('AT_DISPATCH_SWITCH(p->type( ), "f", [&] {})', 'AT_DISPATCH_SWITCH(p->scalar_type(), "f", [&] {})'),
        (
            'AT_DISPATCH_FLOATING_TYPES_AND(at::kHalf, get(0).type(), "f", ([&] { y.type(); }))',
            'AT_DISPATCH_FLOATING_TYPES_AND(at::kHalf, get(0).scalar_type(), "f", ([&] { y.type(); }))',
        ),
        ('AT_DISPATCH_ALL_TYPES(x.scalar_type(), "f", [&] { y.type(); })', ""),
        ('AT_DISPATCH_ALL_TYPES(x.type().scalarType(), "f", [&] {})', ""),
        ("AT_DISPATCH_CASE(at::kHalf, x.type())", ""),
        ("DISPATCH(x.type())", ""),
    ],
)
def test_the_type_of_elements_replaces_it(tables: Tables, call: str, expected: str) -> None:
    source = f"#include <ATen/ATen.h>\nvoid f() {{\n  {call};\n}}\n"
    out = convert_source(source.encode(), "a.cu", Context(tables)).data.decode()
    assert f"\n  {expected or call};\n" in out
