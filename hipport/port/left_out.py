"""Find the translated units that a build made nothing from: an option or an absent package may leave them out."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from hipport.codeobject.bundle import MAGIC
from hipport.counts import count_of
from hipport.files.include_lines import include_lines
from hipport.files.sources import read
from hipport.port.failures import Failure
from hipport.project.request import FileResult
from hipport.project.task import Action

_UNITS = (".hip", ".cu")
_PRODUCT = re.compile(r"(?P<unit>.+?)(?:\.(?:hip|cu))?(?:\.(?:o|obj|so|hsaco|co|ptx|fatbin|cubin|bc))?")
"""Matches the names of objects, and of code objects and programs, which commands of a project may compile at once."""
_NOT_FOUND = re.compile(r"^-- Could NOT find (?P<name>\w+)", re.MULTILINE)
_OPTION = re.compile(r"^\s*option\s*\(\s*(?P<name>\w*(?:CUDA|GPU|HIP)\w*)\b", re.MULTILINE | re.IGNORECASE)
_COMMENT = re.compile(r"#.*")
_TESTED = re.compile(r"^\s*if(?:n?eq|n?def)\b.*?\b(?P<name>\w*(?:CUDA|GPU|HIP)\w*)", re.MULTILINE)
"""Matches a condition of a Makefile."""
_COMPRESSED = b"CCOB"
_PART, _MOST = 1 << 20, 1 << 30
"""Bytes of a file that are read at once, and in all."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The translated units without an object file, in the order of the tree, and the number of all units."""

    units: tuple[FileResult, ...]
    of: int

    @property
    def is_everything(self) -> bool:
        """Return whether there are units, and none has an object file."""
        return 0 < self.of == len(self.units)


def left_out(files: Sequence[FileResult], build: str) -> LeftOut:
    """Return the units that a successful build in the folder `build` compiled nothing from.

    Sources that others include are no units. A build that joins units in one source says nothing about them.
    """
    units = [file for file in files if _is_unit(file)]
    products = _products(build)
    if any(name.startswith("unity_") for name in products):
        return LeftOut((), len(units))
    missing = [file for file in units if not _is_compiled(Path(file.target).stem, products)]
    included = _included(files) if missing else frozenset()
    apart = tuple(file for file in missing if Path(file.target).name not in included)
    return LeftOut(apart, len(units) - len(missing) + len(apart))


def left_out_of_make(files: Sequence[FileResult], tree: str) -> LeftOut:
    """Return all units with kernels if nothing that make wrote into the translated tree has code for a GPU.

    make compiles in the tree, often several units to a program, so one product with such code speaks for all.
    """
    units = tuple(file for file in files if _is_unit(file) and b"__global__" in read(file.target))
    translated = {Path(file.target) for file in files if file.target}
    places = (Path(folder, name) for folder, _, names in os.walk(tree) for name in names)
    built = any(_has_device_code(place) for place in places if place not in translated)
    return LeftOut(() if built else units, len(units))


def nothing_made(found: LeftOut, makefile: str) -> Failure:
    """Return the error that make compiled no unit, at the first condition of a Makefile that names GPUs."""
    text = Path(makefile).read_text("utf-8", "replace")
    conditions = list(_TESTED.finditer(text))
    tested = [*dict.fromkeys(match["name"] for match in conditions)]
    line = text.count("\n", 0, conditions[0].start("name")) + 1 if conditions else 1
    message = f"make compiled none of {count_of(found.of, 'translated unit')}"
    named = f"; the project has the options {', '.join(tested[:5])}" if tested else ""
    return Failure(makefile, line, 1, f"{message}{named}")


def nothing_compiled(found: LeftOut, project: str, output: str) -> Failure:
    """Return the error that CMake compiled no unit of the project in the folder `project`; `output` is what it printed.

    Packages that it did not find are named, since build files often leave targets out without them.
    """
    packages = tuple(dict.fromkeys(match["name"] for match in _NOT_FOUND.finditer(output)))
    message = f"CMake compiled none of {count_of(found.of, 'translated unit')}"
    path = str(Path(project, "CMakeLists.txt").absolute())
    text = Path(path).read_text("utf-8", "replace")
    if packages:
        return Failure(path, _line_of(packages, text), 1, f"{message}, and it did not find {', '.join(packages[:3])}")
    options = [match["name"] for match in _OPTION.finditer(text)]
    named = f"; the project has the options {', '.join(options[:5])}" if options else ""
    return Failure(path, _line_of(options, text) if options else 1, 1, f"{message}{named}")


def _is_unit(file: FileResult) -> bool:
    is_source = file.action is Action.TRANSLATE and not file.build_file and not file.failed
    return is_source and bool(file.target) and file.target.endswith(_UNITS)


def _has_device_code(place: Path) -> bool:
    """Return whether a file has a bundle of code objects, as objects, libraries and programs of hipcc have."""
    if not place.is_file():
        return False
    last = b""
    with contextlib.suppress(OSError), place.open("rb") as stream:
        while stream.tell() < _MOST and (part := stream.read(_PART)):
            if MAGIC in (text := last + part) or _COMPRESSED in text:
                return True
            last = part[-len(MAGIC) :]
    return False


def _products(build: str) -> frozenset[str]:
    """Return the names of what a build compiled, without the suffixes."""
    names = (name for _, _, names in os.walk(build) for name in names)
    return frozenset(match["unit"] for match in map(_PRODUCT.fullmatch, names) if match)


def _is_compiled(unit: str, products: Collection[str]) -> bool:
    """Return whether there is a product of a unit; FindCUDA and FindHIP put the target's name in front."""
    return unit in products or any(name.endswith(f"_{unit}") for name in products)


def _included(files: Sequence[FileResult]) -> frozenset[str]:
    """Return the names of files that sources of the tree include."""
    found: set[str] = set()
    for file in files:
        if file.action is Action.TRANSLATE and not file.build_file and file.target:
            try:
                found.update(Path(line.operand).name for line in include_lines(read(file.target)))
            except OSError:  # it has been reported
                continue
    return frozenset(found)


def _line_of(names: Sequence[str], text: str) -> int:
    """Return the first line of a build file with one of the names outside of comments, or 1."""
    name = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    lines = enumerate(text.split("\n"), 1)
    return next((number for number, line in lines if name.search(_COMMENT.sub("", line))), 1)
