"""Run the benchmarks: `python -m tests.benchmarks [--tree DIR] [--only NAME] [--out docs/benchmarks.md]`."""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from pathlib import Path

from tests.benchmarks import (
    cold_file,
    corpus,
    cpu_target,
    dense_tree,
    emulation,
    nvidia_target,
    processor_time,
    scheduled_build,
    semantic_tree,
    torch_hipify,
    tree_throughput,
    unchanged_tree,
)

BENCHMARKS = {
    "cold_file": cold_file,
    "tree_throughput": tree_throughput,
    "processor_time": processor_time,
    "dense_tree": dense_tree,
    "unchanged_tree": unchanged_tree,
    "semantic_tree": semantic_tree,
    "torch_hipify": torch_hipify,
    "cpu_target": cpu_target,
    "emulation": emulation,
    "nvidia_target": nvidia_target,
    "scheduled_build": scheduled_build,
}


def main() -> None:
    """Measure, print, and write the report if requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, help="a CUDA tree; default: the fixture programs, 20 times over")
    parser.add_argument("--copies", type=int, default=20, help="how often the fixtures are copied without --tree")
    parser.add_argument("--out", type=Path, help="a Markdown file to write")
    parser.add_argument("--only", choices=BENCHMARKS, help="take this one alone")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = arguments.tree or corpus.make_tree(Path(folder) / "tree", arguments.copies)
        chosen = [arguments.only] if arguments.only else BENCHMARKS
        parts = [BENCHMARKS[name].run(tree) for name in chosen]
    name = arguments.tree.name if arguments.tree else f"the fixture programs, {arguments.copies} times over"
    heading = (
        "# Benchmarks\n\nRatios, measured side by side in one run by `make bench`: the median of several rounds, and "
        f"the spread.\nPython {platform.python_version()}, {os.cpu_count()} processors, the tree: {name}.\n"
    )
    report = "\n".join([heading, *parts])
    print(report)
    if arguments.out:
        arguments.out.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
