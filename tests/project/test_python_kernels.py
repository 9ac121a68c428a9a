"""HP505 in the strings of Python files."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.project.request import Mode
from hipport.project.run import run
from hipport.translate.convert import convert_source
from tests.project.fake import build, request

KERNEL = '#include <curand_kernel.h>\nextern "C" __global__ void k(cudaError_t *e) { *e = cudaSuccess; }\n'
PLAIN = "__global__ void k(float *x) { x[threadIdx.x] = 1; }\n"


def found(folder: Path, text: str, name: str = "a.py") -> list[tuple[int, int, str]]:
    """Return line, column and message of the findings about a Python file beside a CUDA source."""
    build(folder / "tree", {name: text, "b.cu": PLAIN})
    made = run(
        request(Mode.OUTPUT, folder / "tree", folder=str(folder / "out")), lambda done, total: None, convert_source
    )
    return [(each.line, each.column, each.message) for each in made.diagnostics if each.code == "HP505"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"import cupy\nk = cupy.RawKernel(r'''{KERNEL}''', 'k')\n", (2, 20)),
        (f'SOURCE = """{KERNEL}"""', (1, 10)),
        (f'kernels = {{"é": f"""{KERNEL.replace("{", "{{").replace("}", "}}")}{{TAIL}}"""}}', (1, 17)),
        (f"load_inline(cuda_sources=['''{KERNEL}'''])", (1, 27)),
        (f"k = {KERNEL.replace(chr(10), chr(92) + 'n')!r}", (1, 5)),
    ],
)
def test_kernels_in_strings_are_reported(tmp_path: Path, text: str, place: tuple[int, int]) -> None:
    (finding,) = found(tmp_path, text)
    assert finding[:2] == place
    assert finding[2] == "CUDA code in a string is not translated: curand_kernel.h, cudaError_t, cudaSuccess"
    assert (tmp_path / "out" / "a.py").read_text() == text


@pytest.mark.parametrize(
    "text",
    [
        f"k = cupy.RawKernel('''{PLAIN}''', 'k')\n",  # HIP compiles it as it is
        "text = 'a __global__ function of cudaError_t'\n",
        f"# {KERNEL.splitlines()[1]}\n",
        f"# hipport: ignore[HP505] by hand\nk = '''{KERNEL}'''\n",
        "def (broken __global__\n",
    ],
)
def test_other_strings_are_not(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, text) == []


def test_other_files_are_not(tmp_path: Path) -> None:
    assert found(tmp_path, f"k = '''{KERNEL}'''\n", "a.txt") == []
