"""Fuzz targets for what a source tree brings along: settings, tables, databases, hipport's own state, measurements."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import suppress

from hipport.bench.p2p.measurements import read_result
from hipport.bench.p2p.picture import svg
from hipport.bench.p2p.table import tables
from hipport.builds.database import database_targets
from hipport.builds.project_file import has_targets, read_targets
from hipport.errors import HipportError
from hipport.init.draft import draft
from hipport.mappings.overlays import read_overlays
from hipport.project.settings import find_settings
from hipport.project.state import manifest, memory
from hipport.report import baseline
from tests.fuzz.target import ROOT, Target, folder_with


def _settings(data: bytes) -> None:
    """Read the bytes as `hipport.toml`: what concerns translation, then the targets."""
    with folder_with({"hipport.toml": data}) as folder:
        with suppress(HipportError):
            find_settings([str(folder)])
        with suppress(HipportError):
            read_targets(folder)


def _tables(data: bytes) -> None:
    """Read the bytes as a project's own mapping table."""
    with folder_with({"own.yaml": data}) as folder, suppress(HipportError):
        assert read_overlays((str(folder / "own.yaml"),)).contents


def _database(data: bytes) -> None:
    """Read the bytes as `compile_commands.json`; HERE stands for the folder."""
    with folder_with({"a.cu": b"int main() {}\n", "b.cu": b""}) as folder, suppress(HipportError):
        (folder / "compile_commands.json").write_bytes(data.replace(b"HERE", os.fsencode(folder)))
        assert database_targets(folder / "compile_commands.json")


def _draft(data: bytes) -> None:
    """Draft settings from the bytes as `CMakeLists.txt`; hipport must be able to read what it drafts."""
    with folder_with({"CMakeLists.txt": b"project(p CUDA)\n" + data, "a.cu": b"", "b.cpp": b""}) as folder:
        try:
            drafted = draft(folder, None)
        except HipportError:
            return
        (folder / "hipport.toml").write_text(drafted.text, encoding="utf-8")
        find_settings([str(folder)])
        if has_targets(folder):
            read_targets(folder)


def _state(data: bytes) -> None:
    """Read the bytes as each file of `.hipport`."""
    memory.from_bytes(data)
    text = data.decode(errors="replace")
    with suppress(HipportError):
        manifest.from_text(text, "manifest.json")
    with suppress(HipportError):
        baseline.from_text(text, "baseline.json")


def _bench(data: bytes) -> None:
    """Show a stored measurement as table and picture."""
    with folder_with({"result.json": data}) as folder, suppress(HipportError):
        result = read_result(folder / "result.json")
        ElementTree.fromstring(svg(result))
        assert len(list(tables(result))) >= len(result.ways)


def _setting_seeds() -> Iterator[bytes]:
    yield from (path.read_bytes() for path in sorted((ROOT / "fixtures").rglob("hipport.toml")))
    yield b'mappings = ["own.yaml"]\nrocm = "6.2"\nlibs = "roc"\nwave-size = 32\nselect = ["HP1"]\nbaseline = "b"\n'
    yield b'[targets.a]\nkind = "static"\nsources = ["*.cu", "**/b.cpp"]\ndefines = ["A=1"]\nstd = "c++17"\n'
    yield b'per-file-ignores = { "a/*" = ["HP2"] }\n[targets.a]\nsources = ["a.cu"]\nlibraries = ["b"]\n[targets.b]\n'


def _table_seeds() -> Iterator[bytes]:
    for folder in ("mappings", "fixtures"):
        yield from (path.read_bytes() for path in sorted((ROOT / folder).rglob("*.yaml")))


_COMMANDS = (
    b'[{"directory": "HERE", "file": "a.cu", "command": "nvcc -DA=1 -Iinc -std=c++17 -c a.cu -o a.o"}]',
    b'[{"directory": "HERE", "file": "a.cu", "arguments": ["nvcc", "-x", "cu", "a.cu"]},'
    b' {"directory": "HERE", "file": "b.cu", "arguments": ["nvcc", "-isystem", "x", "--options-file", "y", "b.cu"]}]',
)
_DRAFTS = (
    b"add_executable(a a.cu b.cpp)\ntarget_link_libraries(a PRIVATE b cublas)\nadd_library(b STATIC b.cpp)\n",
    b"set(S a.cu)\nfile(GLOB T *.cpp)\nadd_library(c ${S} ${T})\ntarget_include_directories(c PUBLIC . ../x)\n"
    b"if(A)\nadd_subdirectory(.)\nendif()\ntarget_compile_definitions(c PRIVATE N=1)\n",
)
_TOML = ("[targets.", "[[", "'''", "\\u0000", "**", "..", "sources", "kind", "1e400", "1979-05-27", "inf")
_YAML = ("&a", "*a", "!!python/object:", "|", ">-", "? ", "<<: ", "{", "[", "---", "%YAML", "extends:", "names:")
_JSON = ("null", "NaN", "1e999", "[", "]", "{", "}", '"', "\\ud800", "\\u0000", "arguments", "command", "@x")
_CMAKE = ("${", "}", "$<", "[[", "]]", "if(", "endif()", "foreach(", "function(", "include(", "GLOB_RECURSE", '"')

TREE_TARGETS = {
    "settings": Target(_settings, _setting_seeds, _TOML),
    "tables": Target(_tables, _table_seeds, _YAML),
    "database": Target(_database, lambda: _COMMANDS, _JSON),
    "draft": Target(_draft, lambda: _DRAFTS, _CMAKE),
    "state": Target(_state, lambda: [b'{"schema": 1, "setup": {}, "files": {"a": {"input": "00"}}}', b"[[[["]),
    "bench": Target(_bench, lambda: (path.read_bytes() for path in sorted((ROOT / "docs/data").glob("p2p-*.json")))),
}
