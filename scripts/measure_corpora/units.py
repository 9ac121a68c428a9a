"""Drawing the units of a tree, and compiling them as a build would."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from scripts.measure_corpora.errors import errors
from scripts.measure_corpora.results import FAILURES, Error, Unit
from scripts.measure_corpora.translation import Translation, target_of
from scripts.port_corpus import CUDA_HEADER, MISSING_HEADER, Tree, compiled, nearest

_FOLDERS = 40
"""The maximum number of header folders to add for one unit."""
_PATIENCE = "90"
"""Timeout in seconds for compiling an original; errors are found earlier."""
_TOO_LATE = 124
_REJECTS = re.compile(r"\s*#\s*error\b")
_TEMPLATES = (".in", ".cmake", ".cmake.in")
"""Suffixes of the templates from which CMake writes headers."""


def drawn(tree: Path, count: int, seed: int) -> tuple[int, list[Path]]:
    """Return the number of units of a tree, and some of them at random; more are these and further ones."""
    units = sorted(path for path in tree.rglob("*.cu") if path.is_file() and not path.is_symlink())
    random.Random(seed).shuffle(units)
    return len(units), units[:count]


@dataclass(frozen=True)
class _Compiled:
    """The end of a compilation: the compiler's status and output, and the header that it lacks, if any.

    `is_lost`: no folder is known for that header.
    """

    status: int
    output: str
    missing: str
    is_lost: bool


def _with_headers(
    run: Callable[[list[Path]], tuple[int, str]], find: Callable[[str], Path | None], folders: list[Path]
) -> _Compiled:
    """Compile with folders of headers, to which those that `find` returns for missing ones are added."""
    for _ in range(_FOLDERS):
        status, output = run(folders)
        missing = MISSING_HEADER.search(output)
        found = find(missing[1]) if missing else None
        if found is None or found in folders:
            break
        folders.append(found)
    return _Compiled(status, output, missing[1] if missing else "", found is None)


def _searching(folders: Iterable[Path]) -> list[str]:
    return [word for folder in folders for word in ("-I", str(folder))]


def compile_unit(unit: Path, translation: Translation, tree: Tree, command: list[str], folders: list[Path]) -> Unit:
    """Compile one unit; `folders` are those of headers that units before it needed, to which more are added."""
    name, out = str(unit.relative_to(translation.source)), target_of(unit, translation)

    def find(header: str) -> Path | None:
        return nearest(tree, header, out) or configured(tree, header, out)

    def device(folders: list[Path]) -> tuple[int, str]:
        return compiled(out, [*command, "--cuda-device-only", *_searching(folders)])

    def host(folders: list[Path]) -> tuple[int, str]:
        return compiled(out, [*command, "--cuda-host-only", *_searching(folders)])

    on_device = _with_headers(device, find, folders)
    done = on_device if on_device.status else _with_headers(host, find, folders)
    if done.status == 0:
        return Unit(name, "compiles")
    if done.missing and done.is_lost and not CUDA_HEADER.match(done.missing):
        return Unit(name, "needs a library", [Error("", 0, done.missing)])
    output = done.output + host(folders)[1] if on_device.status else done.output
    return _failed(
        name, list(errors(output, translation)) or [Error("", 0, output.strip()[-200:])], out, translation, tree
    )


def _failed(name: str, found: list[Error], out: Path, translation: Translation, tree: Tree) -> Unit:
    """Return a unit that does not compile, with the reason."""
    if out in tree.included:
        return Unit(name, "part of a unit", found[:1])
    if asks_for_macro(found[0], translation):
        return Unit(name, "needs a macro", found)
    return Unit(name, "fails reported" if found[0].finding else "fails unreported", found)


def asks_for_macro(error: Error, translation: Translation) -> bool:
    """Return whether the project rejects the compilation by `#error`, as without a macro of its build."""
    path = translation.out / error.path
    lines = path.read_text("utf-8", "replace").split("\n") if path.is_file() else []
    return not error.finding and any(_REJECTS.match(line) for line in lines[error.line - 1 : error.line])


def configured(tree: Tree, header: str, unit: Path) -> Path | None:
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


def judged(unit: Unit, translation: Translation, tree: Tree, command: list[str], folders: list[Path]) -> Unit:
    """Return the unit, with another outcome if its original fails for another reason than a missing header."""
    if unit.outcome not in FAILURES:
        return unit
    source = translation.source / unit.unit

    def run(folders: list[Path]) -> tuple[int, str]:
        originals = (_original_folder(folder, translation) for folder in folders)
        return compiled(source, ["timeout", _PATIENCE, *command, *_searching(originals)])

    done = _with_headers(run, lambda header: nearest(tree, header, target_of(source, translation)), folders.copy())
    if done.status in (0, _TOO_LATE) or done.missing:  # CUDA's libraries may be missing where HIP's are not
        return unit
    return Unit(unit.unit, "fails in CUDA too", unit.errors)


def _original_folder(folder: Path, translation: Translation) -> Path:
    """Return the folder of the source tree that a folder of the translation was made from, if there is one."""
    if not folder.is_relative_to(translation.out):
        return folder
    origin = translation.source / folder.relative_to(translation.out)
    return origin if origin.is_dir() else folder
