"""Measure CUDA trees: how many of a few random units compile after `hipport convert`, and which failures it reported.

    python -m scripts.measure_corpora TREE... --json FILE [--units 8] [--seed 19] [-I DIR]... [--option TREE=WORD]...
                                      [--convert TREE=WORD]... [--rocm 6.4] [--arch gfx90a]
                                      [--compiler 'clang++ -x hip ...'] [--original 'nvcc ...']
    python -m scripts.measure_corpora --table BEFORE [AFTER]

The units of a tree are drawn from the sorted paths of its `.cu` files, so that each commit of hipport is measured with
the same. A unit is drawn once, whatever its translation is named. They are compiled without code generation for host
and device, with the macros that the build files of the tree define for CUDA (`scripts.build_definitions`), and those
by which a tree that is left alone selects its own port to HIP, as HP118 names them. The outcomes are:

- compiles;
- needs a library: a header is missing that is neither of the CUDA toolkit nor in the tree;
- needs a macro: an `#error` of the project says so, since the build defines it for each unit;
- part of a unit: it does not compile alone, and another file includes it;
- fails reported: the first error is at a place that an error or warning of hipport names, or about such a name;
- fails unreported: nothing of hipport's is about it;
- fails in CUDA too: it fails, but the original does not compile either (`--original 'nvcc ...'`).

The first error hides others, so all of them are kept as well: those of a unit that are about the same names count once.

Results are added to the JSON file after each tree; units that it contains are not compiled again. `--table` writes the
table for docs/corpora.md. A conversion is timed with one process, in seconds of the processor, and compared with a
bare parse of the same sources.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from scripts.build_definitions import defined_for_cuda
from scripts.measure_corpora.command import tree_arguments
from scripts.measure_corpora.results import FAILURES, Measured, Unit, read
from scripts.measure_corpora.table import table
from scripts.measure_corpora.translation import Translation, parse_seconds, translated, words_for
from scripts.measure_corpora.units import compile_unit, drawn, judged
from scripts.port_corpus import read_tree

_OPTIONS = ("-w", "-std=c++17", "-ferror-limit=0", "-fsyntax-only", "-fshow-overloads=all")


def measure(path: Path, known: Mapping[str, Unit], arguments: argparse.Namespace) -> Measured:
    """Convert a tree, compile its units but for those that are `known`."""
    total, units = drawn(path, arguments.units, arguments.seed)
    own = [*defined_for_cuda(path), *words_for(arguments.option, path)]
    print(path.name, *own, file=sys.stderr)
    release = ["--rocm", arguments.rocm] if arguments.rocm else []
    with tempfile.TemporaryDirectory() as folder:
        out, empty = Path(folder).resolve() / "out", Path(folder) / "empty"
        empty.mkdir()
        start = translated(empty, Path(folder) / "none", release).seconds
        translation = translated(path, out, [*release, *words_for(arguments.convert, path)])
        results = _compiled(translation, units, known, own, arguments)
        return Measured(path.name, total, translation.seconds - start, parse_seconds(translation), results)


def _compiled(
    translation: Translation,
    units: Sequence[Path],
    known: Mapping[str, Unit],
    own: Sequence[str],
    arguments: argparse.Namespace,
) -> list[Unit]:
    """Compile the units of a translation, and the originals of those that fail; `own`: options for both."""
    tree = read_tree(translation.out)
    # hipport's own headers are in the root of the output.
    search = ["-I", str(translation.out), *(word for folder in arguments.include for word in ("-idirafter", folder))]
    selecting = [f"-D{name}" for name in translation.selecting]
    target = f"--offload-arch={arguments.arch}"
    command = [*shlex.split(arguments.compiler), target, *_OPTIONS, *own, *selecting, *search]
    folders: list[Path] = []
    results = [
        known.get(str(unit.relative_to(translation.source))) or compile_unit(unit, translation, tree, command, folders)
        for unit in units
    ]
    if not arguments.original:
        return results
    search = [word for folder in arguments.include for word in ("-I", folder)]
    command = [*shlex.split(arguments.original), *own, *search]
    return [judged(result, translation, tree, command, folders) for result in results]


def main() -> None:
    """Measure trees, or write the table."""
    parser = tree_arguments(__doc__)
    parser.add_argument("--convert", action="append", default=[], metavar="TREE=WORD", help="for hipport convert")
    parser.add_argument("--original", metavar="COMMAND", help="compiles an original unit: nvcc and options for it")
    parser.add_argument("--table", type=Path, nargs="+", metavar="JSON", help="write the table of one or two results")
    arguments = parser.parse_args()
    if arguments.table:
        print("\n".join(table([read(path) for path in arguments.table])))
        return
    done = {tree.tree: tree for tree in read(arguments.json)} if arguments.json.is_file() else {}
    for path in arguments.trees:
        found = done[path.name].results if path.name in done else []
        known = {unit.unit: unit for unit in found if not (arguments.original and unit.outcome in FAILURES)}
        if not known or len(known) < len(drawn(path, arguments.units, arguments.seed)[1]):
            done[path.name] = measure(path.resolve(), known, arguments)
            arguments.json.write_text(json.dumps([asdict(measured) for measured in done.values()], indent=1))


if __name__ == "__main__":
    main()
