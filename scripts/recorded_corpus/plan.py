"""Copy and translate CUDA trees, and list their programs.

    python -m scripts.recorded_corpus.plan TREE... -o FOLDER

`FOLDER/plan.json` names of each program the arguments, and the sources and folders of headers in `original` and in
`converted`; its name is the path of its translated main source. `corpus_programs` defines what a program is.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripts.corpus_programs import folders, needs_display, programs
from scripts.port_corpus import convert


def planned(given: Path, out: Path) -> Iterator[dict[str, Any]]:
    """Copy and translate a tree, and yield the entries of its programs."""
    original, converted = out / "original", out / "converted"
    shutil.copytree(given, original / given.name, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    print(given.name, convert(original / given.name, converted / given.name, None)[1], file=sys.stderr, flush=True)

    def before(path: Path) -> str:
        there = original / path.relative_to(converted)
        return str((there if there.exists() else there.with_suffix(".cu")).relative_to(out))

    for program in programs(converted / given.name):
        if needs_display(program):
            continue
        include = folders(program, converted / given.name)
        yield {
            "name": str(program.main.relative_to(converted)),
            "arguments": program.arguments,
            "original": [before(path) for path in program.sources],
            "original_include": [before(folder) for folder in include],
            "converted": [str(path.relative_to(out)) for path in program.sources],
            "converted_include": [str(folder.relative_to(out)) for folder in include],
        }


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", type=Path, nargs="+")
    parser.add_argument("-o", dest="out", type=Path, required=True)
    options = parser.parse_args()
    out = options.out.resolve()
    plan = [entry for tree in options.trees for entry in planned(tree.resolve(), out)]
    (out / "plan.json").write_text(json.dumps(plan, indent=1))
    print(len(plan), "programs")


if __name__ == "__main__":
    main()
