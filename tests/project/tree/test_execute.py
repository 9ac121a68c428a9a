"""Sources that change between reading and writing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hipport.files.hashes import Hasher
from hipport.project.request import Verdict
from hipport.project.state.folder import StateFolder
from hipport.project.state.manifest import ManifestEntry
from hipport.project.task import Action, Task
from hipport.project.tree.execute import execute
from hipport.project.tree.steps import FileStep
from hipport.project.tree.wanted import Wanted


@pytest.mark.parametrize("content", [b"text", b"\0data"])
@pytest.mark.parametrize("changed", [False, True])
def test_a_source_that_changed_is_not_written(tmp_path: Path, content: bytes, changed: bool) -> None:
    source, tree = tmp_path / "source", tmp_path / "out"
    source.write_bytes(content)
    os.utime(source, (1, 1))
    hasher = Hasher({})
    seen = hasher.at(str(source))
    assert seen is not None
    if changed:
        source.write_bytes(content.upper())
    task = Task(str(source), str(tree), "a", "a", str(source), Action.COPY, len(content))
    step = FileStep("a", Verdict.WRITE, wanted=Wanted(task, ManifestEntry("a", seen, seen)))
    folder = StateFolder(str(tree))
    failures = execute([step], str(tree), folder, hasher)
    assert (tree / "a").exists() != changed
    assert [found.message for found in failures.values()] == (
        ["cannot be read: it changed while it was read"] if changed else []
    )
    assert folder.base(seen) == (content if not changed and b"\0" not in content else None)
