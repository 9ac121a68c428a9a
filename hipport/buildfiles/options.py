"""Translate nvcc options in command lines and lists of flags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.folders import with_rocm_folders
from hipport.buildfiles.libraries import library_word
from hipport.buildfiles.tables import Option
from hipport.buildfiles.words import SHELL, Change, Notation, Word, edits, is_followed
from hipport.diagnostics import Diagnostic, Severity

_NVIDIA = re.compile(r"sm_|compute_|lto_")
_REAL = re.compile(r"sm_\d|compute_\d")
_LIST = re.compile(r"""(?:\$\([^()]*\)|\$\{[^{}]*\}|[^,\s"'\\]|\\[^"'])+""")
_INCLUDE = re.compile(r"-I((?:\$[({]\w*CUDA\w*[)}]|/usr/local/cuda[\w.-]*)/include/?)\Z")
_DEFINE = "-D__HIP_PLATFORM_AMD__"
_LIBRARY = re.compile(r"(?P<head>(?:-Wl,)?-l|--library(?:=|\Z))(?P<name>.*)", re.DOTALL)
"""The ways to name a library; an empty name means that the next word is the name."""
_FILE = re.compile(r"(?P<folder>(?:.*/)?)lib[\w+.-]+?\.(?:so|a)[.\d]*")


class _List(Struct):
    """State of translating one list of words; `changes` are by first word."""

    work: BuildFile
    words: Sequence[Word]
    nvcc: bool
    targets: tuple[str, ...]
    changes: dict[int, Change] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)
    targets_named: bool = False
    linked: set[str] = field(default_factory=set)

    def replace(self, first: int, last: int, *parts: str) -> None:
        self.changes[first] = Change(first, last, tuple(map(with_rocm_folders, parts)))

    def report(self, index: int, code: str, severity: Severity, message: str, advice: str = "") -> None:
        self.found.append(self.work.report(self.words[index].start, code, severity, message, advice))


def translate_options(
    work: BuildFile, words: Sequence[Word], *, nvcc: bool, notation: Notation = SHELL, targets: bool = True
) -> Iterator[Found]:
    """Translate a list of words; `nvcc` says that they are for nvcc, so that short options have nvcc's meaning.

    Without `targets`, NVIDIA architectures are removed and not replaced.
    """
    changes, found = translated_words(work, words, nvcc=nvcc, targets=work.context.targets if targets else ())
    yield from found
    yield from edits(work.text, words, changes, notation)


def translated_words(
    work: BuildFile, words: Sequence[Word], *, nvcc: bool, targets: tuple[str, ...] = ()
) -> tuple[dict[int, Change], list[Diagnostic]]:
    """Return the changes to words, by the index of each change's first word, and the diagnostics."""
    state = _List(work, words, nvcc, targets)
    index = 0
    while index < len(words):
        last = _option_at(state, index)
        index = (_other_word(state, index) if last is None else last) + 1
    return state.changes, state.found


def _option_at(state: _List, index: int) -> int | None:
    """Translate the option at a word; return the index of its last word, or None if there is no option."""
    name, equals, value = state.words[index].text.partition("=")
    option = state.work.context.tables.options.get(name)
    if option is None or (option.nvcc_only and not state.nvcc) or (equals and not option.value):
        return None
    last = index
    if option.value and not equals:
        if option.value == "joined" or not is_followed(state.work.text, state.words, index):
            return None
        last, value = index + 1, state.words[index + 1].text
    _translate(state, option, index, last, value)
    return last


def _translate(state: _List, option: Option, first: int, last: int, value: str) -> None:
    name = state.words[first].text.partition("=")[0]
    if option.action == "targets":
        _name_targets(state, first, last, value)
    elif option.action == "host" and value.startswith(",") and last > first:
        state.replace(first, first)  # then $(addprefix -Xcompiler ,$(FLAGS)) adds nothing
    elif option.action == "host":
        state.replace(first, last, *_handed_on(state, first, _LIST.findall(value)))
    elif value in option.values or option.to is not None:
        parts = option.values.get(value, option.to or "").format(value).split()
        state.replace(first, last, *_handed_on(state, first, parts))
        if option.warn:
            state.report(first, "HP402", Severity.WARNING, f"{name} differs in meaning: {option.warn}")
    elif option.drop:
        state.replace(first, last)
        state.report(first, "HP402", option.severity, f"{name} is removed: {option.drop}", option.advice)
    elif not option.keep_rest:
        spelled = f"{name} {value}".strip()
        state.report(first, "HP401", Severity.ERROR, f"{spelled} has no counterpart", option.advice)


def _name_targets(state: _List, first: int, last: int, value: str) -> None:
    """Replace NVIDIA architectures with the targets, once per list."""
    if not state.nvcc and not _NVIDIA.search(value):
        return
    targets = ("native",) if value == "native" and state.targets else state.targets
    parts = () if state.targets_named else tuple(f"--offload-arch={target}" for target in targets)
    if not state.targets_named and _REAL.search(value):
        state.found.append(architectures_named(state.work, state.words[first].start, targets))
    state.targets_named = True
    state.replace(first, last, *parts)


def architectures_named(work: BuildFile, offset: int, targets: Sequence[str]) -> Diagnostic:
    """HP403: the targets are the user's choice."""
    message = (
        f"NVIDIA architectures are replaced by {', '.join(targets)}" if targets else "NVIDIA architectures are removed"
    )
    advice = (
        "Choose other targets with --offload-arch."
        if targets
        else "Set CMAKE_HIP_ARCHITECTURES, in the file or with -D."
    )
    return work.report(offset, "HP403", Severity.NOTE, message, advice)


def _other_word(state: _List, index: int) -> int:
    """Translate an include folder of CUDA or a library; return the index of its last word."""
    text = state.words[index].text
    include = _INCLUDE.match(text)
    if include is not None:
        following = state.words[index + 1].text if index + 1 < len(state.words) else ""
        if following != _DEFINE:
            support = state.work.context.support
            ours = () if support is None else (f"-I{support}",)
            state.replace(index, index, text.replace("/usr/local/cuda", "/opt/rocm"), _DEFINE, *ours)
    elif library := _LIBRARY.fullmatch(text):
        return _library(state, index, library["head"], library["name"])
    elif file := _FILE.fullmatch(text):
        linked = _linked(state, index, "", text)
        folder = with_rocm_folders(file["folder"])
        if linked is not None:
            state.replace(index, index, *(f"{folder}lib{name}.so" for name in linked))
    return index


def _library(state: _List, index: int, head: str, name: str) -> int:
    last = index
    if not name and is_followed(state.work.text, state.words, index):
        last, name = index + 1, state.words[index + 1].text
    parts = _linked(state, index, "-l" if head.startswith("--") else head, name)
    if parts is None:
        return index
    state.replace(index, last, *parts)
    return last


def _linked(state: _List, index: int, head: str, name: str) -> tuple[str, ...] | None:
    """Return the words that link the replacement of a CUDA library, each library once; None for other libraries."""
    result = library_word(state.work, state.words[index].start, name)
    if isinstance(result, Diagnostic):
        state.found.append(result)
        return None
    if result is None:
        return None
    again = not result.name or result.name in state.linked
    state.linked.add(result.name)
    state.found += result.found
    return () if again else (f"{head}{result.name}",)


def _handed_on(state: _List, index: int, parts: Sequence[str]) -> Iterator[str]:
    """Yield options for the host compiler or the linker, in which libraries are translated too."""
    for part in parts:
        library = _LIBRARY.fullmatch(part)
        linked = _linked(state, index, library["head"], library["name"]) if library and library["name"] else None
        yield from (part,) if linked is None else linked
