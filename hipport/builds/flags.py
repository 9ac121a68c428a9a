"""Sort the flags of a build: translate nvcc's for the compiler in use, and assign each to its commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hipport.buildfiles.arguments import option_words, translate_arguments
from hipport.buildfiles.tables import load_build_tables
from hipport.builds.request import CompileSettings
from hipport.diagnostics import Diagnostic, Severity
from hipport.errors import HipportError
from hipport.mappings.choice import Flavour
from hipport.toolchain.openmp import find_openmp
from hipport.toolchain.places import Surroundings

_WITH_VALUE = frozenset(
    (
        *("-I", "-D", "-U", "-isystem", "-idirafter", "-iquote", "-include", "-imacros", "-x", "-l", "-L", "-T", "-u"),
        *("-z", "-rpath", "-Xlinker", "-Xclang", "-Xarch_device", "-Xarch_host", "-Xpreprocessor", "-Xassembler"),
        *("-mllvm", "-target", "-MF", "-MT", "-MQ"),
    )
)
_LINK = re.compile(r"-l|-L|-Wl,|-Xlinker|-T|-u\Z|-z\Z|-rpath|-rdynamic|-static-lib|-fuse-ld=|-cudart|--cudart")
_LINK_TOO = re.compile(r"-pthread|-fsanitize|--coverage|-fprofile-|-stdlib=")
_OPENMP = re.compile(r"-fopenmp(?!-)")
_GPU_CODE = re.compile(
    r"-f(no-)?(gpu|hip|cuda)-(?!rdc)|-Rpass-analysis=kernel-resource|--offload-|-Xarch_device|--rocm-"
)
_ARITHMETIC = re.compile(r"-f(no-)?(gpu-flush|hip-fp32|(cuda|gpu)-approx)")
"""Matches options for the arithmetic of device code, which compilers of the host do not use and warn about."""
_OURS = re.compile(r"-c|-x")
"""Options that hipport itself passes to a compiler."""
_OF_HOST = ("-f", "-m", "-O")
"""Options that nvcc applies to host code only when given after -Xcompiler; macros and folders apply to all code."""
_CODE = re.compile(r"(-arch|--gpu-architecture|--gpu-name|-gencode|--generate-code|-code|--gpu-code)\Z")
_TOOLKIT = re.compile(r"/usr/local/cuda[\w.-]*(/|\Z)")


@dataclass(frozen=True, slots=True)
class Flags:
    """Settings with flags translated for the compilers, and `notes` on flags that were dropped."""

    settings: CompileSettings
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Sorted:
    """Collects flags by the commands they are for."""

    include_dirs: list[str] = field(default_factory=list)
    both: list[str] = field(default_factory=list)
    device: list[str] = field(default_factory=list)
    host: list[str] = field(default_factory=list)
    link: list[str] = field(default_factory=list)

    def add(self, words: Iterable[str], compiles: list[str]) -> None:
        """Sort words into `compiles` unless they belong to another command."""
        for group in _groups(words):
            word = group[0]
            if _OURS.fullmatch(word):
                continue
            if word.startswith("-I"):
                self.include_dirs.append(group[-1].removeprefix("-I"))
            elif _OPENMP.match(word):
                self.host += group
                self.link += group
            elif _LINK.match(word):
                self.link += group
            elif _ARITHMETIC.match(word):
                self.device += group
            else:
                compiles += group
                self.link += group if _LINK_TOO.match(word) else ()

    def add_handed_on(self, words: Iterable[str]) -> None:
        """Sort words that nvcc passes to the host compiler."""
        for group in _groups(words):
            self.add(group, self.host if group[0].startswith(_OF_HOST) else self.both)

    def applied(self, settings: CompileSettings, device: Iterable[str]) -> CompileSettings:
        """Return the settings with their flags replaced by these."""
        return replace(
            settings,
            include_dirs=(*settings.include_dirs, *self.include_dirs),
            both=tuple(self.both),
            device=tuple(device),
            host=tuple(self.host),
            link=tuple(self.link),
        )


def translated(settings: CompileSettings, flavour: Flavour = "hip") -> Flags:
    """Translate and sort flags for compilers other than nvcc. Raises `HipportError` for unsupported flags."""
    parts = [
        translate_arguments(flags, flavour) for flags in (settings.both, settings.device, settings.host, settings.link)
    ]
    both, device, host, link = parts
    found = tuple(dict.fromkeys(diagnostic for part in parts for diagnostic in part.found))
    _refuse(found)
    result = _Sorted()
    result.add(both.words, result.both)
    result.add_handed_on((*both.host, *host.host))
    result.add(host.words, result.host)
    result.link = list(_linked((*result.link, *link.words, *link.host)))
    notes = (*_architectures(text for part in parts for text in part.architectures), *map(_note, _heard(found)))
    return Flags(result.applied(settings, (*result.device, *device.words, *device.host)), notes)


def translated_for_cpu(settings: CompileSettings) -> Flags:
    """Translate and sort flags for C++ compilers, dropping those for GPU code. Raises `HipportError`."""
    flags = translated(settings)
    chosen = replace(
        flags.settings, both=tuple(_for_cxx(flags.settings.both)), host=tuple(_for_cxx(flags.settings.host))
    )
    return Flags(chosen, flags.notes)


def _for_cxx(words: Iterable[str]) -> Iterator[str]:
    for group in _groups(words):
        if group[0] == "-Xarch_host":
            yield group[-1]
        elif not _GPU_CODE.match(group[0]):
            yield from group


def uses_openmp(settings: CompileSettings) -> bool:
    """Return whether sorted flags ask for OpenMP."""
    return any(map(_OPENMP.match, settings.host))


def with_openmp(settings: CompileSettings, clang: Path, where: Surroundings) -> CompileSettings:
    """Return sorted flags with the paths of clang's OpenMP if they ask for OpenMP. Raises `HipportError`.

    GCC's library (`-lgomp`) is dropped: its functions would answer for threads that belong to the other runtime.
    """
    if not uses_openmp(settings):
        return settings
    found = find_openmp(clang, where)
    places = () if found.own else (f"-L{found.library}", f"-Wl,-rpath,{found.library}")
    return replace(
        settings,
        both=(*settings.both, *(() if found.own else ("-idirafter", str(found.header)))),
        host=tuple(_once("-fopenmp", settings.host)),
        link=(*_once("-fopenmp", (word for word in settings.link if word != "-lgomp")), *places),
    )


def _once(option: str, words: Iterable[str]) -> Iterator[str]:
    """Yield the words without repetitions of an option."""
    seen = False
    for word in words:
        if word != option or not seen:
            yield word
        seen |= word == option


def for_nvidia(settings: CompileSettings, *, named: bool = False) -> Flags:
    """Sort flags for nvcc, with CUDA's names for HIP's libraries; with `named`, drop flags that name other targets."""
    result = _Sorted()
    left_out = [words for words in option_words(settings.both) if named and _CODE.match(words[0].partition("=")[0])]
    for flags, compiles in ((settings.both, result.both), (settings.host, result.host)):
        for words in (each for each in option_words(flags) if each not in left_out):
            _sort_for_nvcc(result, words, compiles)
    result.link = [_cuda_library(word) for word in _joined((*result.link, *settings.link))]
    return Flags(result.applied(settings, settings.device), tuple(_architectures(map(" ".join, left_out))))


def names_architectures(settings: CompileSettings) -> bool:
    """Return whether flags name GPU architectures with nvcc's options."""
    return any(_CODE.match(words[0].partition("=")[0]) for words in option_words(settings.both))


