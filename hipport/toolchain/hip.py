"""Find HIP: headers, runtime library and device libraries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from hipport import lazy_re as re
from hipport.errors import HipportError
from hipport.toolchain.places import Surroundings, natural, rocm_roots

_VERSION = re.compile(r"#define HIP_VERSION_(MAJOR|MINOR|PATCH) (\d+)")
LIBRARY = "libamdhip64.so"
"""HIP's runtime, as the linker looks for it."""

_BITCODE = (
    "amdgcn/bitcode",
    "lib/*/amdgcn/bitcode",
    "lib/llvm/lib/clang/*/lib/amdgcn/bitcode",
    "lib/llvm-*/lib/clang/*/amdgcn/bitcode",
    "lib/clang/*/amdgcn/bitcode",
    "lib64/rocm/llvm/lib/clang/*/amdgcn/bitcode",
    "lib/bitcode",
)


class Hip(Struct, frozen=True):
    """A HIP installation: `root` is its prefix, `include` contains `hip/`, `library` is the folder of libamdhip64.so.

    `device_libraries` is the folder of `ocml.bc` and the others; `version` has the form 5.2.21153.
    """

    root: Path
    version: str
    include: Path
    library: Path
    device_libraries: Path


def find_hip(where: Surroundings, clang: str = "") -> Hip:
    """Return the first complete installation, with device libraries that a release of `clang` (17.0.6) can read.

    Raises a `HipportError` that names what is missing and its package.
    """
    headers = next(_headers(where), None)
    if headers is None:
        raise _missing("the HIP headers (hip/hip_runtime.h)", "libamdhip64-dev", "hip-dev")
    root, include = headers
    library = next(_matches([root, *rocm_roots(where)], ("lib", "lib64", "lib/*"), LIBRARY), None)
    if library is None:
        raise _missing(f"HIP's runtime library ({LIBRARY})", "libamdhip64-dev", "hip-runtime-amd")
    found = list(_device_libraries(root, where))
    if not found:
        raise _missing("the device libraries (ocml.bc)", "hipcc", "rocm-device-libs")
    # If none is readable, the compiler and `hipport doctor` report the first one.
    device_libraries = next((folder for folder in found if _readable(folder, clang)), found[0])
    return Hip(root, header_version(include), include, library, device_libraries)


def installed_version(where: Surroundings) -> str | None:
    """Return the version of the first HIP with headers, complete or not; None if there is none."""
    return next((version for _, include in _headers(where) if (version := header_version(include))), None)


def _headers(where: Surroundings) -> Iterator[tuple[Path, Path]]:
    for root in rocm_roots(where):
        for include in (root / "include", root / "hip/include"):
            if (include / "hip/hip_runtime.h").is_file():
                yield root, include


def _device_libraries(root: Path, where: Surroundings) -> Iterator[Path]:
    for variable in ("HIP_DEVICE_LIB_PATH", "DEVICE_LIB_PATH"):
        folder = where.environ.get(variable)
        if folder and (Path(folder) / "ocml.bc").is_file():
            yield Path(folder)
    yield from _matches([root, *rocm_roots(where)], _BITCODE, "ocml.bc")


def _readable(folder: Path, clang: str) -> bool:
    """Return whether `clang` can read the bitcode: LLVM reads that of its own release and of earlier ones."""
    from hipport.toolchain.bitcode import llvm_release

    wrote = llvm_release(folder / "ocml.bc") if clang else None
    return wrote is None or wrote <= int(clang.split(".")[0])


def _matches(roots: list[Path], patterns: tuple[str, ...], name: str) -> Iterator[Path]:
    """Yield folders that match a pattern below a root and contain a file, newest first within a pattern."""
    for root in roots:
        for pattern in patterns:
            for folder in sorted(root.glob(pattern), key=natural, reverse=True):
                if (folder / name).is_file():
                    yield folder


def header_version(include: Path) -> str:
    """Return HIP's version from its header, or an empty string."""
    try:
        text = (include / "hip/hip_version.h").read_text(errors="replace")
    except OSError:
        return ""
    parts = dict(_VERSION.findall(text))
    return ".".join(parts[key] for key in ("MAJOR", "MINOR", "PATCH")) if len(parts) == 3 else ""


def _missing(what: str, debian: str, rocm: str) -> HipportError:
    return HipportError(
        f"cannot find {what}",
        hint=f"Debian and Ubuntu: apt-get install {debian}. ROCm's own packages: {rocm}. "
        "Installed elsewhere? Set ROCM_PATH.",
    )
