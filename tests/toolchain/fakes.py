"""Fake installations: files that look like compilers, headers and libraries, in a temporary folder."""

from __future__ import annotations

import string
from pathlib import Path

from hipport.toolchain.places import Surroundings

CLANG = """\
#!/bin/sh
case "$*" in
*-###*) printf ' "{front_end}" "-cc1" "-triple"\\n' >&2 ;;
*--print-supported-cpus*) printf 'Available CPUs for this target:\\n\\n{cpus}' >&2 ;;
*) printf '{banner}Fake clang version {version}\\nTarget: x86_64-pc-linux-gnu\\nInstalledDir: {folder}\\n' ;;
esac
"""


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def compiler(path: Path, version: str, cpus: list[str], hip: str = "", front_end: Path | None = None) -> Path:
    """Write a program that answers like clang or, with `hip`, like hipcc; `front_end` is the clang that it starts."""
    listed = "".join(f"\\t{cpu}\\n" for cpu in cpus)
    banner = f"HIP version: {hip}\\n" if hip else ""
    behind = front_end or path
    text = CLANG.format(cpus=listed, banner=banner, version=version, folder=path.parent, front_end=behind)
    return program(path, text)


def file(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def bitcode(release: int) -> bytes:
    """Return the beginning of a file written by a release of LLVM."""
    alphabet = string.ascii_lowercase + string.ascii_uppercase + string.digits + "._"
    bits = sum(alphabet.index(letter) << (6 * index) for index, letter in enumerate(f"LLVM{release}.1.0"))
    return (bits << 128).to_bytes(64, "little")


def machine(folder: Path, **answers: str) -> Surroundings:
    """Create a machine with these programs (`_` for `-`), each of which prints its answer."""
    programs = folder / "bin"
    programs.mkdir(parents=True)
    for name, answer in answers.items():
        program(programs / name.replace("_", "-"), f"#!/bin/sh\necho '{answer}'\n")
    return Surroundings({"PATH": str(programs), "ROCM_PATH": str(folder)}, folder)
