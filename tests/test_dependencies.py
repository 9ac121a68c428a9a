"""hipport's core needs only its core dependencies, which have wheels on PyPI (`python -m scripts.check_wheels`)."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from scripts import check_wheels

ROOT = Path(__file__).parents[1]
MODULES = {
    "pyyaml": "yaml", "tree-sitter": "tree_sitter", "tree-sitter-cpp": "tree_sitter_cpp", "pyelftools": "elftools",
    "tree-sitter-python": "tree_sitter_python", "libclang": "clang", "prometheus-client": "prometheus_client",
    "markdown-it-py": "markdown_it",
}  # fmt: skip
"""Packages that are imported under another name than they are installed."""
EXTRAS = {
    "hipport/llm": ("llm", "serve", "guided", "bench"),
    "hipport/cli/llm": ("llm", "serve"),
    "hipport/lsp": ("lsp",),
    "hipport/semantic": ("semantic",),
    "hipport/verify": ("verify",),
    "hipport/builds/scheduler": ("dask", "slurm"),
    "hipport/cli/scheduler.py": ("dask", "slurm"),
}
"""Where extras are imported; `hipport --version` and the commands without an extra never get there."""
TABLE = check_wheels.project()


def modules(extra: str | None = None) -> set[str]:
    names = [one.name.lower() for one in check_wheels.requirements(TABLE, extra)]
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").partition(".")[0]


def allowed(path: str) -> set[str]:
    extras = [extra for place, extras in EXTRAS.items() if path.startswith(place) for extra in extras]
    return {"hipport", *sys.stdlib_module_names, *modules(), *(name for extra in extras for name in modules(extra))}


SOURCES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "hipport").rglob("*.py"))


def test_sources_import_what_is_declared() -> None:
    wrong = {path: found for path in SOURCES if (found := {*imported(ROOT / path)} - allowed(path))}
    assert len(SOURCES) > 400
    assert wrong == {}


BLOCK = """
import sys
allowed = set(sys.stdlib_module_names) | {core} | {{'hipport', 'typing_extensions', 'markdown_it', 'mdurl', 'pygments',
    '_yaml', 'attr'}}
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] not in allowed and not name.startswith('_sysconfigdata'):
            raise ModuleNotFoundError('blocked: ' + name, name=name)
sys.meta_path.insert(0, Block())
from hipport.cli import main
main()
"""


@pytest.mark.parametrize(
    ("arguments", "statuses"),
    [
        (["--version"], {0}),
        (["convert", "tree", "-o", "out"], {0, 1}),
        (["check", "tree"], {0, 1}),
        (["doctor"], {0, 1}),
        (["inspect", sys.executable], {0, 1}),
        (["mappings", "query", "cudaMalloc"], {0}),
        (["build", "--help"], {0}),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_the_core_runs_without_other_packages(arguments: list[str], statuses: set[int], tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "CMakeLists.txt").write_text("project(x CUDA)\nadd_executable(x a.cu)\n")
    (tree / "a.cu").write_text("int main() { return cudaDeviceSynchronize(); }\n")
    (tree / "setup.py").write_text("libraries = ['cublas']\n")
    command = [sys.executable, "-c", BLOCK.format(core=modules()), *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode in statuses, done.stderr
    assert "Traceback" not in done.stderr and "blocked" not in done.stderr + done.stdout
    if arguments[0] == "convert":
        assert "HIP" in (tmp_path / "out" / "CMakeLists.txt").read_text()


def test_the_releases_that_are_promised() -> None:
    assert check_wheels.releases(TABLE) == ["3.10", "3.11", "3.12", "3.13", "3.14"]
    assert re.fullmatch(r">=3\.10", TABLE["requires-python"])


def test_what_check_wheels_asks_for() -> None:
    marker = Requirement("tomli>=2; python_version < '3.11'").marker
    assert check_wheels.applies(marker, "3.10", "x86_64")
    assert not check_wheels.applies(marker, "3.14", "aarch64")
    assert {one.name for one in check_wheels.requirements(TABLE, "serve")} >= {"numpy", "uvicorn"}
    assert "tree-sitter-cmake" not in {one.name for one in check_wheels.requirements(TABLE)}
