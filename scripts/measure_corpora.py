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
import os
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import tree_sitter
import tree_sitter_cpp

from hipport.port.remaining import source_lines
from scripts.build_definitions import defined_for_cuda
from scripts.port_corpus import CUDA_HEADER, MISSING_HEADER, Tree, compiled, nearest, read_tree

_FOLDERS = 40
"""The maximum number of header folders to add for one unit."""
_PATIENCE = "90"
"""Timeout in seconds for compiling an original; errors are found earlier."""
_TOO_LATE = 124
_PLACE = re.compile(
    r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):\d+: (?P<kind>(?:fatal )?error|note): (?P<text>.*)$", re.MULTILINE
)
_FROM = re.compile(r"^In file included from (?P<path>[^\n]+?):(?P<line>\d+):$", re.MULTILINE)
_REJECTS = re.compile(r"\s*#\s*error\b")
_END = re.compile(r"\)\s*;\s*\\?\s*(?:[/}].*)?$")
"""Matches the end of an `asm` statement, behind its operands."""
_OF_BRANCHES = {"HP137"}
"""Findings about a condition, which are about the code that it selects, too."""
_OPENS, _ENDS = re.compile(r"\s*#\s*if"), re.compile(r"\s*#\s*(?:el|endif)")
_TEMPLATES = (".in", ".cmake", ".cmake.in")
"""Suffixes of the templates from which CMake writes headers."""
_QUOTED = re.compile(r"'([^']+)'")
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_PREFIX = re.compile(r"^(?:hip|cuda|cu(?=[A-Z])|CUDA_?|HIP_?|CU_)")
_FAILURES = {"fails reported", "fails unreported"}
_OF_FILES = {"HP118"}
"""Findings about a whole file, which stand in its first line."""
_OF_STATEMENTS = {"HP301", "HP302"}
"""Findings about an `asm` statement, which stand in its first line; compilers name the line of an operand."""
_SELECTS = re.compile(r"HIP is selected only where (\w+) is defined")
_KINDS = {"error", "warning"}
_SOURCES = {".cu", ".cuh", ".h", ".hpp", ".hh", ".hxx", ".c", ".cc", ".cpp", ".cxx", ".inl", ".inc"}
_COMMON = re.compile(
    r"const|unsigned|int|float|double|void|char|short|long|bool|struct|class|typename|template|auto|static|inline|std|type|"
    r"value|size|function|member|expression"
)


@dataclass(frozen=True)
class Error:
    """One error of the compiler, and the code of the finding that is about it, if any."""

    path: str
    line: int
    message: str
    finding: str = ""


@dataclass(frozen=True)
class Unit:
    """The outcome of one unit and its errors."""

    unit: str
    outcome: str
    errors: list[Error] = field(default_factory=list)


@dataclass(frozen=True)
class Measured:
    """The results for one tree."""

    tree: str
    units: int
    conversion: float
    parse: float
    results: list[Unit]

    def count(self, outcome: str) -> int:
        """Return how many units have an outcome."""
        return sum(unit.outcome == outcome for unit in self.results)

    def errors(self, *, reported: bool) -> int:
        """Return how many different errors the units that fail have; errors about the same names count once."""
        failing = [unit for unit in self.results if unit.outcome in _FAILURES]
        told = {_about_names(error) for unit in failing for error in unit.errors if error.finding}
        silent = {_about_names(error) for unit in failing for error in unit.errors if not error.finding}
        return len(told if reported else silent - told)


def _about_names(error: Error) -> tuple[str, ...]:
    return tuple(_QUOTED.findall(error.message)) or (error.message,)


@dataclass(frozen=True)
class Findings:
    """The findings of a conversion: codes by source location, and by name without prefixes such as `cuda`."""

    places: Mapping[tuple[str, int], str]
    names: Mapping[str, str]


@dataclass(frozen=True)
class Translation:
    """A converted tree: where its files come from, what was reported, and what it took."""

    source: Path
    out: Path
    origins: Mapping[Path, Path]
    findings: Findings
    seconds: float
    selecting: tuple[str, ...] = ()
    """The macros of the tree by which its own port is compiled."""


