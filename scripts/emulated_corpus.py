"""Build the programs of a HIP source tree with hipcc, run each emulated on several targets, and classify the results.

    python -m scripts.emulated_corpus TREE --targets gfx90a,gfx1100 [--compiler hipcc] [--root DIR] [-I DIR]...
                                      [--settings FILE] [--only PATTERN]... [--timeout 60] [--json FILE]
    python -m scripts.emulated_corpus --table FILE...

The programs are not changed, and hipport takes no part in building them. `--root` is the folder of another system (as
`scripts/matrix.sh` makes them) with a hipcc of its own: programs are built and run inside it, with this machine's
emulator. `corpus_programs` defines what a program is, and when it passes.

`--settings` names a JSON file: for each tree what its programs need: `arguments`, `variables` of the environment,
`flags` of the compiler, `modules` (code objects to build from sources beside the program) or `skip` (the reason not to
build one). By default it is `emulated_corpus.json` beside this file.

`--table` writes the results in JSON files as the table of docs/emulation.md.

The programs are run: use a sandbox.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hipport.emulate.library import LIBRARY, library_folder
from hipport.toolchain.places import Surroundings
from scripts.corpus_programs import Program, Result, folders, judged, needs_display, not_built, programs

_FLAGS = ("-w", "-std=c++17")
_INSIDE = "work"
"""The folder of another system in which programs are built."""


@dataclass(frozen=True, slots=True)
class System:
    """Where programs are built and run: this one, or the one in the folder `root`."""

    root: Path | None
    emulator: Path

    def place(self, folder: Path) -> Path:
        """Copy a folder to where the system finds it; return its path here."""
        if self.root is None:
            return folder
        place = self.root / _INSIDE / folder.name
        shutil.copytree(folder, place, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
        return place

    def named(self, path: Path) -> str:
        """Return the path under which the system has a file."""
        return str(path) if self.root is None else f"/{path.relative_to(self.root)}"

    def run(
        self, command: Sequence[str], folder: Path, seconds: int, variables: Mapping[str, str] = {}
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in a folder of the system. Raises `TimeoutExpired`."""
        words = ["env", *(f"{name}={value}" for name, value in variables.items()), *command]
        if self.root is not None:
            inside = f"cd {shlex.quote(self.named(folder))} && exec {shlex.join(words)}"
            words = ["chroot", str(self.root), "/bin/sh", "-c", inside]
        return subprocess.run(
            words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=seconds,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip


def system(root: Path | None) -> System:
    """Return a system that has this machine's emulator."""
    folder = library_folder(Surroundings(dict(os.environ)), lambda said: print(said, file=sys.stderr))
    if root is None:
        return System(None, folder)
    place = root / _INSIDE / folder.name
    if not place.exists():
        shutil.copytree(folder, place, symlinks=True)
    return System(root, place)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for: targets, compiler, folders of headers, the processor time of a run in seconds."""

    targets: tuple[str, ...]
    compiler: str
    headers: tuple[Path, ...]
    timeout: int
    settings: Mapping[str, Mapping[str, Any]]


def build(program: Program, tree: Path, where: System, asked: Request, out: Path) -> Result | None:
    """Build one program; return the failure, or None.

    A header that is not found but is in the tree is looked for in its folder, as the program's own build would do.
    """
    own = asked.settings.get(program.name, {})
    start = [*shlex.split(asked.compiler), *_FLAGS, *(f"--offload-arch={target}" for target in asked.targets)]
    end = [word for path in program.sources for word in ("-x", "hip", where.named(path))]
    end += ["-x", "none", *own.get("flags", ()), "-o", where.named(out)]
    headers = [*folders(program, tree), *asked.headers]
    while True:
        searched = [word for folder in headers for word in ("-I", where.named(folder))]
        done = where.run([*start, *searched, *end], program.main.parent, 600, {"HIP_PLATFORM": "amd"})
        if done.returncode == 0:
            return None
        failed = not_built(program, done.stderr)
        found = _header_folder(failed.reason, program, tree) if failed.outcome == "needs a library" else None
        if found is None or found in headers:
            return failed
        headers.append(found)


def _header_folder(header: str, program: Program, tree: Path) -> Path | None:
    """Return the folder in the tree with which `#include` finds a header: that nearest to the program."""
    levels = len(Path(header).parts) - 1
    found = [path.parents[levels] for path in tree.rglob(Path(header).name) if str(path).endswith(f"/{header}")]
    common = {folder: len(os.path.commonpath([folder, program.main.parent])) for folder in found}
    return max(found, key=lambda folder: common[folder], default=None)


def run(program: Program, target: str, where: System, asked: Request, binary: Path) -> tuple[Result, str]:
    """Run a program as code for a target; return the result and what it printed."""
    emulator = where.named(where.emulator)
    variables = {
        "LD_PRELOAD": f"{emulator}/{LIBRARY}",
        "LD_LIBRARY_PATH": emulator,
        "HIPPORT_EMULATE": target,
    }
    own = asked.settings.get(program.name, {})
    compiler = [*shlex.split(asked.compiler), *_FLAGS, "--genco", f"--offload-arch={target}"]
    for name, source in own.get("modules", {}).items():
        made = where.run([*compiler, source, "-o", name], program.main.parent, 600, {"HIP_PLATFORM": "amd"})
        if made.returncode != 0:
            return not_built(program, made.stderr), ""
    variables |= own.get("variables", {})
    command = ["prlimit", f"--cpu={asked.timeout}", where.named(binary), *program.arguments]
    try:
        done = where.run(command, program.main.parent, 4 * asked.timeout, variables)
    except subprocess.TimeoutExpired:
        return Result(program.name, "fails", f"does not end within {4 * asked.timeout} s"), ""
    if done.returncode in (-24, -9, 152, 137):
        return Result(program.name, "fails", f"does not end within {asked.timeout} s of processor time"), done.stdout
    return judged(program, done), done.stdout + done.stderr


def examine(program: Program, tree: Path, where: System, asked: Request, kept: Path | None) -> Iterator[dict[str, Any]]:
    """Build one program and run it on each target; yield rows of the JSON file."""
    own = asked.settings.get(program.name, {})
    program = replace(program, arguments=tuple(own.get("arguments", program.arguments)))
    failed: Result | None = None
    if reason := own.get("skip") or needs_display(program):
        failed = Result(program.name, "is skipped", reason)
    binary = program.main.parent / "emulated_program"
    failed = failed or build(program, tree, where, asked, binary)
    for target in asked.targets:
        result, said = (failed, "") if failed else run(program, target, where, asked, binary)
        if kept:
            name = re.sub(r"\W+", "_", program.name)
            (kept / f"{name}.{target}").write_text(said)
        yield {"tree": tree.name, "target": target, **asdict(result)}
        if failed:
            return
    binary.unlink(missing_ok=True)


_ENDS = ("passes", "runs")


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return Markdown tables: for each tree how its programs end, and for each program that does not end well why.

    Of several rows for a program and target the last one counts.
    """
    rows = list({(row["tree"], row["program"], row["target"]): row for row in rows}.values())
    trees = dict.fromkeys(row["tree"] for row in rows)
    lines = ["| tree | programs | targets | own check passed on all | ran on all, without a check | others |"]
    lines += ["|---|---|---|---|---|---|"]
    for tree in trees:
        own = [row for row in rows if row["tree"] == tree]
        ends: dict[str, set[str]] = {}
        for row in own:
            ends.setdefault(row["program"], set()).add(row["outcome"])
        passed = sum(found == {"passes"} for found in ends.values())
        ran = sum(found <= set(_ENDS) for found in ends.values()) - passed
        targets = ", ".join(dict.fromkeys(row["target"] for row in own))
        name = tree.replace("+", "/")
        lines.append(f"| {name} | {len(ends)} | {targets} | {passed} | {ran} | {len(ends) - passed - ran} |")
    lines += ["", "| tree | program | targets | result |", "|---|---|---|---|"]
    others: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        if row["outcome"] not in _ENDS:
            reason = f"{row['outcome']}: {row['reason']}".partition("\n")[0].replace("|", "\\|")
            key = row["tree"].replace("+", "/"), row["program"], reason
            others.setdefault(key, []).append(row["target"] if row["outcome"] == "fails" else "all")
    lines += [f"| {tree} | {name} | {', '.join(where)} | {why} |" for (tree, name, why), where in others.items()]
    return "\n".join(lines)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, nargs="?")
    parser.add_argument("--table", type=Path, nargs="+", metavar="FILE", help="write the results in these files")
    parser.add_argument("--targets", default="gfx90a,gfx1100")
    parser.add_argument("--compiler", default="hipcc")
    parser.add_argument("--root", type=Path, help="the folder of another system")
    parser.add_argument("-I", dest="headers", type=Path, action="append", default=[], help="folder of headers")
    parser.add_argument("--settings", type=Path, default=Path(__file__).with_suffix(".json"))
    parser.add_argument("--timeout", type=int, default=60, help="processor time of a run, in seconds")
    parser.add_argument("--only", action="append", help="programs whose path matches")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--kept", type=Path, help="folder for what programs print")
    options = parser.parse_args()
    if options.table:
        print(table([row for file in options.table for row in json.loads(file.read_text())]))
        return
    if options.tree is None:
        parser.error("a tree is needed")
    where = system(options.root)
    tree = where.place(options.tree.resolve())
    settings = json.loads(options.settings.read_text())
    asked = Request(
        tuple(options.targets.split(",")), options.compiler, tuple(options.headers), options.timeout,
        settings.get(tree.name, {}),
    )  # fmt: skip
    if options.kept:
        options.kept.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for program in programs(tree):
        if options.only and not any(fnmatch.fnmatch(program.name, pattern) for pattern in options.only):
            continue
        for row in examine(program, tree, where, asked, options.kept):
            rows.append(row)
            print(*row.values(), sep="  ", file=sys.stderr, flush=True)
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
