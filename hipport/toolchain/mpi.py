"""Find MPI: its compiler wrapper gives the options, and mpi.h the implementation."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from hipport.errors import HipportError
from hipport.toolchain.places import Surroundings, programs
from hipport.toolchain.process import run

OPEN_MPI, MPICH, CRAY, MVAPICH, INTEL = "Open MPI", "MPICH", "Cray MPICH", "MVAPICH", "Intel MPI"

_NAMES = ("mpicxx", "mpic++", "mpiCC")
_QUESTIONS = ("-show",)
_CRAY_QUESTIONS = ("--cray-print-opts=cflags", "--cray-print-opts=libs")
_SECONDS = 20
_ADVICE = "Debian and Ubuntu: apt-get install libopenmpi-dev, or libmpich-dev. Or name a wrapper: --mpi=WRAPPER."
_WITH_A_VALUE = frozenset({"-I", "-isystem", "-idirafter", "-D", "-U", "-L", "-l", "-Xlinker"})
_FOLDERS = ("-isystem", "-idirafter", "-I")
_TO_PREPROCESSOR = ("-D", "-U")
_TO_LINKER = ("-L", "-l", "-Wl,", "-Xlinker", "-pthread", "-rpath")
_FILES = (".a", ".so", ".o")
_NO_CXX_BINDINGS = ("-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")
_VALUE = r'[ \t]+"?([\d.]+[\w.]*)'
# Derived implementations come before their base: their headers define the macros of both.
_FAMILIES = (
    (CRAY, ("CRAY_MPICH_VERSION",)),
    (MVAPICH, ("MVAPICH2_VERSION",)),
    (MVAPICH, ("MVAPICH_VERSION",)),
    (INTEL, ("I_MPI_VERSION",)),
    (OPEN_MPI, ("OMPI_MAJOR_VERSION", "OMPI_MINOR_VERSION", "OMPI_RELEASE_VERSION")),
    (MPICH, ("MPICH_VERSION",)),
)


class Mpi(Struct, frozen=True):
    """An MPI: options to `compile` and to `link`, and `others`, the wrappers that were not chosen."""

    family: str
    version: str
    wrapper: Path
    compile: tuple[str, ...]
    link: tuple[str, ...]
    others: tuple[Path, ...] = ()

    def __str__(self) -> str:
        return f"{' '.join(filter(None, (self.family, self.version)))} ({self.wrapper})"


def find_mpi(where: Surroundings, wanted: str = "") -> Mpi:
    """Return the MPI of the requested wrapper, or of the first one on PATH. Raises `HipportError`."""
    wrapper, *others = _named(wanted, where) if wanted else _found(where)
    said = _answer(wrapper)
    words = _words(wrapper, said)
    folders = tuple(dict.fromkeys(_values(words, _FOLDERS)))
    link = tuple(_linking(words))
    header = _header((*map(Path, folders), where.root / "usr/include"))
    if header is None or not link:
        raise _nonsense(wrapper, said)
    family, version = _family(header)
    bindings = () if any(word.startswith("-l") and word.endswith("cxx") for word in link) else _NO_CXX_BINDINGS
    named = (word for folder in folders if folder != "/usr/include" for word in ("-isystem", folder))
    macros = (word for word in _joined(words) if word.startswith(_TO_PREPROCESSOR))
    return Mpi(family, version, wrapper, (*named, *macros, *bindings), link, tuple(others))


def _named(wanted: str, where: Surroundings) -> list[Path]:
    path = Path(wanted).absolute()
    found = path if os.sep in wanted else next(programs(_folders(where), [wanted]), None)
    if found is None or not (found.is_file() and os.access(found, os.X_OK)):
        raise HipportError(f"no MPI wrapper {wanted} found", hint=_ADVICE)
    return [found]


def _found(where: Surroundings) -> list[Path]:
    """Return all C++ wrappers on PATH, the preferred one first, or C wrappers if there are none.

    Raises `HipportError` if there are none, or several to choose from.
    """
    folders = list(_folders(where))
    cray = ["CC"] if "CRAYPE_VERSION" in where.environ else []
    suffixed = {path.name for folder in folders for name in _NAMES for path in folder.glob(f"{name}.*")}
    found = list(programs(folders, [*cray, *_NAMES, *sorted(suffixed)])) or list(programs(folders, ["mpicc"]))
    if not found:
        raise HipportError("no MPI found: no mpicxx, mpic++, mpiCC or mpicc on PATH", hint=_ADVICE)
    if found[0].name in suffixed and len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise HipportError(f"several MPIs are installed: {names}", hint=f"Choose one: --mpi={found[0].name}.")
    return found


def _folders(where: Surroundings) -> Iterator[Path]:
    """Yield PATH without relative folders: the working folder may have come with an input."""
    return (path for path in map(Path, where.environ.get("PATH", "").split(os.pathsep)) if path.is_absolute())


def _answer(wrapper: Path) -> str:
    """Return the options that the wrapper passes to a compiler. Raises `HipportError` if it does not answer."""
    said = []
    for question in _CRAY_QUESTIONS if wrapper.name in ("CC", "cc") else _QUESTIONS:
        done = run([wrapper, question], timeout=_SECONDS)
        if done is None:
            raise HipportError(f"{wrapper} cannot be run or does not support {question}", hint=_ADVICE)
        if done.status != 0:
            raise _nonsense(wrapper, done.stderr or done.stdout)
        said.append(done.stdout)
    return "\n".join(said)


def _words(wrapper: Path, said: str) -> list[str]:
    try:
        return shlex.split(said)
    except ValueError:
        raise _nonsense(wrapper, said) from None


def _nonsense(wrapper: Path, said: str) -> HipportError:
    heard = " ".join(said.split())[:200] or "nothing"
    return HipportError(f"{wrapper} is not a compiler wrapper of MPI", hint=f"It printed: {heard}")


def _joined(words: Sequence[str]) -> Iterator[str]:
    """Yield the options, joining those of two words."""
    rest = iter(words)
    for word in rest:
        yield word + next(rest, "") if word in _WITH_A_VALUE and word != "-Xlinker" else word


def _values(words: Sequence[str], options: Sequence[str]) -> Iterator[str]:
    for word in _joined(words):
        option = next((option for option in options if word.startswith(option)), None)
        if option and len(word) > len(option):
            yield word[len(option) :]


def _linking(words: Sequence[str]) -> Iterator[str]:
    """Yield the options for the link; optimization and warning options are up to the build."""
    rest = iter(_joined(words))
    for word in rest:
        if word == "-Xlinker":
            yield f"-Wl,{next(rest, '')}"
        elif word.startswith(_TO_LINKER) or (word.startswith("/") and word.endswith(_FILES)):
            yield word


def _header(folders: Sequence[Path]) -> Path | None:
    return next((folder / "mpi.h" for folder in folders if (folder / "mpi.h").is_file()), None)


def _family(header: Path) -> tuple[str, str]:
    """Return the implementation and its release."""
    text = header.read_text(encoding="utf-8", errors="replace")
    for family, macros in _FAMILIES:
        parts = [re.search(rf"^[ \t]*#[ \t]*define[ \t]+{macro}{_VALUE}", text, re.MULTILINE) for macro in macros]
        if all(parts):
            return family, ".".join(part[1] for part in parts if part)
    return "MPI", ""
