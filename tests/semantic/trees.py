"""Run hipport's own code on trees, with libclang."""

from __future__ import annotations

import sysconfig
from collections.abc import Mapping
from pathlib import Path

from hipport.mappings.choice import NameChoice
from hipport.project.request import ConvertRequest, Mode, Report, Semantic
from hipport.project.run import run
from hipport.semantic.project import meanings_of
from hipport.translate.context import Options

ROOT = Path(__file__).parents[2]
CUDA = Path(sysconfig.get_path("purelib")) / "nvidia" / "cu13"
"""An installation as far as headers go: Python's packages of CUDA 13, which the tests need."""
NAMES = NameChoice(rocm="7.2")


def convert(tree: Path, out: Path, semantic: Semantic | None, **options: object) -> Report:
    """Translate a tree into a folder."""
    request = ConvertRequest(
        (str(tree),), Mode.OUTPUT, Options(), NAMES, str(out), jobs=1, semantic=semantic, **options
    )  # type: ignore[arg-type]
    return run(request, lambda done, total: None, find_meanings=meanings_of)


def contents(folder: Path) -> dict[str, str]:
    """Return the files below a folder, except hipport's state."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and ".hipport" not in path.parts)
    return {str(path.relative_to(folder)): path.read_text() for path in paths}


def findings(report: Report) -> list[str]:
    """Return the findings, with file names instead of paths."""
    return [f"{Path(d.path).name}:{d.line}:{d.column}: {d.code}: {d.message}" for d in report.diagnostics]


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Create a tree."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
