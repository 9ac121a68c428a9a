"""The parts of a file that a HIP compiler sees, and those that nvcc sees, by the macros that the two define.

A project may also have macros of its own for HIP (`USE_ROCM`, `GGML_USE_HIP`), which its build defines.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator, Mapping
from functools import cached_property

from msgspec import Struct, field

from hipport import lazy_re as re
from hipport.translate.syntax.conditions import DEFINED, UNDEFINED, State, evaluate, value_of
from hipport.translate.syntax.lexer import Branch, Directive, DirectiveKind
from hipport.translate.syntax.prologue import guard_name
from hipport.translate.syntax.unit import Unit

OF_HIP_COMPILERS = frozenset(
    {"__HIP__", "__HIPCC__", "__HIP_PLATFORM_AMD__", "__HIP_PLATFORM_HCC__", "HIP_VERSION", "HIP_VERSION_MAJOR"}
)
_IN_DEVICE_CODE = re.compile(r"__HIP_DEVICE_COMPILE__|__AMDGCN\w*|__HIP_ARCH_\w+|__(?:gfx|GFX)\w+|__AMD_HSA__")
_OF_NVIDIA = re.compile(r"__NVCC__|__CUDACC\w*|__CUDA_ARCH_\w*|CUDA(?:RT)?_VERSION|__CUDA__|__CUDA_RUNTIME\w*")
_OF_PROJECTS = re.compile(
    r"(?:[A-Za-z]\w*_)?(?:HIP|HIPCC|ROCM)(?:_(?:ENABLED?|BACKEND|PLATFORM|BUILD|SUPPORT|FOUND))?_*"
)
_OF_OTHERS = re.compile(r"(?:[A-Za-z]\w*_)?(?:MUSA|SYCL|SYCL_LANGUAGE_VERSION|ONEAPI|XPU|MACA|METAL|OPENCL)_*")
"""Matches macros of projects for GPUs that are neither NVIDIA's nor AMD's."""
_PARTS_OF_SWITCHES = ("HIP", "ROCM", "__AMD", "__gfx", "__GFX")
"""Texts of which one is in each macro that says that HIP is compiled for."""
_NO_SWITCH = re.compile(r"HIP|ROCM")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
NVIDIA_COMPILERS = frozenset({"__NVCC__", "__CUDACC__", "__CUDA_ARCH__"})
"""CUDA's macros whose presence a translation asks for under HIP's names."""


class Setting(enum.Enum):
    """The compilations that are told apart."""

    NVCC = enum.auto()
    HIP = enum.auto()
    """By a HIP compiler; what the project defines for HIP is not known."""
    PORT = enum.auto()
    """By a HIP compiler, with the project's macros for HIP."""
    TRANSLATED = enum.auto()
    """Like PORT, with HIP's compiler asked where the source asks for nvcc."""


@functools.lru_cache(1 << 14)
def is_hip_switch(name: str) -> bool:
    """Return whether a macro says that HIP is compiled for: a compiler's, or a project's by its name."""
    return name in OF_HIP_COMPILERS or _IN_DEVICE_CODE.fullmatch(name) is not None or is_projects_switch(name)


@functools.lru_cache(1 << 14)
def is_projects_switch(name: str) -> bool:
    """Return whether a macro is a project's own for HIP, like `USE_ROCM`."""
    return name not in OF_HIP_COMPILERS and not _NO_SWITCH.fullmatch(name) and bool(_OF_PROJECTS.fullmatch(name))


@functools.lru_cache(1 << 14)
def initial_state(setting: Setting, name: str) -> int | None:
    """Return the state of a macro before the first line of a file."""
    hip = setting is not Setting.NVCC
    if name in OF_HIP_COMPILERS:
        return (1 if name.startswith("__") else DEFINED) if hip else UNDEFINED
    if name in ("__HIP_PLATFORM_NVIDIA__", "__HIP_PLATFORM_NVCC__", "__HCC__"):
        return UNDEFINED
    if setting in (Setting.NVCC, Setting.PORT) and _OF_OTHERS.fullmatch(name):
        return UNDEFINED
    if _IN_DEVICE_CODE.fullmatch(name):
        return None if hip else UNDEFINED
    if is_projects_switch(name):
        return None if setting is Setting.HIP else 1 if hip else UNDEFINED
    if setting is Setting.TRANSLATED and name in NVIDIA_COMPILERS:
        return None if name == "__CUDA_ARCH__" else 1
    if name == "__CUDA_ARCH__":
        return UNDEFINED if setting is Setting.PORT else None
    if _OF_NVIDIA.fullmatch(name):
        return {Setting.NVCC: DEFINED, Setting.PORT: UNDEFINED}.get(setting)
    return None