def drawn(tree: Path, count: int, seed: int) -> tuple[int, list[Path]]:
    """Return the number of units of a tree, and some of them at random; more are these and further ones."""
    units = sorted(path for path in tree.rglob("*.cu") if path.is_file() and not path.is_symlink())
    random.Random(seed).shuffle(units)
    return len(units), units[:count]


def translated(tree: Path, out: Path, words: Sequence[str]) -> Translation:
    """Convert a tree with one process; `words` are further options."""
    report = out.with_suffix(".json")
    command = [
        sys.executable,
        "-m",
        "hipport",
        "convert",
        str(tree),
        "-o",
        str(out),
        "-j",
        "1",
        "--report",
        str(report),
    ]
    command += ["--no-gitignore", "--max-diagnostics", "1", *words]
    before = _children()
    # As installed: with the byte code that Python keeps.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, env=environment, capture_output=True, check=False)
    seconds = _children() - before
    told = json.loads(report.read_text())
    origins = {Path(file["target"]).resolve(): Path(file["source"]).resolve() for file in told["files"]}
    selecting = {match[1] for found in told["diagnostics"] if (match := _SELECTS.match(found["message"]))}
    return Translation(tree, out, origins, _findings(told["diagnostics"]), seconds, tuple(sorted(selecting)))


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _findings(diagnostics: Iterable[Mapping[str, object]]) -> Findings:
    """Index what is at least a warning."""
    places: dict[tuple[str, int], str] = {}
    names: dict[str, str] = {}
    lines: dict[Path, list[str]] = {}
    for found in diagnostics:
        if found["severity"] not in _KINDS:
            continue
        path, line, code = Path(str(found["path"])).resolve(), int(str(found["line"])), str(found["code"])
        if path not in lines:
            lines[path] = path.read_text("utf-8", "replace").split("\n") if path.is_file() else []
        for number in _lines_about(code, lines[path], line):
            places.setdefault((str(path), number), code)
        text = lines[path][line - 1] if line <= len(lines[path]) else ""
        here = _WORD.match(text[int(str(found["column"])) - 1 :])
        for word in [*_WORD.findall(str(found["message"])), *([here[0]] if here else [])]:
            if not _COMMON.fullmatch(word) and ("_" in word or not word.islower()) and (bare := _bare(word)):
                names.setdefault(bare, code)
    return Findings(places, names)


def _bare(name: str) -> str:
    """Return a name in lower case without prefixes; nothing is left of `CUDA` itself, which says nothing."""
    return _PREFIX.sub("", name).lower()


def _lines_about(code: str, lines: Sequence[str], number: int) -> Iterable[int]:
    """Return the numbers of the lines that a finding is about."""
    if code in _OF_FILES:
        return range(1, len(lines) + 1)
    if code in _OF_STATEMENTS:
        ends = (last for last in range(number, len(lines) + 1) if _END.search(lines[last - 1]))
        return range(number, next(ends, number) + 1)
    if code in _OF_BRANCHES:
        return range(number, _end_of_branch(lines, number) + 1)
    return _joined(lines, number)


def _end_of_branch(lines: Sequence[str], number: int) -> int:
    """Return the number of the line that ends the branch which a line begins."""
    depth = 0
    for last in range(number + 1, len(lines) + 1):
        line = lines[last - 1]
        if _ENDS.match(line) and not depth:
            return last
        depth += bool(_OPENS.match(line)) - bool(re.match(r"\s*#\s*endif", line))
    return number


def _joined(lines: Sequence[str], number: int) -> Iterable[int]:
    """Return the numbers of the lines that backslashes join with one, such as those of a macro."""
    first = last = number
    while first > 1 and lines[first - 2 : first - 1] and lines[first - 2].rstrip().endswith("\\"):
        first -= 1
    while lines[last - 1 : last] and lines[last - 1].rstrip().endswith("\\"):
        last += 1
    return range(first, last + 1)


