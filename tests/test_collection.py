"""pytest collects all folders of tests: by default it skips folders called `build`, `dist` and the like."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def test_no_folder_of_tests_is_passed_over(request: pytest.FixtureRequest) -> None:
    patterns = request.config.getini("norecursedirs")
    folders = {path.parent for path in TESTS.rglob("test_*.py")}
    assert TESTS / "builds" in folders
    names = {name for folder in folders for name in folder.relative_to(TESTS).parts}
    assert [name for name in sorted(names) if any(fnmatch(name, pattern) for pattern in patterns)] == []


def test_no_module_keeps_the_environment_from_before_the_tests() -> None:
    """Modules are imported before TMPDIR is set: compilers would leave their folders in the machine's own."""
    kept = re.compile(
        r"^\w+(: [^=\n]+)? = .*(?:\*\*os\.environ\b|os\.environ \||dict\(os\.environ|amd_environment\(\))", re.MULTILINE
    )
    assert [str(path) for path in TESTS.rglob("*.py") if kept.search(path.read_text("utf-8"))] == []
