"""Traits, specializations and overloads that depend on which plain type a handle is (HP139)."""

from __future__ import annotations

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

BEGIN = "#include <cuda.h>\ntemplate <class T> struct Name {};\n"


def reported(code: str) -> list[int]:
    """Return the lines of the reports, counted from the code's first."""
    found = convert_source(f"{BEGIN}{code}".encode(), "a.cu", Context(load_choice(NameChoice()))).diagnostics
    return [each.line - BEGIN.count("\n") for each in found if each.code == "HP139"]


@pytest.mark.parametrize("plain", ["CUdeviceptr", "unsigned long long"])
@pytest.mark.parametrize("form", ["template <> struct Name<{}> {{}};", "int kind({} x);"])
def test_two_that_are_one_type_in_hip(plain: str, form: str) -> None:
    code = f"{form.format(plain)}\n{form.format('void*')}\nCUdeviceptr memory;\n"
    assert reported(code) == [1]


@pytest.mark.parametrize("form", ["template <> struct Name<{}> {{}};", "int kind({} x);"])
def test_one_alone_means_the_same(form: str) -> None:
    assert reported(f"{form.format('CUdeviceptr')}\n{form.format('int')}\n") == []
    assert reported(f"{form.format('void*')}\nCUdeviceptr memory;\n") == []
