"""Options of nvcc in command lines and lists of flags, wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hipport.buildfiles.libraries import library_word
from hipport.buildfiles.tables import Option
from hipport.buildfiles.words import SHELL, Change, Notation, Word, edits, is_followed
from hipport.buildfiles.work import Found, Work
from hipport.diagnostics import Diagnostic, Severity

_NVIDIA = re.compile(r"sm_|compute_|lto_")
_REAL = re.compile(r"sm_\d|compute_\d")
_LIST = re.compile(r"""(?:\$\([^()]*\)|\$\{[^{}]*\}|[^,\s"'\\]|\\[^"'])+""")
_INCLUDE = re.compile(r"-I((?:\$[({]\w*CUDA\w*[)}]|/usr/local/cuda[\w.-]*)/include/?)\Z")
_DEFINE = "-D__HIP_PLATFORM_AMD__"


@dataclass(slots=True)
class _List:
    """One list of words on the way; `changes` by first word."""

    work: Work
    words: Sequence[Word]
    nvcc: bool
    targets: tuple[str, ...]
    changes: dict[int, Change] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)
    targets_named: bool = False
    linked: set[str] = field(default_factory=set)

    def replace(self, first: int, last: int, *parts: str) -> None:
        self.changes[first] = Change(first, last, parts)

    def report(self, index: int, code: str, severity: Severity, message: str, advice: str = "") -> None:
        self.found.append(self.work.report(self.words[index].start, code, severity, message, advice))


def translate_options(
    work: Work, words: Sequence[Word], *, nvcc: bool, notation: Notation = SHELL, targets: bool = True
) -> Iterator[Found]:
    """Translate a list of words; `nvcc` says that it is for nvcc, where short options have nvcc's meaning.

    Without `targets`, NVIDIA's architectures go and nothing takes their place.
    """
    state = _List(work, words, nvcc, work.context.targets if targets else ())
    index = 0
    while index < len(words):
        last = _option_at(state, index)
        if last is None:
            last = index
            _other_word(state, index)
        index = last + 1
    yield from state.found
    yield from edits(work.text, words, state.changes, notation)


def _option_at(state: _List, index: int) -> int | None:
    """Translate the option at a word; the number of its last word, None if there is no option."""
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
        state.replace(first, first)  # $(addprefix -Xcompiler ,$(FLAGS)) adds nothing then
    elif option.action == "host":
        state.replace(first, last, *_LIST.findall(value))
    elif value in option.values or option.to is not None:
        state.replace(first, last, *(option.values.get(value) or option.to or "").format(value).split(" "))
        if option.warn:
            state.report(first, "HP402", Severity.WARNING, f"{name} is not the same here: {option.warn}")
    elif option.drop:
        state.replace(first, last)
        state.report(first, "HP402", option.severity, f"{name} is left out: {option.drop}", option.advice)
    elif not option.keep_rest:
        spelled = f"{name} {value}".strip()
        state.report(first, "HP401", Severity.ERROR, f"{spelled} has no counterpart", option.advice)


def _name_targets(state: _List, first: int, last: int, value: str) -> None:
    """NVIDIA architectures become the targets, once in a list."""
    if not state.nvcc and not _NVIDIA.search(value):
        return
    targets = ("native",) if value == "native" and state.targets else state.targets
    parts = () if state.targets_named else tuple(f"--offload-arch={target}" for target in targets)
    if not state.targets_named and _REAL.search(value):
        state.found.append(architectures_named(state.work, state.words[first].start, targets))
    state.targets_named = True
    state.replace(first, last, *parts)


def architectures_named(work: Work, offset: int, targets: Sequence[str]) -> Diagnostic:
    """HP403: what is built for is somebody's choice."""
    message = f"NVIDIA architectures become {', '.join(targets)}" if targets else "NVIDIA architectures are left out"
    advice = "Name others with --offload-arch." if targets else "Set CMAKE_HIP_ARCHITECTURES, in the file or with -D."
    return work.report(offset, "HP403", Severity.NOTE, message, advice)


def _other_word(state: _List, index: int) -> None:
    """An include folder of CUDA or a library."""
    text = state.words[index].text
    include = _INCLUDE.match(text)
    if include is not None:
        following = state.words[index + 1].text if index + 1 < len(state.words) else ""
        if following != _DEFINE:
            support = state.work.context.support
            ours = () if support is None else (f"-I{support}",)
            state.replace(index, index, text.replace("/usr/local/cuda", "/opt/rocm"), _DEFINE, *ours)
    elif text.startswith("-l"):
        _library(state, index, text)


def _library(state: _List, index: int, text: str) -> None:
    result = library_word(state.work, state.words[index].start, text[2:])
    if isinstance(result, Diagnostic):
        state.found.append(result)
    elif result is not None:
        state.replace(index, index, *() if result.name in state.linked or not result.name else (f"-l{result.name}",))
        state.linked.add(result.name)
        state.found += result.found
