"""Measure trees with a port to HIP of their own: what compiles as HIP before `hipport convert` must compile after it.

    python -m scripts.measure_ports TREE... --json FILE [--units 8] [--seed 19] [-I DIR]... [--option TREE=WORD]...
                                    [--rocm 6.4] [--arch gfx90a] [--compiler 'clang++ -x hip ...']
    python -m scripts.measure_ports --table FILE

Units are drawn as `scripts.measure_corpora` draws them. Each is compiled without code generation, for host and device:
as it is, then as hipport translates or copies it, with the same options and the same folders of headers in the tree.
`--option` gives the macros by which the build of the port selects HIP.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from scripts.measure_corpora import Findings, Translation, Unit, compile_unit, drawn, translated, words_for
from scripts.port_corpus import read_tree


@dataclass(frozen=True)
class Compared:
    """The outcomes of a unit's original and of its translation, and the first error of the latter."""

    unit: str
    before: str
    after: str
    error: str = ""

    @property
    def is_harmed(self) -> bool:
        """Return whether the unit compiled as HIP before its conversion only."""
        return self.before == "compiles" != self.after


def compared(path: Path, arguments: argparse.Namespace) -> list[Compared]:
    """Compile some units of a tree before and after a conversion."""
    options = [f"--offload-arch={arguments.arch}", "-w", "-std=c++17", "-ferror-limit=0", "-fsyntax-only"]
    command = [*shlex.split(arguments.compiler), *options, *words_for(arguments.option, path)]
    search = [word for include in arguments.include for word in ("-idirafter", include)]
    release = ["--rocm", arguments.rocm] if arguments.rocm else []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve() / "in"  # headers that CMake would configure are written into it
        shutil.copytree(path, copy, symlinks=True)
        translation = translated(copy, Path(folder).resolve() / "out", release)
        original = Translation(copy, copy, {}, Findings({}, {}), 0)
        rows = []
        for unit in drawn(copy, arguments.units, arguments.seed)[1]:
            before = compile_unit(unit, original, read_tree(copy), [*command, *search], [])
            with_support = [*command, "-I", str(translation.out), *search]
            after = compile_unit(unit, translation, read_tree(translation.out), with_support, [])
            rows.append(Compared(before.unit, before.outcome, after.outcome, _first_error(after)))
        return rows


def _first_error(unit: Unit) -> str:
    return f"{unit.errors[0].path}:{unit.errors[0].line}: {unit.errors[0].message}" if unit.errors else ""


def table(trees: dict[str, list[Compared]]) -> list[str]:
    """Return the rows of the table for docs/corpora.md."""
    heads = ["tree", "units", "compile as HIP before", "of these after", "compile after only", "harmed"]
    rows = [heads, ["---"] * len(heads)]
    rows += [[name, *map(str, _counts(found))] for name, found in trees.items()]
    rows.append(["all", *map(str, _counts([each for found in trees.values() for each in found]))])
    return [f"| {' | '.join(row)} |" for row in rows]


def _counts(found: Sequence[Compared]) -> list[int]:
    before = [each for each in found if each.before == "compiles"]
    harmed = sum(each.is_harmed for each in found)
    gained = sum(each.after == "compiles" != each.before for each in found)
    return [len(found), len(before), len(before) - harmed, gained, harmed]


def main() -> None:
    """Measure trees, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", type=Path, nargs="*")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--units", type=int, default=8, help="at most so many of each tree")
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("-I", dest="include", action="append", default=[], help="headers of libraries")
    parser.add_argument("--option", action="append", default=[], metavar="TREE=WORD")
    parser.add_argument("--rocm", metavar="REL")
    parser.add_argument("--arch", default="gfx90a")
    parser.add_argument("--compiler", default="hipcc", help="and options for it (default: hipcc)")
    parser.add_argument("--table", type=Path, metavar="JSON")
    arguments = parser.parse_args()
    if arguments.table:
        print("\n".join(table(read(arguments.table))))
        return
    done = read(arguments.json) if arguments.json.is_file() else {}
    for path in arguments.trees:
        done[path.name] = compared(path.resolve(), arguments)
        arguments.json.write_text(json.dumps({name: [asdict(each) for each in rows] for name, rows in done.items()}))


def read(path: Path) -> dict[str, list[Compared]]:
    """Return the results in a JSON file."""
    return {name: [Compared(**row) for row in rows] for name, rows in json.loads(path.read_text()).items()}


if __name__ == "__main__":
    main()
