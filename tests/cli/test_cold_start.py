"""What a command imports decides how long it takes to start, so these tests count it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fixtures.programs import ROOT

_PROGRAM = """
import sys
from hipport.cli import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
_CROSS_LANE = ROOT / "warp_votes" / "warp_votes.cu"
_SLOW = {
    *("dataclasses", "difflib", "pathspec", "pygments", "rich", "yaml", "multiprocessing", "asyncio", "elftools"),
    *("hashlib", "json", "signal", "subprocess", "tempfile", "importlib.resources", "tree_sitter_cpp"),
}
"""Modules that take as long to import as many of hipport's together."""


def imported(arguments: Sequence[str], folder: Path) -> set[str]:
    """Return the modules that a command has imported at its end, with the compiled tables in the cache."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder)}
    command = [sys.executable, "-c", _PROGRAM, *arguments]
    for _ in range(2):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("arguments", "most"), [(["--help"], 10), (["convert", "--stdout", str(_CROSS_LANE)], 233)], ids=["help", "convert"]
)
def test_a_cold_start_imports_little(arguments: Sequence[str], most: int, tmp_path: Path) -> None:
    modules = imported(arguments, tmp_path)
    assert modules & _SLOW == set()
    own = {name for name in modules if name.partition(".")[0] == "hipport"}
    assert "hipport.cli" in own and len(own) <= most, len(own)


def test_checks_and_passes_are_imported_for_files_with_their_words(tmp_path: Path) -> None:
    modules = imported(["convert", "--stdout", str(_CROSS_LANE)], tmp_path)
    assert {"hipport.translate.hazards.logical_warps", "hipport.translate.passes.cross_lane"} <= modules
    assert "hipport.translate.hazards.texture_references" not in modules
    assert "hipport.translate.passes.typenames" not in modules


_OPENED = """
import sys
opened = []
sys.addaudithook(lambda event, found: opened.append(str(found[0])) if event == "open" else None)
from hipport.cli import main
try:
    main()
finally:
    print(*(path for path in opened if path.endswith(".cu")), sep="\\n", file=sys.stderr)
"""


def test_a_source_that_is_up_to_date_is_opened_once_to_look_and_once_to_be_sure(tmp_path: Path) -> None:
    """The second time is for what was written just now, whose times cannot be trusted yet."""
    tree, out = tmp_path / "tree", tmp_path / "out"
    tree.mkdir()
    for name in ("a.cu", "b.cu"):
        (tree / name).write_text("#include <cuda.h>\nint main() { return cudaFree(0); }\n")
        later = time.time() + 60  # so that it was "just now" on a busy machine, too
        os.utime(tree / name, (later, later))
    command = [sys.executable, "-c", _OPENED, "convert", str(tree), "-o", str(out), "-j", "1"]
    first, again = (subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(2))
    assert "2 changed" in first.stderr and "up to date" in again.stderr
    opened = [Path(line).name for line in again.stderr.splitlines() if line.endswith(".cu")]
    assert sorted(opened) == ["a.cu", "a.cu", "b.cu", "b.cu"]


def _patterns(folder: Path) -> Path:
    (found,) = (folder / "hipport").glob("patterns-*.bin")
    return found


def test_compiled_patterns_are_kept_for_the_next_command(tmp_path: Path) -> None:
    def converted(file: Path) -> str:
        command = [sys.executable, "-m", "hipport", "convert", "--stdout", str(file)]
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    first = converted(_CROSS_LANE)
    size, when = _patterns(tmp_path).stat().st_size, _patterns(tmp_path).stat().st_mtime_ns
    assert size > 20_000
    assert converted(_CROSS_LANE) == first
    assert _patterns(tmp_path).stat().st_mtime_ns == when, "nothing was new"
    converted(ROOT / "stencil2d" / "stencil2d.cu")
    assert _patterns(tmp_path).stat().st_size > size, "those of another file were added"
    _patterns(tmp_path).write_bytes(b"damaged")
    assert converted(_CROSS_LANE) == first


def test_help_does_not_import_archives_to_find_its_width(tmp_path: Path) -> None:
    assert imported(["--help"], tmp_path) & {"shutil", "zlib", "bz2", "lzma"} == set()


@pytest.mark.parametrize("columns", ["", "0", "x", "-3", "20", "61", "79", "200"])
def test_help_is_as_wide_as_click_would_have_it(columns: str) -> None:
    program = "import sys\nfrom hipport.cli import lazy\n{}\nfrom hipport.cli import main\nmain()\n"
    plain = "import shutil\nlazy._columns = lambda: shutil.get_terminal_size().columns"
    environment = {**os.environ, "COLUMNS": columns}
    ours, clicks = (
        subprocess.run(
            [sys.executable, "-c", program.format(change), "--help"],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for change in ("", plain)
    )
    assert ours == clicks and "Commands:" in ours
