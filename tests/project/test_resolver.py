"""Headers of a source that is translated by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.files.includes import Seen
from hipport.mappings.loader import Tables
from hipport.project.resolver import headers_beside
from hipport.translate.context import Context


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src" / "inner").mkdir(parents=True)
    (tmp_path / "secret.h").write_text("#define SECRET 32\n")
    (tmp_path / "src" / "a.h").write_text('#include "inner/b.h"\n#define WARP 32\n')
    (tmp_path / "src" / "inner" / "b.h").write_text('#include "../a.h"\ninline int cudaFree(int x) { return x; }\n')
    (tmp_path / "src" / "linked.h").symlink_to(tmp_path / "secret.h")
    (tmp_path / "src" / "data.bin").write_text("#define DATA 32\n")
    return tmp_path / "src"


def found(project: Path, tables: Tables, *includes: str) -> dict[str, frozenset[str]]:
    seen = {str(project / "k.cu"): Seen(frozenset(), frozenset(), includes)}
    return {Path(path).name: each.defines for path, each in headers_beside(seen, Context(tables)).items()}


def test_headers_are_read_at_any_depth(project: Path, tables: Tables) -> None:
    assert found(project, tables, "a.h") == {"a.h": {"WARP=32"}, "b.h": {"cudaFree"}}


@pytest.mark.parametrize("operand", ["../secret.h", "linked.h", "data.bin", "none.h", "cuda_runtime.h", "inner", ""])
def test_nothing_else_is_read(project: Path, tables: Tables, operand: str) -> None:
    assert found(project, tables, operand) == {}


def test_what_is_translated_anyway_is_not_read_twice(project: Path, tables: Tables) -> None:
    both = {str(project / name): Seen(frozenset(), frozenset(), ("a.h",)) for name in ("k.cu", "a.h")}
    assert headers_beside(both, Context(tables)) == {}
