"""Write mappings/pytorch.yaml from what PyTorch's own hipify does to the names and headers of PyTorch's CUDA part.

    python -m scripts.learn_pytorch 2.6=FOLDER 2.13=FOLDER

A FOLDER is the package `torch` of that release, with `include` and `utils/hipify`; its build for CPUs has both. Name
one release for each version of hipify: from the second on, a release counts as the first with its version.
hipify runs on a file with each header in an `#include` line and each identifier of these headers in a line of its own;
what it changes goes into the table. Rows that hipify does not decide (removed headers, reasons) are kept.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from hipport.mappings import loader
from hipport.mappings.life import release
from scripts import tablefile
from scripts.import_facts import MAPPINGS

FILE = MAPPINGS / "pytorch.yaml"
_FOLDERS = ("c10/cuda", "ATen/cuda", "ATen/cudnn", "ATen/native/cuda")
_HIPIFY = """
import sys
sys.path.insert(0, sys.argv[1])
from hipify import hipify_python
hipify_python.hipify(project_directory=sys.argv[2], output_directory=sys.argv[2], includes=["*"], show_progress=False,
                     extra_files=[sys.argv[2] + "/probe.cpp"], is_pytorch_extension=True, hipify_extra_files_only=True)
"""
_QUALIFIED = ("c10::cuda::CUDACachingAllocator::get", "c10::cuda::CUDACachingAllocator::recordStream")
"""Members of namespaces that hipify renames in another way than the namespace."""
_NAMESPACES = ("c10::cuda", "c10::cuda::CUDACachingAllocator", "c10::cuda::CUDAAllocatorConfig", *_QUALIFIED)
_DECLARED = {
    "macros": r"#\s*define\s+{}\b",
    "types": r"\b(?:class|struct|using)\s+(?:\w+\s+)?{}\b(?!\s*;)",
    "functions": r"\b{}\s*\(",
}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="RELEASE=FOLDER")
    pairs = sorted((pair.split("=", 1) for pair in parser.parse_args().folders), key=lambda pair: release(pair[0]))
    folders = {version: Path(folder) for version, folder in pairs}
    headers = sorted({header for folder in folders.values() for header in cuda_headers(folder)})
    text = "\n".join(Path(folder / "include" / header).read_text() for folder in folders.values() for header in headers
                     if (folder / "include" / header).is_file())  # fmt: skip
    table = tablefile.load(FILE)
    known = _known()
    names = [name for name in identifiers(text) if name not in known]
    answers = {version: hipified(folder, headers, [*names, *_NAMESPACES]) for version, folder in folders.items()}
    table.rest.setdefault("headers", {}).update(_changed(headers, answers))
    for name, spec in _changed([*names, *_NAMESPACES], answers).items():
        section = "namespaces" if "::" in name else section_of(name, text)
        if section:
            table.sections[section][name] = {"hip": spec}
    FILE.write_text(tablefile.dump(table))


def cuda_headers(folder: Path) -> list[str]:
    """Return PyTorch's headers for CUDA, as `#include` lines name them."""
    root = folder / "include"
    found = (path for part in _FOLDERS for path in (root / part).rglob("*.*h"))
    return [str(path.relative_to(root)) for path in found]


def identifiers(text: str) -> list[str]:
    """Return the words that the headers' code contains."""
    return sorted(set(re.findall(r"\b[A-Za-z_]\w{3,}\b", re.sub(r"//.*|/\*[\s\S]*?\*/", "", text))))


def hipified(folder: Path, headers: Iterable[str], names: Iterable[str]) -> dict[str, str]:
    """Return what the hipify of a release writes for each header and name."""
    headers, names = list(headers), list(names)
    with tempfile.TemporaryDirectory() as work:
        probe = Path(work, "probe.cpp")
        lines = [*(f"#include <{header}>" for header in headers), *(f" {name} ;" for name in names)]
        probe.write_text("// probe\n" + "\n".join(lines) + "\n")
        subprocess.run([sys.executable, "-c", _HIPIFY, str(folder / "utils"), work], check=True, capture_output=True)
        written = Path(work, "probe_hip.cpp").read_text().splitlines()[-len(lines) :]
    pattern = re.compile(r"#include <(.*)>| (.*) ;")
    answers = [match[1] or match[2] for line in written if (match := pattern.match(line))]
    return dict(zip([*headers, *names], answers, strict=True))


def section_of(name: str, text: str) -> str | None:
    """Return the section of the table for a name; None for one that the headers do not declare."""
    for section, pattern in _DECLARED.items():
        if re.search(pattern.format(re.escape(name)), text):
            return section
    return None


def _changed(names: Iterable[str], answers: Mapping[str, Mapping[str, str]]) -> dict[str, list[str] | str]:
    """Return the counterparts of names that any release of hipify changes, the newest first."""
    found: dict[str, list[str] | str] = {}
    versions = list(answers)
    for name in names:
        spelled = [answers[version][name] for version in versions]
        if all(each == name for each in spelled):
            continue
        rows = [spelled[0]]
        for version, before, now in zip(versions[1:], spelled, spelled[1:], strict=False):
            if now != before:
                rows.insert(0, f"{now} {version}.0")
        found[name] = rows if len(rows) > 1 else rows[0]
    return found


def _known() -> frozenset[str]:
    """Return the names of the other tables, which those decide."""
    others = (library for library in loader.load_libraries() if library.name != "pytorch")
    return frozenset(row.name for library in others for row in library.names)


if __name__ == "__main__":
    main()