def parse_seconds(translation: Translation) -> float:
    """Return how long a bare parse of the sources that were translated takes."""
    texts = [path.read_bytes() for path in translation.origins.values() if path.suffix in _SOURCES and path.is_file()]
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
    start = time.process_time()
    for text in texts:
        parser.parse(text)
    return time.process_time() - start


def compile_unit(unit: Path, translation: Translation, tree: Tree, command: list[str], folders: list[Path]) -> Unit:
    """Compile one unit; `folders` are those of headers that units before it needed, to which more are added."""
    name = str(unit.relative_to(translation.source))
    out = _target(unit, translation)
    sides = ["--cuda-device-only", "--cuda-host-only"]
    for _ in range(_FOLDERS):
        search = [word for folder in folders for word in ("-I", str(folder))]
        code, output = compiled(out, [*command, sides[0], *search])
        if code == 0 and sides[1:]:
            sides.pop(0)
            continue
        missing = MISSING_HEADER.search(output)
        found = nearest(tree, missing[1], out) or _configured(tree, missing[1], out) if missing else None
        if found is None or found in folders:
            break
        folders.append(found)
    if code == 0:
        return Unit(name, "compiles")
    if missing and found is None and not CUDA_HEADER.match(missing[1]):
        return Unit(name, "needs a library", [Error("", 0, missing[1])])
    if sides[1:]:
        output += compiled(out, [*command, sides[1], *search])[1]
    errors = list(_errors(output, translation)) or [Error("", 0, output.strip()[-200:])]
    if out in tree.included:
        return Unit(name, "part of a unit", errors[:1])
    if _asks_for_macro(errors[0], translation):
        return Unit(name, "needs a macro", errors)
    return Unit(name, "fails reported" if errors[0].finding else "fails unreported", errors)


def _asks_for_macro(error: Error, translation: Translation) -> bool:
    """Return whether the project rejects the compilation by `#error`, as without a macro of its build."""
    path = translation.out / error.path
    lines = path.read_text("utf-8", "replace").split("\n") if path.is_file() else []
    return not error.finding and any(_REJECTS.match(line) for line in lines[error.line - 1 : error.line])


def _configured(tree: Tree, header: str, unit: Path) -> Path | None:
    """Write a header as CMake would from its template, with each option off; return the folder to search.

    A line `@_WITH_CUDA_@#define WITH_CUDA`, which a variable comments out, is on if the variable is about CUDA.
    """
    names = [name + suffix for suffix in _TEMPLATES for name in (header, Path(header).name)]
    places = ((folder, name) for name in names if (folder := nearest(tree, name, unit)) is not None)
    template = next((folder / name for folder, name in places), None)
    if template is None:
        return None
    text = re.sub(r"#\s*cmakedefine01\s+(\w+)", r"#define \1 0", template.read_text("utf-8", "replace"))
    text = re.sub(r"#\s*cmakedefine\s+(\w+).*", r"/* #undef \1 */", text)
    text = re.sub(r"^@(\w+)@(?=\s*#)", lambda line: "" if "CUDA" in line[1] else "//", text, flags=re.MULTILINE)
    written = tree.folder / "configured" / header
    written.parent.mkdir(parents=True, exist_ok=True)
    written.write_text(re.sub(r"@\w+@|\$\{\w+\}", "0", text))
    return tree.folder / "configured"


def _judged(unit: Unit, translation: Translation, tree: Tree, command: list[str], folders: list[Path]) -> Unit:
    """Return the unit, with another outcome if its original fails for another reason than a missing header."""
    if unit.outcome not in _FAILURES:
        return unit
    folders = folders.copy()
    for _ in range(_FOLDERS):
        search = [word for folder in folders for word in ("-I", str(_original_folder(folder, translation)))]
        code, output = compiled(translation.source / unit.unit, ["timeout", _PATIENCE, *command, *search])
        missing = MISSING_HEADER.search(output)
        found = nearest(tree, missing[1], _target(translation.source / unit.unit, translation)) if missing else None
        if found is None or found in folders:
            break
        folders.append(found)
    if code in (0, _TOO_LATE) or missing:  # CUDA's libraries may be missing where HIP's are not
        return unit
    return Unit(unit.unit, "fails in CUDA too", unit.errors)


