"""The tables about build files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.buildfiles import tables
from hipport.errors import HipportError
from hipport.mappings.document import read


def test_each_option_has_something_to_say() -> None:
    for name, option in tables.load_build_tables().options.items():
        assert name.startswith("-")
        assert option.action or option.to or option.values or option.drop or option.advice, name
        assert option.action in ("", "targets", "host") and option.value in ("", "joined", "separate"), name


def test_each_library_has_a_counterpart_or_a_reason() -> None:
    for flavour in ("hip", "roc"):
        for name, library in tables.load_build_tables().libraries[flavour].items():
            assert bool(library.target) + bool(library.drop) + bool(library.advice) == 1, name


def test_what_links_and_variables_name_is_there() -> None:
    found = tables.load_build_tables()
    named = {*found.library_variables.values(), *(word.links for word in found.commands.values() if word.links)}
    assert named <= set(found.libraries["hip"])


def test_each_command_of_find_cuda_is_known() -> None:
    module = next(iter(sorted(Path("/usr/share").glob("cmake-3.*/Modules/FindCUDA.cmake"))), None)
    if module is None:
        pytest.skip("no CMake with FindCUDA")
    defined = re.findall(r"^\s*(?:macro|function)\s*\((cuda_\w+)", module.read_text(), re.IGNORECASE | re.MULTILINE)
    inner = {"cuda_compile_base"}
    assert {name.lower() for name in defined} - inner <= set(tables.load_build_tables().commands)


def test_a_pattern_of_variables() -> None:
    found = tables.load_build_tables()
    assert found.variable("CMAKE_CUDA_FLAGS_DEBUG") == tables.Word("CMAKE_CUDA_FLAGS_DEBUG", "CMAKE_HIP_FLAGS_DEBUG")
    assert found.variable("CMAKE_CUDA_OTHER") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- {name: -x}", "unknown key; did you mean 'names'"),
        ("- {to: -x}", "the key 'names' is missing"),
        ("- {names: -x, severity: bad}", "'bad' is not a valid Severity"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    with pytest.raises(HipportError, match=message):
        [tables.option(value) for value in read(text, "nvcc.yaml").items()]
