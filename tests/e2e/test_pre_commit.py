"""The hooks, run by pre-commit in a scratch repository, and the workflow in the documentation."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from hipport.files.sources import SUFFIXES

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / ".pre-commit-hooks.yaml"
CLEAN = "int main() { return cudaDeviceSynchronize(); }\n"
HAZARD = "__global__ void k(int* out) { unsigned b = __ballot_sync(~0u, out[threadIdx.x % warpSize]); out[0] = b; }\n"


def run(*command: str | Path, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    names = {f"GIT_{who}_{what}": "test@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHON"))}
    environment |= names | variables
    return subprocess.run([*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_the_manifest_of_the_hooks() -> None:
    done = run(sys.executable, "-m", "pre_commit", "validate-manifest", HOOKS)
    assert done.returncode == 0, done.stdout


def test_the_check_is_given_all_sources_and_nothing_else() -> None:
    (pattern,) = (hook["files"] for hook in yaml.safe_load(HOOKS.read_text()) if hook["id"] == "hipport-check")
    assert all(re.search(pattern, f"a/b{suffix}") for suffix in SUFFIXES)
    assert not any(re.search(pattern, name) for name in ("a.cubin", "cu", "a.py", "a.hip.txt", "a.cu~"))


WORKFLOWS = [
    path for folder in ("docs/examples", ".github/workflows") for path in sorted((ROOT / folder).glob("*.yml"))
]


@pytest.mark.parametrize("example", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_are_what_github_expects(example: Path, tmp_path: Path) -> None:
    check = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows")
    done = run(*check, example)
    assert done.returncode == 0, done.stdout
    (tmp_path / "broken.yml").write_text(example.read_text().replace("runs-on", "run-on"))
    assert run(*check, tmp_path / "broken.yml").returncode == 1


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the present hipport, from which pre-commit installs."""
    folder = tmp_path_factory.mktemp("hooks")
    for name in ("hipport", "mappings", "cmake", "docs/diagnostics"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", HOOKS.name):
        shutil.copy(ROOT / name, folder)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "hipport"]):
        assert run("git", *command, cwd=folder).returncode == 0
    return folder


@pytest.mark.slow
def test_the_hooks_in_a_repository(hooks: Path, tmp_path: Path) -> None:
    """One test, because pre-commit creates an environment with pip once, which needs a package index."""
    revision = run("git", "rev-parse", "HEAD", cwd=hooks).stdout.strip()
    (tmp_path / "repo/cuda").mkdir(parents=True)
    repo = tmp_path / "repo"
    chosen: list[dict[str, Any]] = [
        {"id": "hipport-check", "exclude": "^hip/"},
        {"id": "hipport-sync", "args": ["cuda", "hip"]},
    ]
    config = {"repos": [{"repo": f"file://{hooks}", "rev": revision, "hooks": chosen}]}
    (repo / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    (repo / "cuda/a.cu").write_text(CLEAN)

    def hipport(*arguments: str) -> None:
        assert run(sys.executable, "-m", "hipport", *arguments, cwd=repo, PYTHONPATH=str(ROOT)).returncode == 0

    def commit() -> subprocess.CompletedProcess[str]:
        assert run("git", "add", "-A", cwd=repo).returncode == 0
        return run(sys.executable, "-m", "pre_commit", "run", cwd=repo, PRE_COMMIT_HOME=str(tmp_path / "home"))

    run("git", "init", "-q", cwd=repo)
    hipport("convert", "cuda", "-o", "hip", "--rocm", "6.2")
    done = commit()
    assert done.returncode == 0 and done.stdout.count("Passed") == 2, done.stdout + done.stderr

    (repo / "cuda/b.cu").write_text(HAZARD)
    done = commit()
    assert done.returncode == 1 and done.stdout.count("Failed") == 2
    assert "cuda/b.cu:1:" in done.stdout and "HP201" in done.stdout and "would be written: hip/b.hip" in done.stdout

    hipport("update", "cuda", "hip")
    hipport("check", "cuda", "--rocm", "6.2", "--write-baseline", "baseline.json")
    chosen[0]["args"] = ["--baseline=baseline.json"]
    (repo / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    done = commit()
    assert done.returncode == 0, done.stdout
    assert run("git", "ls-files", "hip/.hipport", cwd=repo).stdout.count("memory.json") == 0
