"""The units to compile, their targets, and the resulting statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hipport import codeobject
from hipport.builds.amd.pipeline import Build, prepare
from hipport.builds.request import BuildRequest, CompileSettings, OutputKind
from hipport.codeobject.demangle import demangle
from hipport.codeobject.model import BundleEntry, Kernel
from hipport.errors import HipportError
from hipport.llm.weights.formats import USUAL, Formats
from hipport.toolchain.choice import choose
from hipport.toolchain.compilers import Compiler
from hipport.toolchain.places import Surroundings
from hipport.toolchain.target_id import parse_list
from scripts.amd_code.instructions import Counts, counted

ROOT = Path(__file__).parents[2]
TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100")
_LLM = ROOT / "hipport" / "llm"
_SIMDS = 4  # of a compute unit, or of a pair of them in RDNA


@dataclass(frozen=True, slots=True)
class Unit:
    """A source, its target and the engine's formats; the table uses the usual formats.

    `general`: the width of heads for a general engine; otherwise 0.
    """

    target: str
    source: str
    formats: Formats = USUAL
    general: int = 0

    @property
    def path(self) -> Path:
        return _LLM / f"{self.source}.cu"


@dataclass(frozen=True, slots=True)
class Row:
    """A kernel of a unit. `planned`: the waves per SIMD if a compute unit holds one block of the largest size."""

    target: str
    source: str
    kernel: str
    vgprs: int
    agprs: int | None
    sgprs: int
    vgpr_spills: int
    sgpr_spills: int
    scratch: int
    lds: int
    wave: int
    waves: int
    planned: int
    most: int
    limited_by: str
    counts: Counts

    @property
    def key(self) -> tuple[str, str, str]:
        """The identity of the row, the same in all tables."""
        return self.target, self.source, self.kernel

    @classmethod
    def of_json(cls, record: dict[str, Any]) -> Row:
        """Return the row of a record made by `to_json`."""
        return cls(**{**record, "counts": Counts(**record["counts"])})

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def sources() -> list[str]:
    """Return all sources with kernels: the engine, and the harness with the operators and the versions it compares."""
    found = [_LLM / "engine" / f"{name}.cu" for name in ("batch_step", "engine", "prefill")]
    found += sorted((_LLM / "harness" / "kernels").glob("*.cu"))
    return [str(path.relative_to(_LLM).with_suffix("")) for path in found]


def rows(unit: Unit, folder: Path, where: Surroundings) -> tuple[str, list[Row]]:
    """Compile a unit in `folder`; return the compiler's name and the statistics of the kernels. Raises `HipportError`.

    It is the compiler that builds the engine's library by default.
    """
    compiler = _build(unit, folder, where).choice.compiler
    path = _product(unit, folder)
    found = [row for entry in _entries(path) for row in _rows(unit, path, entry, compiler, where)]
    return shown(compiler), found


def rows_in(library: Path, unit: Unit, kernel: str, folder: Path, where: Surroundings) -> tuple[str, list[Row]]:
    """Like `rows`, of a library that has the unit, the only one with a kernel whose short name begins so."""
    targets = sorted({entry.target_id for entry in _entries(library)})
    compiler = choose(parse_list(targets), where, None).compiler
    entries = [entry for entry in _entries(library) if entry.target_id == unit.target]
    (entry,) = (entry for entry in entries if any(name.startswith(kernel) for name in _short_names(entry).values()))
    path = folder / "library"
    path.write_bytes(library.read_bytes())
    return shown(compiler), list(_rows(unit, path, entry, compiler, where))


def shown(compiler: Compiler) -> str:
    """Return the name of a compiler in the table."""
    return f"{compiler.kind} {compiler.version} (clang {compiler.clang})"


def _build(unit: Unit, folder: Path, where: Surroundings) -> Build:
    request = BuildRequest(
        sources=(str(unit.path),),
        output=str(_product(unit, folder)),
        targets=(unit.target,),
        kind=OutputKind.FAT_BINARY,
        settings=CompileSettings(defines=unit.formats.build_defines(unit.general)),
    )
    made = prepare(request, where)
    made.write()
    for event in made.run():
        if event.failed:
            raise HipportError(f"{unit.source} for {unit.target}: {event.text.strip()[:2000]}")
    made.finish()
    return made


def _rows(unit: Unit, path: Path, entry: BundleEntry, compiler: Compiler, where: Surroundings) -> Iterator[Row]:
    """Yield the statistics of `hipport inspect` for each kernel of an entry, with its instruction counts."""
    bare = path.with_suffix(".co")
    bare.write_bytes(path.read_bytes()[entry.offset : entry.offset + entry.size])
    counts = counted(bare, compiler, where)
    names = _short_names(entry)
    for kernel in entry.kernels:
        yield _row(unit, kernel, names[kernel.name], counts[kernel.name])


def _short_names(entry: BundleEntry) -> dict[str, str]:
    names = demangle(kernel.name for kernel in entry.kernels)
    return {kernel.name: short(names.get(kernel.name, kernel.name)) for kernel in entry.kernels}


def short(name: str) -> str:
    """Return a C++ name without its namespaces, its return type and its parameters."""
    for part in ("(anonymous namespace)::", "hipport_llm::"):
        name = name.replace(part, "")
    return name.removeprefix("void ").split("(", 1)[0]


def _entries(path: Path) -> Iterator[BundleEntry]:
    for bundle in codeobject.read(path).bundles:
        yield from (entry for entry in bundle.entries if entry.content == "code object")


def _product(unit: Unit, folder: Path) -> Path:
    return folder / unit.target / f"{unit.source.replace('/', '-')}.hipfb"


def _row(unit: Unit, kernel: Kernel, name: str, counts: Counts) -> Row:
    fits = kernel.occupancy
    if fits is None:
        raise HipportError(f"the limits of {unit.target} are not known")
    return Row(
        unit.target,
        unit.source,
        name,
        kernel.vgprs,
        kernel.agprs,
        kernel.sgprs,
        kernel.vgpr_spills,
        kernel.sgpr_spills,
        kernel.scratch,
        kernel.lds,
        kernel.wavefront_size,
        fits.waves,
        -(-kernel.max_workgroup_size // (kernel.wavefront_size * _SIMDS)),
        fits.max_waves,
        fits.limited_by,
        counts,
    )
