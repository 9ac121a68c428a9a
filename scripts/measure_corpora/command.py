"""The arguments of commands that measure trees: which units of them, and how these are compiled."""

from __future__ import annotations

import argparse
from pathlib import Path


def tree_arguments(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the arguments for trees, to which a command adds its own."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", type=Path, nargs="*")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--units", type=int, default=8, help="at most so many of each tree")
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("-I", dest="include", action="append", default=[], help="headers of libraries")
    parser.add_argument("--option", action="append", default=[], metavar="TREE=WORD", help="for all compilers")
    parser.add_argument("--rocm", metavar="REL")
    parser.add_argument("--arch", default="gfx90a")
    parser.add_argument("--compiler", default="hipcc", help="and options for it (default: hipcc)")
    return parser