def _sort_for_nvcc(result: _Sorted, words: tuple[str, ...], compiles: list[str]) -> None:
    name, equals, value = words[0].partition("=")
    value = value if equals else "".join(words[1:])
    option = load_build_tables().options.get(name)
    if option is None or not value:
        result.add(words, compiles)
    elif option.action == "host":
        result.add_handed_on(value.split(","))
    elif name in ("-Xlinker", "--linker-options"):
        result.link.append(f"-Wl,{value}")
    else:
        result.add((f"{name}={value}",), compiles)
        result.link += (f"{name}={value}",) if _CODE.match(name) else ()


def _groups(words: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Split words into options with their values."""
    waiting = iter(words)
    for word in waiting:
        value = next(waiting, None) if word in _WITH_VALUE else None
        yield (word,) if value is None else (word, value)


def _joined(words: Iterable[str]) -> Iterator[str]:
    """Yield words with library and folder options joined to their values: `-l m` becomes `-lm`."""
    for group in _groups(words):
        yield from ("".join(group),) if group[0] in ("-l", "-L") else group


def _linked(words: Iterable[str]) -> Iterator[str]:
    """Yield the link words without CUDA library folders."""
    return (word for word in _joined(words) if not (word.startswith("-L") and _is_toolkit(word[2:])))


def _is_toolkit(folder: str) -> bool:
    return bool(_TOOLKIT.match(folder)) or any(Path(folder).glob("libcudart_static.a"))


def _refuse(found: Sequence[Diagnostic]) -> None:
    errors = [diagnostic for diagnostic in found if diagnostic.severity is Severity.ERROR]
    if errors:
        advice = "; ".join(dict.fromkeys(error.advice for error in errors if error.advice))
        raise HipportError("; ".join(error.message for error in errors), hint=advice or None)


def _heard(found: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the diagnostics that a build shows: warnings, since notes report no loss."""
    return (diagnostic for diagnostic in found if diagnostic.severity is Severity.WARNING)


def _note(diagnostic: Diagnostic) -> str:
    return ". ".join(filter(None, (f"warning: {diagnostic.message}", diagnostic.advice)))


def _architectures(spelled: Iterable[str]) -> Iterator[str]:
    texts = list(dict.fromkeys(spelled))
    if texts:
        yield f"ignoring {' '.join(texts)}: --offload-arch names the GPUs"


def _cuda_library(word: str) -> str:
    """Return the option that links CUDA's library in place of HIP's."""
    return f"-l{_cuda_names().get(word[2:], word[2:])}" if word.startswith("-l") else word


def _cuda_names() -> Mapping[str, str]:
    """Return CUDA's name for each HIP library: the first in the tables, which is the shared one."""
    flavours = load_build_tables().libraries.values()
    rows = [library for flavour in flavours for library in flavour.values() if library.link]
    return {library.link: library.name for library in reversed(rows)}
