"""Measure trees with a port to HIP of their own: what compiles as HIP before `hipport convert` must compile after it.

    python -m scripts.measure_ports TREE... --json FILE [--units 8] [--seed 19] [-I DIR]... [--option TREE=WORD]...
                                    [--rocm 6.4] [--arch gfx90a] [--compiler 'clang++ -x hip ...']
    python -m scripts.measure_ports --table FILE

Units are drawn from the CUDA and HIP sources of a tree, and from those in C and C++ that include HIP's headers at any
depth. Each is compiled without code generation, for host and device: as it is, then as hipport translates or copies it,
with the same options and the same folders of headers in the tree. `--option` gives the macros by which the build of the
port selects HIP. The translation is translated once more, which should change nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from hipport.files.include_lines import include_lines
from hipport.files.includes import by_name, reached, resolve_include
from scripts.measure_corpora.command import tree_arguments
from scripts.measure_corpora.findings import Findings
from scripts.measure_corpora.results import Unit
from scripts.measure_corpora.translation import Translation, translated, words_for
from scripts.measure_corpora.units import compile_unit
from scripts.port_corpus import read_tree

_DEVICE = {".cu", ".hip"}
_HOST = {".c", ".cc", ".cpp", ".cxx", ".C"}
_HEADERS = {".h", ".hh", ".hpp", ".hxx", ".H", ".cuh", ".inl", ".inc", ".tpp"}
_HIP_HEADER = re.compile(
    r"hip/|hip(?:blas|fft|sparse|rand|solver|cub)\b|roc(?:blas|fft|sparse|rand|solver|prim)\b|rccl\b"
)


@dataclass(frozen=True)
class UnitCompared:
    """The outcomes of a unit's original and of its translation, and the first error of each."""

    unit: str
    before: str
    after: str
    error_before: str = ""
    error: str = ""

    @property
    def is_harmed(self) -> bool:
        """Return whether the unit compiled as HIP before its conversion only."""
        return self.before == "compiles" != self.after


@dataclass(frozen=True)
class Compared:
    """The results of a tree: those of its units, and the files that a second conversion changes."""

    units: list[UnitCompared]
    unstable: list[str]


def compared(path: Path, arguments: argparse.Namespace) -> Compared:
    """Compile some units of a tree before and after a conversion, and convert the result once more."""
    options = [f"--offload-arch={arguments.arch}", "-w", "-std=c++17", "-ferror-limit=0", "-fsyntax-only"]
    command = [*shlex.split(arguments.compiler), *options, *words_for(arguments.option, path)]
    search = [word for include in arguments.include for word in ("-idirafter", include)]
    release = ["--rocm", arguments.rocm] if arguments.rocm else []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve() / "in"  # headers that CMake would configure are written into it
        shutil.copytree(path, copy, symlinks=True)
        translation = translated(copy, Path(folder).resolve() / "out", release)
        original = Translation(copy, copy, {}, Findings({}, {}), 0)
        again = translated(translation.out, Path(folder).resolve() / "again", release)
        unstable = sorted(_changed(translation.out, again))
        rows = []
        for unit in drawn(copy, arguments.units, arguments.seed):
            before = compile_unit(unit, original, read_tree(copy), [*command, *search], [])
            with_support = [*command, "-I", str(translation.out), *search]
            after = compile_unit(unit, translation, read_tree(translation.out), with_support, [])
            rows.append(
                UnitCompared(before.unit, before.outcome, after.outcome, _first_error(before), _first_error(after))
            )
        return Compared(rows, unstable)


def drawn(tree: Path, count: int, seed: int) -> list[Path]:
    """Return some units of a tree at random, of device code and of code that includes HIP's headers."""
    texts = {str(path): path.read_bytes() for path in sorted(tree.rglob("*")) if _is_source(path)}
    operands = {path: [line.operand for line in include_lines(data)] for path, data in texts.items()}
    named = by_name(texts)
    edges = {path: list(_resolved(path, names, named)) for path, names in operands.items()}
    of_hip = {path for path, names in operands.items() if any(map(_HIP_HEADER.match, names))}
    host = (path for path in texts if Path(path).suffix in _HOST and not of_hip.isdisjoint(reached(path, edges)))
    units = sorted({*host, *(path for path in texts if Path(path).suffix in _DEVICE)})
    random.Random(seed).shuffle(units)
    return [Path(path) for path in units[:count]]


def _resolved(path: str, operands: Iterable[str], named: Mapping[str, list[str]]) -> Iterator[str]:
    found = (resolve_include(operand, path, named) for operand in operands)
    yield from (each for each in found if each is not None)


def _is_source(path: Path) -> bool:
    return path.suffix in _DEVICE | _HOST | _HEADERS and path.is_file() and not path.is_symlink()


def _changed(first: Path, again: Translation) -> Iterator[str]:
    """Yield the files of a translation that its own translation changes, relative to it."""
    for target, source in again.origins.items():
        if target.is_file() and source.is_file() and target.read_bytes() != source.read_bytes():
            yield str(source.relative_to(first))


def _first_error(unit: Unit) -> str:
    return f"{unit.errors[0].path}:{unit.errors[0].line}: {unit.errors[0].message}" if unit.errors else ""


def table(trees: dict[str, Compared]) -> list[str]:
    """Return the rows of the table for docs/corpora.md."""
    heads = [
        "tree",
        "units",
        "compile as HIP before",
        "of these after",
        "compile after only",
        "harmed",
        "changed again",
    ]
    rows = [heads, ["---"] * len(heads)]
    rows += [[name, *map(str, _counts(found))] for name, found in trees.items()]
    units = [each for found in trees.values() for each in found.units]
    rows.append(
        ["all", *map(str, _counts(Compared(units, [each for found in trees.values() for each in found.unstable])))]
    )
    return [f"| {' | '.join(row)} |" for row in rows]


def _counts(found: Compared) -> list[int]:
    before = [each for each in found.units if each.before == "compiles"]
    harmed = sum(each.is_harmed for each in found.units)
    gained = sum(each.after == "compiles" != each.before for each in found.units)
    return [len(found.units), len(before), len(before) - harmed, gained, harmed, len(found.unstable)]


def main() -> None:
    """Measure trees, or write the table."""
    parser = tree_arguments(__doc__)
    parser.add_argument("--table", type=Path, metavar="JSON")
    arguments = parser.parse_args()
    if arguments.table:
        print("\n".join(table(read(arguments.table))))
        return
    done = read(arguments.json) if arguments.json.is_file() else {}
    for path in arguments.trees:
        done[path.name] = compared(path.resolve(), arguments)
        arguments.json.write_text(json.dumps({name: asdict(rows) for name, rows in done.items()}, indent=1))


def read(path: Path) -> dict[str, Compared]:
    """Return the results in a JSON file."""
    found = json.loads(path.read_text())
    return {
        name: Compared([UnitCompared(**row) for row in each["units"]], each["unstable"]) for name, each in found.items()
    }


if __name__ == "__main__":
    main()
