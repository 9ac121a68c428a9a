"""A translated setup.py is Python still, wherever an option of nvcc stands."""

from __future__ import annotations

import ast

import pytest

from hipport.buildfiles.convert import convert_build_file
from hipport.buildfiles.tables import load_build_tables
from tests.buildfiles.test_pairs import context

PLACES = [
    "x = {}",
    "x = {}.format(gcc)",
    "x = get('NAME', {}) + {}",
    "x = {} if verbose else {}",
    "x += [{}] + y[{}]",
    "CUDAExtension('a', ['a.cu'], extra_compile_args={{'nvcc': {}, 'cxx': [{}, {}]}})",
    "nvcc_flags = (\n    {}\n    {}\n)",
    "setup(libraries=[{}], nvcc={})",
    "if {} in nvcc_flags:\n    nvcc_flags.remove({})",
    "nvcc_flags[{}] = {}",
    "def f(nvcc={}, *, flags=({},)):\n    return {}",
]


@pytest.mark.parametrize("place", PLACES)
def test_every_option_leaves_valid_python(place: str) -> None:
    wrong = []
    for name, option in load_build_tables().options.items():
        for word in (name, f"{name}=70" if option.value else name):
            text = place.format(*[f'"{word}"'] * place.count("{}"))
            ast.parse(text)
            done = convert_build_file(f"# nvcc\n{text}\n".encode(), "setup.py", context()).data
            try:
                ast.parse(done)
            except SyntaxError:
                wrong.append((text, done.decode()))
    assert wrong == []
