"""rocPRIM, hipCUB and rocThrust on the CPU target: cache the installed headers as standard C++.

They are HIP, so that the target compiles them like a program. All that a build needs of them is in one folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import hipport
from hipport.builds.cpu.library_rules import RULES, applied
from hipport.builds.rocm_headers import LIBRARY_MARKS
from hipport.builds.shipped import cache_folder
from hipport.errors import HipportError
from hipport.files.atomic import naming
from hipport.toolchain.libraries import load_libraries
from hipport.toolchain.places import Surroundings, rocm_roots
from hipport.translate.for_cpu.convert import standard_cxx

_INCLUDED = re.compile(rb"^[ \t]*#[ \t]*include[ \t]*[<\"](thrust|hipcub|rocprim)/", re.MULTILINE)
_REQUIRES = {"thrust": ("thrust", "rocprim"), "hipcub": ("hipcub", "rocprim"), "rocprim": ("rocprim",)}
_TITLES = {"thrust": "rocThrust", "hipcub": "hipCUB", "rocprim": "rocPRIM"}


@dataclass(frozen=True, slots=True)
class Header:
    """A header of a library: its path below the include folder, and where it is."""

    name: str
    path: Path


def needed(sources: Iterable[bytes]) -> tuple[str, ...]:
    """Return the libraries that these sources include, with those that they build on, without duplicates."""
    included = (match.decode() for data in sources for match in _INCLUDED.findall(data))
    return tuple(dict.fromkeys(name for first in included for name in _REQUIRES[first]))


def library_folder(names: Sequence[str], include_dirs: Sequence[str], where: Surroundings) -> Path:
    """Return an include folder with these libraries as standard C++, from the user's cache if possible.

    Those in `include_dirs` come first. Raises `HipportError` if a library is missing or the cache cannot be written.
    """
    folders = {name: _find(name, include_dirs, where) for name in names}
    headers = [header for name, folder in folders.items() for header in _headers(folder, name)]
    try:
        return _kept(headers, cache_folder("cpu-libraries"))
    except OSError as error:
        hint = "Set XDG_CACHE_HOME to use another cache folder."
        raise HipportError(f"cannot write {error.filename}: {error.strerror}", hint=hint) from None


def has_libraries(folder: str) -> bool:
    """Return whether an include folder has one of the libraries."""
    return any((Path(folder) / mark).is_file() for mark in LIBRARY_MARKS.values())


def _find(name: str, include_dirs: Sequence[str], where: Surroundings) -> Path:
    roots = [root / part for root in rocm_roots(where) for part in ("include", f"{name}/include")]
    for folder in (*map(Path, include_dirs), *roots):
        if (folder / LIBRARY_MARKS[name]).is_file():
            return folder
    raise _missing(name)


def _missing(name: str) -> HipportError:
    library = load_libraries()[name]
    debian = f"Debian {library.since} and Ubuntu: {library.debian}"
    return HipportError(
        f"the headers of {_TITLES[name]} not found ({LIBRARY_MARKS[name]})",
        hint=f"Install {library.rocm} ({debian}), or name the folder that contains {name}/ with -I.",
    )


def _headers(folder: Path, name: str) -> Iterator[Header]:
    for top, folders, files in os.walk(folder / name):
        folders.sort()
        for file in sorted(files):
            path = Path(top) / file
            yield Header(str(path.relative_to(folder)), path)


def _kept(headers: Sequence[Header], cache: Path) -> Path:
    folder = cache / _key(headers)
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as fresh:
        made = Path(fresh) / "include"
        for header in headers:
            _write(header, made / header.name)
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():  # another build was faster
                raise
    return folder


def _key(headers: Sequence[Header]) -> str:
    """Return a hash of the files' places, sizes and times, and of what translates them."""
    told = [(hipport.__version__, _own_rules())]
    parts = hashlib.sha256(repr(told).encode())
    for header in headers:
        status = header.path.stat()
        parts.update(repr((str(header.path), status.st_size, status.st_mtime_ns)).encode())
    return parts.hexdigest()[:16]


def _own_rules() -> str:
    return repr([(rule.files, rule.pattern.pattern, str(rule.replacement)[:40]) for rule in RULES])


def _write(header: Header, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    data = header.path.read_bytes()
    changed = standard_cxx(applied(header.name, data), header.name)
    if changed == data:
        shutil.copyfile(header.path, target)
    else:
        with naming(target):
            target.write_bytes(changed)
