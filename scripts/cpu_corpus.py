"""Convert a CUDA source tree, build its programs for the CPU, run them, and count what works and why the rest does not.

    python -m scripts.cpu_corpus TREE [--wave-size 32] [--timeout 120] [--only PATTERN]... [--json FILE]

A program is a source with a `main` and the other sources of its folder that have none and that no other includes; one
of them has to be CUDA. g++ compiles them, since its OpenMP is always there.
Its arguments come from `test_args.json` in the tree (as in NVIDIA/cuda-samples) or a file `run` beside it (as in
yuhc/gpu-rodinia). It *passes* if it ends well and says so (PASS, OK...), and *runs* if it ends well and says nothing.

The programs are run: do it in a sandbox only.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from scripts.port_corpus import convert

_SOURCES = (".hip", ".cpp", ".c", ".cc")
_MAIN = re.compile(r"^\s*(?:extern\s+\"C\"\s+)?(?:int|void)?\s*main\s*\(", re.MULTILINE)
_INCLUDE = re.compile(r"^\s*#\s*include\s*\"([^\"]+)\"", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MISSING_HEADER = re.compile(r"fatal error: '?([^':\s]+)'?(?: file not found|: No such file)")
_ERROR = re.compile(r"(?:fatal )?error: (.*)|(undefined reference to .*)")
_GOOD = re.compile(r"\bpass(?:ed)?\b|\bsuccess|\bOK\b|\bcorrect\b|\bverified\b", re.IGNORECASE)
_BAD = re.compile(r"\bfail(?:ed|ure)?\b|\bincorrect\b|\bmismatch", re.IGNORECASE)
_WAIVED = 2
"""The exit status by which a CUDA sample says that this device cannot run it."""


@dataclass(frozen=True, slots=True)
class Program:
    """What is built and run; paths are in the converted tree."""

    name: str
    main: Path
    sources: tuple[Path, ...]
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """How a program fared: passes, runs, fails, is not built, needs a library, needs data, is skipped."""

    program: str
    outcome: str
    reason: str = ""


def programs(tree: Path) -> Iterator[Program]:
    """The programs of a converted tree."""
    texts = {
        path: _COMMENT.sub(" ", path.read_text(errors="replace"))
        for path in sorted(tree.rglob("*"))
        if path.suffix in _SOURCES and path.is_file()
    }
    included = {Path(name).name for text in texts.values() for name in _INCLUDE.findall(text)}
    mains = [path for path, text in texts.items() if _MAIN.search(text)]
    for main in mains:
        others = (path for path in texts if path.is_relative_to(main.parent) and path not in mains)
        sources = (main, *(path for path in others if path.name not in included))
        if any(path.suffix == ".hip" for path in sources):
            yield Program(str(main.relative_to(tree)), main, sources, _arguments(tree, main))


def _arguments(tree: Path, main: Path) -> tuple[str, ...]:
    listed = tree / "test_args.json"
    if listed.is_file():
        spec = json.loads(listed.read_text()).get(main.parent.name, {})
        first = spec["runs"][0] if spec.get("runs") else spec
        return tuple(first.get("args", ()))
    for folder in (main.parent, main.parent.parent):
        if (folder / "run").is_file():
            lines = (folder / "run").read_text(errors="replace").splitlines()
            command = next((line for line in lines if re.match(r"[./\w]*/[\w./+]+(\s|$)", line)), "")
            return tuple(command.partition(">")[0].split()[1:])
    return ()


def needs_display(program: Program) -> str:
    """The graphics or multi-process library that a program includes, if any."""
    text = " ".join(path.read_text(errors="replace") for path in program.main.parent.rglob("*") if path.is_file())
    found = re.search(
        r"#\s*include\s*[<\"]((?:GL|vulkan|EGL|GLES\w*|d3d\w*|mpi|nvsci\w*|cudla|helper_gl)[\w./]*)", text
    )
    return found[1] if found else ""


def build(program: Program, tree: Path, out: Path, wave: str) -> Result | None:
    """Build one program; what went wrong, or None."""
    near = [program.main.parent, program.main.parent.parent, program.main.parent.parent / "common"]
    folders = dict.fromkeys([tree / "Common", tree, *near, *(path.parent for path in program.sources)])
    command = [
        sys.executable,
        "-m",
        "hipport",
        "build",
        "--target",
        "cpu",
        "--wave-size",
        wave,
        "-O",
        "2",
        "--compiler",
        "g++",
    ]
    command += ["--host-flag", "-w", "--host-flag", "-fopenmp", "--link-flag", "-fopenmp"]
    command += [word for folder in folders if folder.is_dir() for word in ("-I", str(folder))]
    command += [str(path) for path in program.sources]
    done = subprocess.run([*command, "-o", str(out)], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 0:
        return None
    if missing := _MISSING_HEADER.search(done.stderr):
        return Result(program.name, "needs a library", missing[1])
    error = _ERROR.search(done.stderr)
    return Result(program.name, "is not built", (error[1] or error[2]) if error else done.stderr.strip()[-200:])


def run(program: Program, binary: Path, timeout: int) -> Result:
    """Run one program in its own folder and judge by its status and its words."""
    missing = [word for word in program.arguments if "/data/" in word and not (program.main.parent / word).exists()]
    if missing:
        return Result(program.name, "needs data", missing[0])
    try:
        done = subprocess.run(
            [binary, *program.arguments], capture_output=True, text=True, errors="replace",
            timeout=timeout, cwd=program.main.parent, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Result(program.name, "fails", f"does not end within {timeout} s")
    said = done.stdout + done.stderr
    unsupported = next((line for line in done.stderr.splitlines() if line.startswith("hipport: ")), "")
    last = (said.strip().splitlines() or ["says nothing"])[-1][:160]
    if done.returncode == _WAIVED:
        return Result(program.name, "is waived", unsupported or last)
    if done.returncode != 0:
        return Result(program.name, "fails", unsupported or f"status {done.returncode}: {last}")
    if _GOOD.search(said) and not _BAD.search(said):
        return Result(program.name, "passes")
    return Result(program.name, "fails" if _BAD.search(said) else "runs", unsupported or last)


def examine(program: Program, tree: Path, wave: str, timeout: int) -> Result:
    """Build and run one program."""
    if library := needs_display(program):
        return Result(program.name, "is skipped", library)
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "program"
        return build(program, tree, binary, wave) or run(program, binary, timeout)


def report(results: list[Result]) -> None:
    """Print the counts and the reasons, the most frequent first."""
    outcomes = collections.Counter(result.outcome for result in results)
    print(f"{len(results)} programs")
    for outcome, count in outcomes.most_common():
        print(f"{count:5d} {outcome}")
        reasons = collections.Counter(r.reason for r in results if r.outcome == outcome and r.reason)
        for reason, times in reasons.most_common():
            example = next(r.program for r in results if r.reason == reason and r.outcome == outcome)
            print(f"      {times:3d}  {reason}  ({example})")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--wave-size", choices=["32", "64"], default="32")
    parser.add_argument("--rocm", default="7.2", help="the release whose names the headers of the CPU target know")
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--only", action="append", help="programs whose path matches")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(options.tree, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        out = Path(folder) / "converted"
        _, summary = convert(tree, out, options.rocm)
        print(summary, file=sys.stderr)
        for program in programs(out):
            if options.only and not any(fnmatch.fnmatch(program.name, pattern) for pattern in options.only):
                continue
            results.append(examine(program, out, options.wave_size, options.timeout))
            print(*asdict(results[-1]).values(), sep="  ", file=sys.stderr, flush=True)
            if options.json:
                options.json.write_text(json.dumps([asdict(result) for result in results], indent=1))
    report(results)


if __name__ == "__main__":
    main()
