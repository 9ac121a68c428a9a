"""Turn the sources of a build into translation units."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from hipport.builds.request import Language
from hipport.errors import UsageError
from hipport.source import SourceFile
from hipport.translate.syntax.unit import parse

_HIP = frozenset({".cu", ".hip"})
_CXX = frozenset({".cpp", ".cc", ".cxx", ".c++", ".C", ".cp"})
_OBJECTS = frozenset({".o", ".a", ".so"})
_UNSAFE = re.compile(r"[^A-Za-z0-9_.]")


def is_source(path: str) -> bool:
    return Path(path).suffix in _HIP | _CXX | {".c"}


def split_inputs(paths: Iterable[str]) -> tuple[list[str], list[str]]:
    """Split paths into sources, and objects and libraries for the link. Raises `UsageError` for anything else."""
    sources: list[str] = []
    objects: list[str] = []
    for path in dict.fromkeys(map(os.path.normpath, paths)):
        if is_source(path):
            sources.append(path)
        elif Path(path).suffix in _OBJECTS or ".so." in Path(path).name:
            objects.append(path)
        else:
            raise UsageError(
                f"{path}: unknown type of file",
                hint="Sources end in .cu, .hip, .cpp, .cc, .cxx or .c; files in .o, .a or .so are linked.",
            )
    return sources, objects


def language(path: str, read: Callable[[], bytes]) -> Language:
    """Return the language of a source: by its name, and for C and C++ by the presence of device code."""
    suffix = Path(path).suffix
    if suffix in _HIP or _has_device_code(read(), path):
        return Language.HIP
    return Language.C if suffix == ".c" else Language.CXX


def _has_device_code(data: bytes, name: str) -> bool:
    """Return whether code launches a kernel or uses a word such as `__global__`; comments and strings do not count."""
    if b"<<" not in data and b"__" not in data:
        return False
    unit = parse(SourceFile.decode(data, name))
    return bool(unit.launches or unit.shadow.device_words)


def unit_key(name: str) -> str:
    """Return a folder name for a unit: readable, safe for every program, unique per path."""
    digest = hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:12]
    return f"{_UNSAFE.sub('_', Path(name).name)[:60]}-{digest}"
