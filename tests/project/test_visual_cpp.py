"""Trees that were written with Visual C++, on file systems that do not tell small letters from capitals."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

KERNEL = "__global__ void k() {}\n"


def translated(folder: Path, files: dict[str, str], name: str) -> str:
    build(folder / "tree", dict(files))
    run(request(Mode.OUTPUT, folder / "tree", folder=str(folder / "out")), lambda done, total: None, convert_source)
    return (folder / "out" / name).read_text()


@pytest.mark.parametrize(
    ("operand", "spelled"),
    [
        ("util/vector.h", "Util/Vector.h"),
        ("Util/VECTOR.h", "Util/Vector.h"),
        ("../app/UTIL/Vector.h", "../app/Util/Vector.h"),
        ("./util\\Vector.h", "./Util/Vector.h"),
        ("VECTOR.H", "Vector.h"),
        ("Util/Vector.h", "Util/Vector.h"),
        ("vector.h", "vector.h"),  # may be the system's
        ("Twice.h", "Twice.h"),  # there are two
        ("other/Vector.h", "other/Vector.h"),
    ],
)
def test_operands_are_spelled_as_the_file(tmp_path: Path, operand: str, spelled: str) -> None:
    files = {
        "app/a.cu": f'#include "{operand}"\n{KERNEL}',
        "app/Util/Vector.h": "#pragma once\n",
        "app/x/twice.h": "",
        "app/y/twice.h": "",
    }
    assert f'#include "{spelled}"\n' in translated(tmp_path, files, "app/a.hip")


def test_names_of_a_file_spelled_otherwise_are_the_projects(tmp_path: Path) -> None:
    files = {
        "a.cu": '#include "sub/Own.h"\n__global__ void k() { cudaFree(); }\n',
        "Sub/own.h": "inline __device__ void cudaFree() {}\n",
    }
    assert "cudaFree();" in translated(tmp_path, files, "a.hip")


VECTOR = "typedef std::vector<int> Row;\n"


@pytest.mark.parametrize(
    ("unit", "header", "included"),
    [
        (VECTOR, "", True),
        ("", VECTOR, True),
        ("", "#include <map>\n#include <string>\n" + VECTOR, True),
        ("#include <vector>\n", VECTOR, False),
        ("#include <functional>\n", VECTOR, False),
        ("", "#include <vector>\n" + VECTOR, False),
        (VECTOR, "#include <vector>\n", False),
        ("#include <boost/any.hpp>\n", VECTOR, False),
        ("#include <thrust/device_vector.h>\n", VECTOR, False),
        ("", "", False),
        ("// std::vector<int>\n", "", False),
    ],
)
def test_a_container_without_its_header(tmp_path: Path, unit: str, header: str, included: bool) -> None:
    text = translated(tmp_path, {"a.cu": f'#include "a.cuh"\n{unit}{KERNEL}', "a.cuh": header}, "a.hip")
    assert ("#include <vector>\n" in text.replace(unit, "")) is included
    if included:
        assert text.index("<vector>") < text.index('"a.cuh"')
