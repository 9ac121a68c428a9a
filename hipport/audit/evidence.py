"""Determine what a CUDA or ROCm release declares, from its headers or from the lists of names that ship."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hipport.audit import extract
from hipport.audit.extract import Extract
from hipport.audit.headers import Folder, read_folder
from hipport.audit.headers.folder import merged
from hipport.audit.headers.places import header_files
from hipport.audit.rules import known_folder, read_document, rules
from hipport.errors import HipportError, UsageError
from hipport.mappings.life import release

PRODUCTS = {"cuda": "CUDA", "rocm": "ROCm"}
_HIP_VERSION = re.compile(r"#define\s+HIP_VERSION_(?:MAJOR|MINOR)\s+(\d+)")
_CUDA_VERSION = re.compile(r"#define\s+CUDA_VERSION\s+(\d+)")
_WHEEL = re.compile(r"hip_python-(\d+\.\d+\.\d+)\.")


def shipped(product: str) -> list[Extract]:
    """Return the shipped lists of names, oldest release first."""
    paths = sorted(known_folder().glob(f"{product}-*.txt"))
    found = [extract.read(read_document(path), path.name) for path in paths]
    if not found:
        raise HipportError(f"the list of {PRODUCTS[product]} names is missing", hint="Reinstall hipport.")
    return sorted(found, key=lambda one: release(one.release))


def newest(product: str) -> Extract:
    """Return the shipped list of names of the newest release."""
    paths = known_folder().glob(f"{product}-*.txt")
    last = max(paths, key=lambda path: release(path.stem.partition("-")[2]), default=None)
    if last is None:
        raise HipportError(f"the list of {PRODUCTS[product]} names is missing", hint="Reinstall hipport.")
    return extract.read(read_document(last), last.name)


def from_headers(product: str, folders: Sequence[Path], version: str | None = None) -> Extract:
    """Return the combined declarations of all headers below the folders.

    The release is `version`, or the one stated by a header or by the wheel around the headers; UsageError if none
    states it.
    """
    only = rules().hip if product == "rocm" else ()
    whole = merged(read_folder(folder, only) for folder in folders)
    known = version or next((found for folder in folders for found in _versions(product, folder, only)), None)
    if known is None:
        option = f"--{product}"
        raise UsageError(
            f"{folders[0]}: cannot tell which {PRODUCTS[product]} release this is",
            hint=f"Name the release, for example: {option} 7.2",
        )
    return Extract(_source(product, whole, known), product, known, whole)


def _source(product: str, folder: Folder, version: str) -> str:
    """Return the name that reports use for the headers: `CUDA 13.0`, `hip-python 7.2`."""
    python = any(header.endswith(".pxd") for header in folder.headers)
    return f"{'hip-python' if python else PRODUCTS[product]} {'.'.join(version.split('.')[:2])}"


def _versions(product: str, folder: Path, only: Sequence[str]) -> Iterator[str]:
    for header, path in header_files(folder, only):
        if product == "cuda" and header == "cuda.h":
            if match := _CUDA_VERSION.search(path.read_text(errors="replace")):
                yield f"{int(match[1]) // 1000}.{int(match[1]) % 1000 // 10}"
        elif product == "rocm" and header == "hip/hip_version.h":
            if len(numbers := _HIP_VERSION.findall(path.read_text(errors="replace"))) == 2:
                yield ".".join(numbers)
        elif path.suffix == ".pxd":
            wheels = (_WHEEL.match(found.name) for found in path.parents[1].glob("*.dist-info"))
            yield from (match[1] for match in wheels if match)
