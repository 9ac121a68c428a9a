"""Convert a CUDA source tree, compile every translated unit, and report which compile and why others do not.

    python scripts/port_corpus.py TREE [-I DIR]... [--only DIR]... [--host] [--arch gfx90a] [--rocm REL] [--syntax-only]
                                  [--compiler 'hipcc'] [--target nvidia] [-j N] [--json FILE] [--keep DIR]

With `--target nvidia` the units are compiled by nvcc, by default for sm_90, as `hipport build --target nvidia` does.

Units that include a header of a missing library (hipBLASLt, OpenGL, MPI...) are counted separately as "needs a
library"; a header of the CUDA toolkit itself that is still included is a failure. Files that fail and that another
file includes are also counted separately: they are parts of its unit. If a header is not found but exists in the
tree, its folder is added to the include path, as the project's own build would do: the folder nearest to the unit.
`-I` folders are relative to the tree, or absolute for headers of libraries. `--only` compiles units below these
folders of the tree; `--host` adds host sources in C++ that the translation changed; `--keep` keeps the translation in
the given folder.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

MISSING_HEADER = re.compile(r"(?:fatal )?error: (?:'(?=[^']+' file not found)|(?=[^ ]+: No such file))([^':]+)")
_ERROR = re.compile(r"error: (.*)")
CUDA_HEADER = re.compile(
    r"(cuda(?!/[\w/]+\.h)|nvfunctional|cooperative_groups|nvtx3|cub/|thrust/|crt/|sm_\d|vector_|math_constants|mma\.h"
    r"|cu(?:blas(?!Lt)|fft|rand|solver|sparse(?!Lt))\w*\.h)"
)
"""Names of toolkit headers with which CUDA code compiles anywhere."""
_INCLUDE = re.compile(r'#\s*include\s*"([^"]+)"')
_FOLDERS = 4
"""The maximum number of header folders to add for one unit."""


@dataclass(frozen=True)
class Result:
    """The result for one translation unit; `reason` is the first error.

    `outcome` is one of: compiles, fails, needs a library, part of a unit.
    """

    unit: str
    outcome: str
    reason: str = ""


def convert(tree: Path, out: Path, rocm: str | None, cuda: str | None = None) -> tuple[int, str]:
    """Run `hipport convert` for a ROCm release or the installed one; return the exit status and the summary line.

    `cuda` is the release that the sources are for.
    """
    command = [sys.executable, "-m", "hipport", "convert", str(tree), "-o", str(out)]
    command += ["--rocm", rocm] if rocm else []
    command += ["--cuda", cuda] if cuda else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.strip().splitlines()[-1]


@dataclass(frozen=True)
class Tree:
    """A translated tree: its files by name, and the paths of those that others include."""

    folder: Path
    names: dict[str, list[Path]]
    included: frozenset[Path]


def read_tree(out: Path) -> Tree:
    """Index the files of a translation."""
    names: dict[str, list[Path]] = collections.defaultdict(list)
    included = set()
    for path in out.rglob("*"):
        if path.is_file():
            names[path.name].append(path)
            if path.suffix in {".hip", ".h", ".cuh", ".cpp", ".cc", ".hpp", ".inl"}:
                found = _INCLUDE.findall(path.read_text("utf-8", "replace"))
                included |= {Path(os.path.normpath(path.parent / name)) for name in found}
    return Tree(out, names, frozenset(included))


def host_units(source: Path, out: Path, parts: list[str]) -> Iterator[Path]:
    """Yield C++ host sources that call CUDA: those that the translation changed."""
    for part in parts:
        paths = [path for path in (out / part).rglob("*") if path.suffix in {".cpp", ".cc", ".cxx"}]
        originals = [(path, source / path.relative_to(out)) for path in paths]
        yield from (path for path, old in originals if old.is_file() and old.read_bytes() != path.read_bytes())


def for_amd(arguments: argparse.Namespace) -> list[str]:
    """Return the command that compiles for AMD GPUs."""
    options = [f"--offload-arch={arguments.arch or 'gfx90a'}", "-w", "-std=c++17", "-ferror-limit=3"]
    return [*shlex.split(arguments.compiler), *options, "-fsyntax-only" if arguments.syntax_only else "-O1"]


def for_nvidia(arguments: argparse.Namespace, headers: Path) -> list[str]:
    """Return the command that compiles for NVIDIA GPUs, after writing the generated headers."""
    from hipport.builds.nvidia.commands import AS_HIP
    from hipport.builds.nvidia.headers import by_hand, write_headers

    write_headers(headers)
    options = ["-x", "cu", f"-arch={arguments.arch or 'sm_90'}", "-w", "-std=c++17", "-O1", *AS_HIP]
    folders = [word for folder in (by_hand(), headers) for word in ("-isystem", str(folder))]
    return ["nvcc", *options, "-include", "hip/hip_runtime.h", *folders]


def compile_unit(unit: Path, tree: Tree, command: list[str]) -> Result:
    """Compile one unit for host and device with `command`, the compiler and its options; classify its first error."""
    name = str(unit.relative_to(tree.folder))
    folders = [unit.parent]
    while True:
        search = [word for folder in folders for word in ("-I", str(folder))]
        code, errors = compiled(unit, [*command, *search])
        missing = MISSING_HEADER.search(errors)
        found = nearest(tree, missing[1], unit) if missing else None
        if found is None or found in folders or len(folders) > _FOLDERS:
            break
        folders.append(found)
    if code == 0:
        return Result(name, "compiles")
    if missing and found is None and not CUDA_HEADER.match(missing[1]):
        return Result(name, "needs a library", missing[1])
    error = _ERROR.search(errors)
    outcome = "part of a unit" if unit in tree.included else "fails"
    return Result(name, outcome, error[1] if error else errors.strip()[-200:])


def compiled(unit: Path, command: list[str]) -> tuple[int, str]:
    """Run the compiler; return its exit status and output."""
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    with tempfile.TemporaryDirectory() as folder:
        command = [*command, "-o", str(Path(folder) / "unit.o"), "-c", str(unit)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, check=False)
    return done.returncode, done.stdout + done.stderr


def nearest(tree: Tree, header: str, unit: Path) -> Path | None:
    """Return the folder that contains a header as spelled, and has the longest path in common with the unit."""
    if header.startswith("../"):
        folders = {path.parent for paths in tree.names.values() for path in paths}
        roots = [folder for folder in folders if (folder / header).is_file()]
    else:
        places = [path for path in tree.names.get(Path(header).name, []) if path.as_posix().endswith("/" + header)]
        roots = [path.parents[len(Path(header).parts) - 1] for path in places]
    return max(roots, key=lambda root: (len(os.path.commonpath([root, unit])), str(root)), default=None)


def main() -> None:
    """Convert, compile, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("-I", dest="include", action="append", default=[])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--host", action="store_true", help="also host sources in C++ that the translation changed")
    parser.add_argument("--target", choices=["amd", "nvidia"], default="amd")
    parser.add_argument("--arch", help="default: gfx90a, or sm_90")
    parser.add_argument("--rocm", metavar="REL")
    parser.add_argument("--compiler", default="hipcc", help="and options for it (default: hipcc)")
    parser.add_argument("--syntax-only", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = arguments.keep or Path(folder) / "out"
        status, summary = convert(arguments.tree, out, arguments.rocm)
        nvidia = arguments.target == "nvidia"
        command = for_nvidia(arguments, Path(folder) / "cuda") if nvidia else for_amd(arguments)
        # hipport's own headers are in the root of the output.
        command += [word for include in [*arguments.include, "."] for word in ("-I", str(out / include))]
        tree = read_tree(out)
        units = sorted(unit for part in arguments.only or ["."] for unit in (out / part).rglob("*.hip"))
        if arguments.host:
            units += sorted(host_units(arguments.tree, out, arguments.only or ["."]))
        with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
            results = list(pool.map(lambda unit: compile_unit(unit, tree, command), units))
    report(status, summary, results)
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(result) for result in results], indent=1))


def report(status: int, summary: str, results: list[Result]) -> None:
    """Print the counts and the reasons."""
    print(f"{summary} (exit status {status})")
    outcomes = collections.Counter(result.outcome for result in results)
    for outcome, count in outcomes.most_common():
        print(f"{count:5d} {outcome}")
    eligible = outcomes["compiles"] + outcomes["fails"]
    print(f"{outcomes['compiles']} of {eligible} units that need no further library compile")
    for wanted in ("fails", "needs a library", "part of a unit"):
        reasons = collections.defaultdict(list)
        for result in results:
            if result.outcome == wanted:
                reasons[result.reason].append(result.unit)
        print(f"\n{wanted}:")
        for reason, units in sorted(reasons.items(), key=lambda item: -len(item[1])):
            print(f"{len(units):5d}  {reason}  ({units[0]})")


if __name__ == "__main__":
    main()
