"""docs/llm-kernels.md names all files and kernels of the language models, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LLM = ROOT / "hipport" / "llm"
PAGE = (ROOT / "docs" / "llm-kernels.md").read_text(encoding="utf-8")
QUOTED = set(re.findall(r"`([^`\n]+)`", PAGE))
FILES = {path.name: path for folder in ("kernels", "engine") for path in (LLM / folder).iterdir() if path.is_file()}
KERNEL = re.compile(r"__global__\s+void\s+(?:__\w+__\((?:[^()]|\([^()]*\))*\)\s*)*(\w+)\s*\(")


def kernels(text: str) -> list[str]:
    """The names of the `__global__` functions in a source."""
    return KERNEL.findall(text)


def sources() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in FILES.values())


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_map_names_every_file(name: str) -> None:
    assert name in QUOTED


def test_every_file_on_the_map_exists() -> None:
    named = {name for name in QUOTED if re.fullmatch(r"[\w/]+\.(?:cuh|cu|h)", name)}
    assert named - set(FILES) == set()


def test_the_map_names_every_kernel() -> None:
    found = kernels(sources())
    assert len(found) == sources().count("__global__")
    assert set(found) - QUOTED == set()


def test_every_function_on_the_map_is_in_the_file_that_follows_it() -> None:
    pairs = re.findall(r"`([\w:]+)`[^`|;,\n]*\(`(\w+\.(?:cuh|cu))`\)", PAGE)
    assert len(pairs) > 20
    for name, file in pairs:
        text = FILES[file].read_text(encoding="utf-8")
        assert all(re.search(rf"\b{part}\b", text) for part in name.split("::")), (name, file)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("template <int N>\n__global__ void __launch_bounds__(N, D::kMost)\n    a_kernel(int n) {}", ["a_kernel"]),
        ("__global__ void b_kernel(const int* from) {}", ["b_kernel"]),
        ("__global__ void __launch_bounds__(f(1))c(int) {}", ["c"]),
        ("__global__ void __cluster_dims__(1, 1, N) __launch_bounds__(f(1), 2)\n    d(int) {}", ["d"]),
        ("__device__ void d(int) {}", []),
    ],
)
def test_kernels_are_found(text: str, found: list[str]) -> None:
    assert kernels(text) == found