def _original_folder(folder: Path, translation: Translation) -> Path:
    """Return the folder of the source tree that a folder of the translation was made from, if there is one."""
    if not folder.is_relative_to(translation.out):
        return folder
    origin = translation.source / folder.relative_to(translation.out)
    return origin if origin.is_dir() else folder


def _target(unit: Path, translation: Translation) -> Path:
    """Return the translation of a source."""
    resolved = unit.resolve()
    return next((target for target, source in translation.origins.items() if source == resolved), unit)


def _errors(output: str, translation: Translation) -> Iterable[Error]:
    """Return the errors of a compiler, in order and once each, with what hipport reported about them."""
    groups: list[list[tuple[str, int]]] = []
    texts: list[tuple[str, int, str]] = []
    stack: list[tuple[str, int]] = []
    for line in output.split("\n"):
        if included := _FROM.match(line):
            stack.append((included["path"], int(included["line"])))
        elif match := _PLACE.match(line):
            place = (match["path"], int(match["line"]))
            if match["kind"] == "note":
                if groups:
                    groups[-1].append(place)
            else:
                groups.append([place, *stack])
                texts.append((*place, match["text"]))
                stack = []
    seen = set()
    for (path, number, message), places in zip(texts, groups, strict=True):
        if (path, number, message) not in seen:
            seen.add((path, number, message))
            code = _about(message, places, translation)
            yield Error(_relative(path, translation), number, message, code)


def _relative(path: str, translation: Translation) -> str:
    """Return a path of the translation relative to its root."""
    found = Path(path).resolve()
    return str(found.relative_to(translation.out)) if found.is_relative_to(translation.out) else path


def _about(message: str, places: Sequence[tuple[str, int]], translation: Translation) -> str:
    """Return the code of a finding at one of the places or with a name from the message."""
    for path, number in places:
        target = Path(path).resolve()
        source = translation.origins.get(target)
        if source is None:
            continue
        for line in source_lines(str(source), str(target), number):
            if code := translation.findings.places.get((str(source), line)):
                return code
    for quoted in _QUOTED.findall(message):
        for word in _WORD.findall(quoted):
            if code := translation.findings.names.get(_bare(word), ""):
                return code
    return ""


def measure(path: Path, known: Mapping[str, Unit], arguments: argparse.Namespace) -> Measured:
    """Convert a tree, compile its units but for those that are `known`."""
    total, units = drawn(path, arguments.units, arguments.seed)
    options = [
        f"--offload-arch={arguments.arch}",
        "-w",
        "-std=c++17",
        "-ferror-limit=0",
        "-fsyntax-only",
        "-fshow-overloads=all",
    ]
    own = [*defined_for_cuda(path), *words_for(arguments.option, path)]
    print(path.name, *own, file=sys.stderr)
    release = ["--rocm", arguments.rocm] if arguments.rocm else []
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder).resolve() / "out"
        empty = Path(folder) / "empty"
        empty.mkdir()
        start = translated(empty, Path(folder) / "none", release).seconds
        translation = translated(path, out, [*release, *words_for(arguments.convert, path)])
        tree = read_tree(out)
        # hipport's own headers are in the root of the output.
        search = [
            word
            for include in ["out", *arguments.include]
            for word in ("-idirafter" if include != "out" else "-I", str(out if include == "out" else include))
        ]
        selecting = [f"-D{name}" for name in translation.selecting]
        command = [*shlex.split(arguments.compiler), *options, *own, *selecting, *search]
        folders: list[Path] = []
        results = [
            known.get(str(unit.relative_to(path))) or compile_unit(unit, translation, tree, command, folders)
            for unit in units
        ]
        if arguments.original:
            check = [
                *shlex.split(arguments.original),
                *own,
                *(word for folder in arguments.include for word in ("-I", folder)),
            ]
            results = [_judged(result, translation, tree, check, folders) for result in results]
        return Measured(path.name, total, translation.seconds - start, parse_seconds(translation), results)


