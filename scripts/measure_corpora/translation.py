"""Converting a tree, with the time that it takes."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tree_sitter
import tree_sitter_cpp

from scripts.measure_corpora.findings import Findings, findings

_SELECTS = re.compile(r"HIP is selected only where (\w+) is defined")
_SOURCES = {".cu", ".cuh", ".h", ".hpp", ".hh", ".hxx", ".c", ".cc", ".cpp", ".cxx", ".inl", ".inc"}


@dataclass(frozen=True)
class Translation:
    """A converted tree: where its files come from, what was reported, and what it took."""

    source: Path
    out: Path
    origins: Mapping[Path, Path]
    findings: Findings
    seconds: float
    selecting: tuple[str, ...] = ()
    """The macros of the tree by which its own port is compiled."""


def translated(tree: Path, out: Path, words: Sequence[str]) -> Translation:
    """Convert a tree with one process; `words` are further options."""
    report = out.with_suffix(".json")
    command = [sys.executable, "-m", "hipport", "convert", str(tree), "-o", str(out), "-j", "1"]
    command += ["--report", str(report), "--no-gitignore", "--max-diagnostics", "1", *words]
    before = _children()
    # As installed: with the byte code that Python keeps.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, env=environment, capture_output=True, check=False)
    seconds = _children() - before
    told = json.loads(report.read_text())
    origins = {Path(file["target"]).resolve(): Path(file["source"]).resolve() for file in told["files"]}
    selecting = {match[1] for found in told["diagnostics"] if (match := _SELECTS.match(found["message"]))}
    return Translation(tree, out, origins, findings(told["diagnostics"]), seconds, tuple(sorted(selecting)))


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def target_of(unit: Path, translation: Translation) -> Path:
    """Return the translation of a source."""
    resolved = unit.resolve()
    return next((target for target, source in translation.origins.items() if source == resolved), unit)


def parse_seconds(translation: Translation) -> float:
    """Return how long a bare parse of the sources that were translated takes."""
    texts = [path.read_bytes() for path in translation.origins.values() if path.suffix in _SOURCES and path.is_file()]
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
    start = time.process_time()
    for text in texts:
        parser.parse(text)
    return time.process_time() - start


def words_for(texts: Iterable[str], tree: Path) -> list[str]:
    """Return the words that `TREE=WORD` options give for a tree."""
    return [
        word for name, _, text in (text.partition("=") for text in texts) if name == tree.name for word in text.split()
    ]
