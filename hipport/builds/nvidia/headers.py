"""Generate the headers that map HIP names to CUDA, from the mapping tables.

They are generated at build time, not kept in git or in the package: the tables are the only place where a CUDA name
meets a HIP name, and generated headers cannot become outdated.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hipport.builds.nvidia.choice import Meaning, meanings
from hipport.builds.prepare import write_if_changed
from hipport.mappings.entry import Kind
from hipport.mappings.reverse import Origin, headers, names
from hipport.mappings.rows import Library
from hipport.support import include_dir

FOLDER = "hipport_cuda/names"
"""The folder of the headers with names, one per library."""

_HIP = re.compile(r"(?:hip|HIP|ihip|make_hip|roctx|__hip_)\w*\Z")
_GUARD = re.compile(r"HIP_INCLUDE_")
_SHARED = re.compile(r"CUDA_[CR]_\d|cudaDataType")
_CORE = frozenset({"runtime", "driver", "device", "compiler"})
_HEAD = "// Written by hipport from {source}; changes will be overwritten.\n#pragma once\n"


def by_hand() -> Path:
    """Return the folder of the handwritten CUDA headers, for everything that takes more than a renaming."""
    return include_dir() / "cuda"


def write_headers(folder: Path) -> None:
    """Write the generated headers to a folder. Files with the same content are not touched."""
    from hipport.mappings.loader import load_libraries

    for name, text in header_files(load_libraries()).items():
        write_if_changed(folder / name, text.encode())


def header_files(libraries: Sequence[Library]) -> dict[str, str]:
    """Return the text of every generated header, keyed by the operand that includes it."""
    by_library: dict[str, dict[str, tuple[Meaning, ...]]] = {}
    for hip, origins in sorted(names(libraries).items()):
        if _HIP.match(hip) and not _GUARD.match(hip):
            found = meanings(hip, origins)
            by_library.setdefault(_part(found[0].origin), {})[hip] = found
    files = {f"{FOLDER}/{library}.h": _names_header(of) for library, of in by_library.items()}
    for name, origins in sorted(headers(libraries).items()):
        if not (by_hand() / name).is_file():
            files[name] = _forwarding(origins, by_library)
    return files


def _part(origin: Origin) -> str:
    """Return the header for a name: that of its library, except for data types that several libraries share."""
    return "library_types" if _SHARED.match(origin.name) else origin.library


def _names_header(found: Mapping[str, tuple[Meaning, ...]]) -> str:
    libraries = sorted({meaning.origin.library for of in found.values() for meaning in of})
    lines = (line for hip, of in found.items() for line in _definition(hip, of))
    return _HEAD.format(source=", ".join(f"mappings/{library}.yaml" for library in libraries)) + "\n".join(lines) + "\n"


def _definition(hip: str, found: Sequence[Meaning]) -> Iterator[str]:
    for number, meaning in enumerate(found):
        if not meaning.always:
            yield f"#{'el' if number else ''}if {_condition(meaning)}"
        elif number:
            yield "#else"
        yield f"#define {hip} {_spelled(meaning.origin)}"
    if len(found) > 1:
        yield "#endif"


def _spelled(origin: Origin) -> str:
    """Spell a name; the driver's functions return another error type and take device addresses as integers."""
    driver = origin.library == "driver" and origin.kind is Kind.FUNCTION
    return f"HIPPORT_DRIVER({origin.name})" if driver else origin.name


def _condition(meaning: Meaning) -> str:
    parts = ((meaning.since, ">="), (meaning.before, "<"))
    return " && ".join(f"CUDART_VERSION {sign} {_number(release)}" for release, sign in parts if release)


def _number(release: tuple[int, ...]) -> int:
    major, minor = (*release, 0)[:2]
    return major * 1000 + minor * 10


def _forwarding(origins: Sequence[Origin], with_names: Collection[str]) -> str:
    """Return a HIP header that includes its CUDA counterpart, then the names of its library."""
    libraries = dict.fromkeys(origin.library for origin in origins if origin.library in with_names)
    lines = ["#include <hip/hip_runtime.h>", f"#include <{_main(origins)}>"]
    lines += [f"#include <{FOLDER}/{library}.h>" for library in libraries if library not in _CORE]
    return _HEAD.format(source="the headers in mappings/") + "\n".join(lines) + "\n"


def _main(origins: Iterable[Origin]) -> str:
    """Return CUDA's header that includes the others: `cublas_v2.h`, or else the one with the shortest name."""
    return min((origin.name for origin in origins), key=lambda name: ("cublas_v2" not in name, len(name), name))
