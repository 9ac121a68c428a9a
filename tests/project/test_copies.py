"""A project's copy of CUB, whose headers hipCUB's replace: what only the copy defines is not there any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

_COPY = "#pragma once\n#define CubDebugExit(e) if (e) exit(1)\n"
_USE = "#include {}\nvoid f() {{ CubDebugExit(cudaDeviceSynchronize()); }}\n"
_SUPPLIED = "hipport/compat/cub.h"


def translation(folder: Path, files: dict[str, str | bytes], name: str) -> str:
    build(folder / "tree", files)
    run(request(Mode.OUTPUT, folder / "tree", folder=str(folder / "out")), lambda done, total: None, convert_source)
    return (folder / "out" / name).read_text()


@pytest.mark.parametrize("operand", ['"cub/util_debug.cuh"', "<cub/util_debug.cuh>", '"cub/cub.cuh"', "<cub/cub.cuh>"])
@pytest.mark.parametrize("above", ["", "test/"])
def test_what_a_replaced_copy_defines_is_supplied(tmp_path: Path, operand: str, above: str) -> None:
    files: dict[str, str | bytes] = {
        "cub/cub.cuh": '#pragma once\n#include "util_debug.cuh"\n',
        "cub/util_debug.cuh": _COPY,
        above + "a.h": "#pragma once\n" + _USE.format(operand),
    }
    text = translation(tmp_path, files, above + "a.h")
    assert _SUPPLIED in text and "hipcub/hipcub.hpp" in text and '/cub.cuh"' not in text


@pytest.mark.parametrize("operand", ['"../cub/util_debug.cuh"', '"own/debug.h"', "<own/debug.h>"])
def test_what_a_header_that_stays_defines_is_the_projects(tmp_path: Path, operand: str) -> None:
    files: dict[str, str | bytes] = {
        "cub/util_debug.cuh": _COPY,
        "own/debug.h": _COPY,
        "test/a.h": "#pragma once\n" + _USE.format(operand),
    }
    text = translation(tmp_path, files, "test/a.h")
    assert _SUPPLIED not in text and operand in text


def test_a_header_of_the_project_with_the_name_of_one_of_cudas_is_followed(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "cublas.h": "#pragma once\n#define cudaFree mine\n",
        "a.cu": '#include "cublas.h"\nint x = cudaFree(0);\n',
    }
    text = translation(tmp_path, files, "a.hip")
    assert "x = cudaFree(0)" in text and '#include "cublas.h"' in text
