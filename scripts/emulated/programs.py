"""The programs that are run emulated: how each is built, and what it prints if all is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hipport.llm.harness.kernel import kernels
from hipport.mappings.loader import load
from hipport.translate.context import Context
from hipport.translate.convert import convert_source
from tests.fixtures import programs as fixtures
from tests.translate.ptx.program import FOLDER as PTX
from tests.translate.ptx.program import MEMORY, cases, program

ROOT = Path(__file__).parents[2]
CPU = ROOT / "tests" / "cpu" / "programs"
COMPAT = ROOT / "fixtures" / "compat"

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1151", "gfx1201")

_COMPAT = (
    ("groups", "groups.hip", r"^PASS: groups, wavefronts of (32|64)$"),
    ("launches", "launches.hip", "^PASS: launches$"),
    ("graph_edges", "graph_edges.hip", "^PASS: graph edges$"),
    ("compat surfaces", "surfaces.hip", "^PASS: surfaces$"),
    ("fragments", "fragments.cu", "^PASS: fragments of 136 kinds$"),
    ("roots", "roots.cu", "^PASS: roots of 4096 numbers$"),
    ("unfused", "unfused.cu", "^PASS: every operation is rounded$"),
)
"""Names, sources and outputs; the CPU target has another program of the name surfaces."""


@dataclass(frozen=True)
class Program:
    """A program; `expect` is a regular expression for its output, `modules` are built with --genco beforehand."""

    name: str
    kind: str
    sources: tuple[Path, ...]
    expect: str
    options: tuple[str, ...] = ()
    modules: tuple[Path, ...] = ()
    arguments: tuple[str, ...] = ()
    folder: Path = ROOT
    write: Callable[[Path], None] | None = None
    """Writes the source to a path, for programs that are generated."""
    is_slow: bool = False
    """True if it runs for minutes."""
    kernel: bool = False
    """True for a kernel of `hipport llm kernels`, which builds and checks it."""


def _fixture(one: fixtures.Program) -> Program:
    return Program(
        one.name,
        "fixture program",
        tuple(one.folder / name for name in one.sources),
        one.expect,
        tuple(option for name in one.include_dirs for option in ("-I", str(one.folder / name))),
        tuple(one.folder / name for name in one.modules),
        one.args,
        one.folder,
        is_slow=one.name == "transformer_block",
    )


def _write_ptx(path: Path) -> None:
    path.write_bytes(convert_source(program().encode(), "ptx.cu", Context(load())).data)


def all_programs() -> Iterator[Program]:
    """Yield all programs, those of one kind together."""
    for one in fixtures.find():
        yield _fixture(one)
    for name, file, expect in _COMPAT:
        yield Program(name, "compat headers", (COMPAT / file,), expect, ("-std=c++14",))
    # Others of the CPU target's tests call functions that HIP does not have.
    for name in ("memory", "graphs", "graph_objects", "textures", "surfaces"):
        yield Program(name, "CPU target's test", (CPU / f"{name}.hip",), r"\b0 wrong$")
    count = len(cases()) + len(MEMORY)
    right = rf"^0 of {count} instructions are wrong$"
    options = ("-std=c++17", "-I", str(PTX))
    for name in sorted(kernels()):
        slow = "attention" in name
        yield Program(name, "`hipport llm kernels`", (), "correct", is_slow=slow, kernel=True)
    yield Program("inline PTX", f"{count} translated cases", (Path("ptx.hip"),), right, options, write=_write_ptx)
