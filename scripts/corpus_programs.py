"""Find the programs of a CUDA source tree, and classify the results of building and running them.

A program is a source with a `main` and the other sources of its folder that have no `main` and that no other file
includes; one of them must be CUDA, or include a header of CUDA's libraries. Its arguments come from `test_args.json`
in the tree (as in NVIDIA/cuda-samples) or a file `run` next to it (as in yuhc/gpu-rodinia). It *passes* if it exits
with status 0 and prints a success message (PASS, OK...), and *runs* if it exits with status 0 without one.
"""

from __future__ import annotations

import collections
import json
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_SOURCES = (".hip", ".cpp", ".c", ".cc")
_MAIN = re.compile(r"^\s*(?:extern\s+\"C\"\s+)?(?:int|void)?\s*main\s*\(", re.MULTILINE)
_INCLUDE = re.compile(r"^\s*#\s*include\s*\"([^\"]+)\"", re.MULTILINE)
_RUNTIME = re.compile(r"#\s*include\s*[<\"](?:hip/|hip\w+\.h|hip\w+/)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MISSING_HEADER = re.compile(r"fatal error: '?([^':\s]+)'?(?: file not found|: No such file)")
_ERROR = re.compile(r"(?:fatal )?error: (.*)|(undefined reference to .*)")
_GOOD = re.compile(r"\bpass(?:ed)?\b|\bsuccess|\bOK\b|\bcorrect\b|\bverified\b", re.IGNORECASE)
_BAD = re.compile(r"\bfail(?:ed|ure)?\b|\bincorrect\b|\bmismatch", re.IGNORECASE)
_WAIVED = 2
"""The exit status with which a CUDA sample reports that this device cannot run it."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to build and run; paths are in the converted tree."""

    name: str
    main: Path
    sources: tuple[Path, ...]
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a program: passes, runs, fails, is not built, is waived, is skipped, needs data or a library.

    Where outputs are compared, it is equal or differs.
    """

    program: str
    outcome: str
    reason: str = ""


def programs(tree: Path) -> Iterator[Program]:
    """Yield the programs of a converted tree."""
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
        if any(path.suffix == ".hip" or _RUNTIME.search(texts[path]) for path in sources):
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
    """Return the graphics or multi-process library that a program includes, if any."""
    text = " ".join(path.read_text(errors="replace") for path in program.main.parent.rglob("*") if path.is_file())
    found = re.search(
        r"#\s*include\s*[<\"]((?:GL|vulkan|EGL|GLES\w*|d3d\w*|mpi|nvsci\w*|cudla|helper_gl)[\w./]*)", text
    )
    return found[1] if found else ""


def folders(program: Program, tree: Path) -> tuple[Path, ...]:
    """Return the folders that may contain a program's headers."""
    near = [program.main.parent, program.main.parent.parent, program.main.parent.parent / "common"]
    found = dict.fromkeys([tree / "Common", tree, *near, *(path.parent for path in program.sources)])
    return tuple(folder for folder in found if folder.is_dir())


def ran(
    program: Program, binary: Path, timeout: int, processor: int | None = None
) -> subprocess.CompletedProcess[str] | Result:
    """Run a program in its own folder; return the process, or a result if it cannot be run or times out.

    `processor` limits its processor time, in seconds.
    """
    missing = [word for word in program.arguments if "/data/" in word and not (program.main.parent / word).exists()]
    if missing:
        return Result(program.name, "needs data", missing[0])
    limit = ["prlimit", f"--cpu={processor}"] if processor else []
    try:
        done = subprocess.run(
            [*limit, binary, *program.arguments], capture_output=True, text=True, errors="replace",
            timeout=timeout, cwd=program.main.parent, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Result(program.name, "fails", f"does not end within {timeout} s")
    if processor and done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return Result(program.name, "fails", f"does not end within {processor} s of processor time")
    return done


def judged(program: Program, done: subprocess.CompletedProcess[str]) -> Result:
    """Classify a program by its exit status and output."""
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


def not_built(program: Program, errors: str) -> Result:
    """Classify a failed build by its error."""
    if missing := _MISSING_HEADER.search(errors):
        return Result(program.name, "needs a library", missing[1])
    error = _ERROR.search(errors)
    return Result(program.name, "is not built", (error[1] or error[2]) if error else errors.strip()[-200:])


def report(results: Sequence[Result]) -> None:
    """Print the counts and the reasons, the most frequent first."""
    outcomes = collections.Counter(result.outcome for result in results)
    print(f"{len(results)} programs")
    for outcome, count in outcomes.most_common():
        print(f"{count:5d} {outcome}")
        reasons = collections.Counter(r.reason for r in results if r.outcome == outcome and r.reason)
        for reason, times in reasons.most_common():
            example = next(r.program for r in results if r.reason == reason and r.outcome == outcome)
            print(f"      {times:3d}  {reason}  ({example})")