def words_for(texts: Iterable[str], tree: Path) -> list[str]:
    """Return the words that `TREE=WORD` options give for a tree."""
    return [
        word for name, _, text in (text.partition("=") for text in texts) if name == tree.name for word in text.split()
    ]


def main() -> None:
    """Measure trees, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", type=Path, nargs="*")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--units", type=int, default=8, help="at most so many of each tree")
    parser.add_argument("--seed", type=int, default=19)
    parser.add_argument("-I", dest="include", action="append", default=[], help="headers of libraries")
    parser.add_argument("--option", action="append", default=[], metavar="TREE=WORD", help="for both compilers")
    parser.add_argument("--convert", action="append", default=[], metavar="TREE=WORD", help="for hipport convert")
    parser.add_argument("--rocm", metavar="REL")
    parser.add_argument("--arch", default="gfx90a")
    parser.add_argument("--compiler", default="hipcc", help="and options for it (default: hipcc)")
    parser.add_argument("--original", metavar="COMMAND", help="compiles an original unit: nvcc and options for it")
    parser.add_argument("--table", type=Path, nargs="+", metavar="JSON", help="write the table of one or two results")
    arguments = parser.parse_args()
    if arguments.table:
        print("\n".join(table([read(path) for path in arguments.table])))
        return
    done = {tree.tree: tree for tree in read(arguments.json)} if arguments.json.is_file() else {}
    for path in arguments.trees:
        found = done[path.name].results if path.name in done else []
        known = {unit.unit: unit for unit in found if not (arguments.original and unit.outcome in _FAILURES)}
        if not known or len(known) < len(drawn(path, arguments.units, arguments.seed)[1]):
            done[path.name] = measure(path.resolve(), known, arguments)
            arguments.json.write_text(json.dumps([asdict(measured) for measured in done.values()], indent=1))


def read(path: Path) -> list[Measured]:
    """Return the results in a JSON file."""
    trees = json.loads(path.read_text())
    return [Measured(**{**tree, "results": [_unit(row) for row in tree["results"]]}) for tree in trees]


def _unit(row: Mapping[str, Any]) -> Unit:
    return Unit(row["unit"], row["outcome"], [Error(**error) for error in row["errors"]])


def table(runs: Sequence[Sequence[Measured]]) -> list[str]:
    """Return the rows of the table: of one run, or of one before and one after."""
    last = {tree.tree: tree for tree in runs[-1]}
    names = ["before", "after"] if len(runs) > 1 else ["now"]
    heads = ["tree", ".cu files", "drawn", "not counted", *(f"compile {name}" for name in names)]
    heads += [f"{what} {name}" for what in ("reported", "unreported") for name in names]
    heads += [f"errors {what} {name}" for what in ("reported", "unreported") for name in names]
    heads += ["conversion, s", "multiple of a parse"]
    rows = [heads, ["---"] * len(heads)]
    for tree in runs[0]:
        after = last.get(tree.tree, tree)
        both = [tree, after][: len(runs)]
        compiled_units = [str(one.count("compiles")) for one in both]
        failures = [str(one.count(f"fails {what}")) for what in ("reported", "unreported") for one in both]
        failures += [str(one.errors(reported=reported)) for reported in (True, False) for one in both]
        counts = [tree.tree, str(tree.units), str(len(tree.results)), str(_not_counted(after))]
        times = [f"{after.conversion:.1f}", f"{after.conversion / after.parse:.1f}" if after.parse else ""]
        rows.append([*counts, *compiled_units, *failures, *times])
    rows.append(_sums(rows[2:]))
    return [f"| {' | '.join(row)} |" for row in rows]


def _not_counted(tree: Measured) -> int:
    return sum(
        tree.count(outcome) for outcome in ("needs a library", "needs a macro", "part of a unit", "fails in CUDA too")
    )


def _sums(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the last row of the table: the sums of what can be added."""
    sums = [sum(float(row[column]) for row in rows) for column in range(1, len(rows[0]) - 1)]
    return ["all", *(f"{value:.0f}" for value in sums), ""]


if __name__ == "__main__":
    main()