class Sides(Struct, frozen=True, dict=True):
    """The code that is compiled in each setting; `told` are values of macros that other files define for HIP."""

    unit: Unit
    told: Mapping[str, int | None] = field(default_factory=dict)

    def at(self, setting: Setting, offset: int) -> bool | None:
        """Return whether the code at an offset is compiled; None if that is not known."""
        return self.of(setting, self.path(offset))

    def path(self, offset: int) -> Branch:
        """Return the branches around an offset; a condition is not in the branch that it opens."""
        line = self.unit.directive_at(offset)
        return line.branch if line is not None else self.unit.branch_at(offset)

    def of(self, setting: Setting, branch: Branch) -> bool | None:
        """Return whether a branch is compiled; None if that is not known."""
        return _all(self._taken[setting][step] for step in _paths(branch, self._taken[setting]))

    @cached_property
    def switched(self) -> bool:
        """Return whether any condition of the file names a macro that says that HIP is compiled for."""
        if not any(part in self.unit.code for part in _PARTS_OF_SWITCHES):  # most files have none
            return False
        return any(map(is_hip_switch, self.unit.words)) and any(map(self.switches, self.unit.branches.values()))

    def takes(self, setting: Setting, line: Directive) -> bool | None:
        """Return whether the branch that a line opens is taken, given that the code around it is compiled."""
        return self._taken[setting][line.after[-1]]

    def only_nvcc(self, offset: int) -> bool:
        """Return whether HIP's compilers never see the code at an offset, whatever the project defines."""
        return self.switched and self.at(Setting.HIP, offset) is False and self.at(Setting.NVCC, offset) is not False

    def asks_for_hip(self, line: Directive) -> bool:
        """Return whether the condition of a branch, or of one before it in its chain, names a macro of HIP's."""
        number, index = line.after[-1]
        lines = (self.unit.branches.get((number, each)) for each in range(index + 1))
        return any(bool(self.switches(each)) for each in lines if each is not None)

    def switches(self, line: Directive) -> frozenset[str]:
        """Return the macros in a condition that say that HIP is compiled for."""
        words = _NAME.findall(_text(self.unit, line))
        return frozenset(word for word in words if is_hip_switch(word) and word != self._guard)

    @cached_property
    def _guard(self) -> str:
        return guard_name(self.unit)

    @cached_property
    def _taken(self) -> dict[Setting, dict[tuple[int, int], bool | None]]:
        return {setting: self._walk(setting) for setting in Setting}

    def _walk(self, setting: Setting) -> dict[tuple[int, int], bool | None]:
        macros: dict[str, int | None] = dict(self.told) if setting is not Setting.NVCC else {}
        return taken_branches(self.unit, lambda name: initial_state(setting, name), macros)


def _paths(branch: Branch, known: Mapping[tuple[int, int], bool | None]) -> Iterator[tuple[int, int]]:
    return (step for step in branch if step in known)


def _all(parts: Iterator[bool | None]) -> bool | None:
    found = list(parts)
    return False if False in found else None if None in found else True


def taken_branches(unit: Unit, initial: State, macros: dict[str, int | None]) -> dict[tuple[int, int], bool | None]:
    """Return whether each branch of each condition is taken, given that the code around it is compiled.

    `initial` are the states of macros before the first line, `macros` those that are known from elsewhere. The states
    after the last line are left in `macros`.
    """
    guard = guard_name(unit)
    taken: dict[tuple[int, int], bool | None] = {}
    before: dict[int, bool | None] = {}

    def state(name: str) -> int | None:
        return UNDEFINED if name == guard else macros[name] if name in macros else initial(name)

    for line in unit.directives:
        if line.after and (line.word.startswith("if") or line.word.startswith("el")):
            number, index = line.after[-1]
            earlier = before.get(number, False) if index else False
            own = True if line.word == "else" else evaluate(line.word, _text(unit, line), state)
            taken[(number, index)] = False if earlier or own is False else None if None in (earlier, own) else True
            before[number] = True if True in (earlier, own) else None if None in (earlier, own) else False
        elif line.word in ("define", "undef"):
            _record(unit, line, _all(taken[step] for step in line.branch if step in taken), macros, state)
    return taken


def _record(unit: Unit, line: Directive, compiled: bool | None, macros: dict[str, int | None], state: State) -> None:
    """Follow a `#define` or `#undef`; a line that may or may not be compiled makes the macro unknown."""
    text = _text(unit, line)
    name = line.name if line.kind is DirectiveKind.DEFINE else text.strip()
    if compiled is False or not name:
        return
    value = UNDEFINED if line.word == "undef" else _value(unit, line, state)
    macros[name] = value if compiled else None


def _value(unit: Unit, line: Directive, state: State) -> int:
    text = _text(unit, line)
    if unit.code[line.body.start - 1 : line.body.start] == ")" or not text.strip():
        return DEFINED
    value = value_of(text, state)
    return DEFINED if value is None else value


def _text(unit: Unit, line: Directive) -> str:
    return unit.code[line.body.start : line.body.end]
