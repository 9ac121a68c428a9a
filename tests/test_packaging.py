"""Workflows, the action, the recipe and the smoke test."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import hipport
from hipport.files.documents import parse_toml

ROOT = Path(__file__).parents[1]
PROJECT = parse_toml((ROOT / "pyproject.toml").read_text(), "pyproject.toml")["project"]


def check_schema(name: str, *files: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", name, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_workflows_follow_githubs_schema() -> None:
    check_schema(
        "vendor.github-workflows", *(ROOT / ".github/workflows").glob("*.yml"), ROOT / "docs/examples/hipport.yml"
    )


def test_the_action_follows_githubs_schema() -> None:
    check_schema("vendor.github-actions", ROOT / "action.yml")


def scripts() -> list[str]:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    return [step["run"] for step in action["runs"]["steps"] if "run" in step]


def test_the_action_takes_its_inputs_from_the_environment_only() -> None:
    """`${{ inputs.x }}` in a script would run what the input says."""
    assert scripts() and not any("${{" in script for script in scripts())


@pytest.mark.parametrize(("baseline", "status", "seen"), [("", 1, "HP101"), ("accepted.json", 0, "accepted")])
def test_the_action_checks(baseline: str, status: int, seen: str, tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    (tmp_path / "a.cu").write_text("int main() { cudaCtxResetPersistingL2Cache(); }\n")
    run = [sys.executable, "-m", "hipport", "check", "a.cu", "--write-baseline", "accepted.json"]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "hipport").write_text(f'#!/bin/sh\nexec {sys.executable} -m hipport "$@"\n')
    (tmp_path / "hipport").chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "RUNNER_TEMP": str(tmp_path / "a b"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "CHECKED": "a.cu",
        "FAIL_ON": "error",
        "BASELINE": baseline,
        "OPTIONS": "",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", scripts()[-1]], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == status and seen in done.stderr, done.stderr
    assert (tmp_path / "output").read_text() == f"sarif={tmp_path}/a b/hipport.sarif\n"
    assert (tmp_path / "a b/hipport.sarif").is_file()


def test_the_recipe_has_the_projects_requirements() -> None:
    text = (ROOT / "conda/recipe.yaml").read_text()
    recipe = yaml.safe_load(text)
    wanted = {re.sub(r"[ ;].*", "", line) for line in PROJECT["dependencies"] if "python_version" not in line}
    given = {line.replace(" ", "") for line in recipe["requirements"]["run"] if not line.startswith("python ")}
    assert given == wanted
    assert recipe["context"]["version"] == hipport.__version__


@pytest.mark.slow
def test_the_smoke_test() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts/smoke.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "hipport works here" in done.stdout, done.stdout + done.stderr
