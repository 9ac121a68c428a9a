"""Convert a CUDA tree with its build files and count the projects in it that configure and build.

Usage: python -m scripts.port_build_files make|cmake TREE [--below FOLDER] -o OUT

`make`: a project is a folder directly below FOLDER with a Makefile; it builds if `make` succeeds and creates a
program with code for AMD GPUs. `cmake`: a project is a CMakeLists.txt that calls project(); it counts if CMake
configures it. This executes the build files of the tree: only use it for trees that you trust, on a machine that you
can lose.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hipport import codeobject
from hipport.errors import HipportError
from hipport.support import cmake_dir

SECONDS = 600
MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
ERROR = re.compile(r"^.*?(?:error:|Error at|\*\*\*|undefined reference|cannot find|No such file).*$", re.MULTILINE)
NEXT = re.compile(r"Error at .*\n\s*(?P<why>.*(?: to:\n\s*\S+| of\n.*)?)")


@dataclass(frozen=True)
class Result:
    """The result of one project: `why` is the first error line, or empty."""

    name: str
    why: str = ""


def convert(tree: Path, out: Path) -> None:
    """Translate the tree for the installed HIP."""
    command = [sys.executable, "-m", "hipport", "convert", str(tree), "-o", str(out), "--max-diagnostics", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stderr.strip().rpartition("\n")[2], flush=True)


def run(command: list[str], folder: Path) -> tuple[int, str]:
    """Run a tool; return its exit status and output."""
    environment = {**os.environ, "HIP_PLATFORM": "amd", "HCC_AMDGPU_TARGET": "gfx90a", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return 1, f"error: not done in {SECONDS} s"
    return done.returncode, done.stdout + done.stderr


def reason(said: str) -> str:
    """Return the first error line, without its location."""
    text = re.sub(r"In file included from.*\n", "", said)
    configured = NEXT.search(text)
    if configured:
        return re.sub(r'^Target "\S+" |\s+', lambda m: "" if m[0].startswith("T") else " ", configured["why"].strip())[
            :110
        ]
    match = ERROR.search(text)
    line = match[0] if match else "no program with code for AMD GPUs"
    return re.sub(r"^\S+:\d+(:\d+)?: (fatal )?", "", line).strip()[:110]


def has_gpu_code(folder: Path) -> bool:
    """Return whether a folder holds a program or object with code for AMD GPUs."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and os.access(path, os.X_OK) and path.read_bytes()[:4] == b"\x7fELF":
            try:
                if any(entry.target_id for bundle in codeobject.read(path).bundles for entry in bundle.entries):
                    return True
            except HipportError:
                continue
    return False


def made(folder: Path) -> Iterator[Result]:
    """Run make in each folder that has a Makefile."""
    for project in sorted(path for path in folder.iterdir() if any((path / name).is_file() for name in MAKEFILES)):
        status, said = run(["make", "-k"], project)
        good = status == 0 and has_gpu_code(project)
        yield Result(project.name, "" if good else reason(said))


def configured(folder: Path) -> Iterator[Result]:
    """Configure each CMakeLists.txt that calls project()."""
    toolchain = cmake_dir() / "distribution.cmake"
    for file in sorted(folder.rglob("CMakeLists.txt")):
        if not re.search(r"^\s*project\s*\(", file.read_text(errors="replace"), re.MULTILINE | re.IGNORECASE):
            continue
        with tempfile.TemporaryDirectory() as build:
            options = [f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", "-DCMAKE_HIP_ARCHITECTURES=gfx90a", "-G", "Ninja"]
            status, said = run(["cmake", "-S", str(file.parent), "-B", build, *options], folder)
        yield Result(str(file.parent.relative_to(folder)), reason(said) if status else "")


def main() -> None:
    """Convert, try each project, and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("make", "cmake"))
    parser.add_argument("tree", type=Path)
    parser.add_argument("--below", default=".", help="the folder of the tree with the projects")
    parser.add_argument("-o", "--output", type=Path, required=True, help="where the translation goes")
    options = parser.parse_args()
    convert(options.tree, options.output)
    results = []
    for result in (made if options.kind == "make" else configured)(options.output / options.below):
        results.append(result)
        print(f"{'ok  ' if not result.why else 'FAIL'} {result.name}{': ' * bool(result.why)}{result.why}", flush=True)
    print(f"{sum(not result.why for result in results)} of {len(results)}")
    for why, count in Counter(result.why for result in results if result.why).most_common():
        print(f"{count:>5}  {why}")


if __name__ == "__main__":
    main()
