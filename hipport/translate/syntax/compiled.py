"""Decide whether HIP's compiler for AMD GPUs compiles a conditional branch: True, False, or None if unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hipport import lazy_re as re
from hipport.translate.syntax.conditions import integer
from hipport.translate.syntax.lexer import Branch, Directive
from hipport.translate.syntax.prologue import inside_guard
from hipport.translate.syntax.unit import Unit

OF_LACKING_HEADERS = frozenset({"NVJPEGAPI", "NV_NPPCORE_H", "NV_NPPIDEFS_H", "NV_NPPI_H", "NV_NPPS_H", "NV_NPP_H"})
"""Macros by which sources ask whether a header of NPP or nvJPEG, which ROCm lacks, has been included."""
_ABSENT = OF_LACKING_HEADERS | frozenset(
    {"_MSC_VER", "_WIN32", "_WIN64", "WIN32", "WIN64", "__APPLE__", "__MINGW32__", "__EMSCRIPTEN__"}
    | {"__INTELLISENSE__", "__JETBRAINS_IDE__", "__CLION_IDE__", "__CDT_PARSER__", "__RESHARPER__", "Q_CREATOR_RUN"}
    | {"__INTEL_COMPILER", "__ICC", "__PGI", "__NVCOMPILER", "__SYCL_DEVICE_ONLY__", "SYCL_LANGUAGE_VERSION"}
    | {"__OPENCL_VERSION__", "__OPENCL_C_VERSION__", "__METAL_VERSION__", "__MUSACC__", "__MUSA_ARCH__"}
    | {"__CUDA__", "__HIP_PLATFORM_NVIDIA__", "__HIP_PLATFORM_NVCC__", "__HIP_CPU_RT__"}
)
"""Not defined for AMD GPUs: these, and macros of other compilers, Clang for CUDA among them, systems and editors."""
_PRESENT = frozenset(
    {"__CUDACC__", "__CUDACC_EXTENDED_LAMBDA__", "__CUDACC_RELAXED_CONSTEXPR__", "__NVCC__"}
    | {"__HIPCC__", "__cplusplus", "__clang__", "__GNUC__", "__linux__"}
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_OF_AMD = re.compile(r"(?:\A|_)(?:HIP(?:CC)?|ROCM|HCC|AMD|AMDGPU|AMDGCN)(?:_|\Z)")
"""Matches macros by which projects and compilers select code for AMD."""
_DEVICE = "__CUDA_ARCH__"
_VALUES = {
    _DEVICE: 620,
    "CUDART_VERSION": 12999,
    "CUDA_VERSION": 12999,
    "__CUDACC_VER_MAJOR__": 12,
    "__cplusplus": 201703,
}
"""The highest values in tests for newer code that AMD compilers pass after translation."""

_TOKEN = re.compile(
    r"\s*(?:\\\s*\n\s*)*(?:(?P<number>0[xX][\da-fA-F]+|\d+)[uUlL]*|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<sign>&&|\|\||[<>=!]=|[()<>!]))"
)
_COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    "<": int.__lt__,
    ">": int.__gt__,
    "<=": int.__le__,
    ">=": int.__ge__,
}
Answer = bool | None
"""None if it is unknown."""


def is_compiled(unit: Unit, branch: Branch) -> Answer:
    """Return whether a build for AMD GPUs compiles the translation of the code in a branch."""
    return _all([_taken(unit, *each) for each in inside_guard(unit, branch)])


def is_for_amd(unit: Unit, branch: Branch) -> bool:
    """Return whether a condition around a branch names AMD, HIP or ROCm and selects it for that."""
    lines = [unit.branches.get(each) for each in branch]
    return is_compiled(unit, branch) is True and any(
        line is not None and any(map(_OF_AMD.search, _NAME.findall(_text(unit, line)))) for line in lines
    )


def asks_for_amd(unit: Unit, branch: Branch) -> bool:
    """Return whether a condition around a branch asks for AMD, HIP or ROCm, whatever stands beside it."""
    lines = (line for each in branch if (line := unit.branches.get(each)) is not None)
    texts = (_text(unit, line) for line in lines if line.word not in ("ifndef", "elifndef", "else"))
    return any("!" not in text and any(map(_OF_AMD.search, _NAME.findall(text))) for text in texts)


def _text(unit: Unit, line: Directive) -> str:
    return unit.code[line.body.start : line.body.end]


def _taken(unit: Unit, number: int, index: int) -> Answer:
    """Return whether the branch `index` of a condition is compiled: its own test passes, and none before it."""
    tests = [unit.branches.get((number, each)) for each in range(index + 1)]
    if index == 0 and _is_guard(unit, number):
        return True
    answers = [_test(unit, line) if line is not None else None for line in tests]
    return _all([answers[-1], *(_not(answer) for answer in answers[:-1])])


_SETTING = re.compile(r"\s*(?:\d+\s*)?\Z")


def _is_guard(unit: Unit, number: int) -> bool:
    """Return whether the code under `#ifndef X` begins with `#define X` or `#define X 1`, as in an include guard.

    CUDA's own names are defined like this where an older CUDA lacks them.
    """
    name = test_of(unit, number, 0)
    line = unit.branches.get((number, 0))
    if line is None or not name.startswith("!") or name[1:].startswith(("cu", "CU", "__")):
        return False
    following = next((each for each in unit.directives if each.span.start > line.span.start), None)
    is_define = following is not None and following.word == "define" and following.name == name[1:]
    return is_define and following is not None and bool(_SETTING.match(_text(unit, following)))


def _test(unit: Unit, line: Directive) -> Answer:
    if line.word == "else":
        return True
    text = _text(unit, line)
    if line.word in ("if", "elif"):
        return _Condition(text).answer()
    name = text.split()[0] if text.split() else ""
    return _not(_is_defined(name)) if line.word.endswith("ndef") else _is_defined(name)


_SINGLE = re.compile(r"\s*(!?)\s*(?:defined\s*\(?\s*)?([A-Za-z_]\w*)\s*\)?\s*\Z")


def test_of(unit: Unit, number: int, index: int) -> str:
    """Return the macro that a branch tests, with `!` if it tests that it is not defined; empty for other tests."""
    line = unit.branches.get((number, 0))
    match = _SINGLE.match(_text(unit, line)) if line is not None and index < 2 else None
    if line is None or match is None or (index and unit.branches[number, index].word != "else"):
        return ""
    negative = (match[1] == "!") != (line.word == "ifndef")
    return f"{'!' if negative != bool(index) else ''}{match[2]}"


def _is_defined(name: str) -> Answer:
    if name in _ABSENT:
        return False
    return True if name in _PRESENT or _OF_AMD.search(name) or name in _VALUES.keys() - {_DEVICE} else None


def _all(answers: Sequence[Answer]) -> Answer:
    return False if False in answers else None if None in answers else True


def _not(answer: Answer) -> Answer:
    return None if answer is None else not answer


class _Condition:
    """Reads the expression of an `#if` from left to right; what it does not understand is unknown."""

    def __init__(self, text: str) -> None:
        self._tokens = [match[0].strip(" \t\r\n\\") for match in _TOKEN.finditer(text)]
        self._whole = not _TOKEN.sub("", text).strip(" \t\r\n\\")

    def answer(self) -> Answer:
        found = self._either() if self._whole else None
        return found if not self._tokens else None

    def _next(self, *wanted: str) -> str:
        return self._tokens.pop(0) if self._tokens and (not wanted or self._tokens[0] in wanted) else ""

    def _either(self) -> Answer:
        answers = [self._both()]
        while self._next("||"):
            answers.append(self._both())
        return _not(_all([_not(answer) for answer in answers]))

    def _both(self) -> Answer:
        answers = [self._single()]
        while self._next("&&"):
            answers.append(self._single())
        return _all(answers)

    def _single(self) -> Answer:
        if self._next("!"):
            return _not(self._single())
        if self._next("("):
            inner = self._either()
            return inner if self._next(")") else self._give_up()
        if self._next("defined"):
            opened = self._next("(")
            name = self._next()
            return _is_defined(name) if not opened or self._next(")") else self._give_up()
        return self._compared(self._next())

    def _compared(self, left: str) -> Answer:
        sign = self._next(*_COMPARE, "==", "!=")
        if not sign:
            return bool(integer(left)) if left.isdigit() else _is_defined(left)
        return _comparison(left, sign, self._next())

    def _give_up(self) -> Answer:
        self._tokens.clear()
        return None


def _comparison(left: str, sign: str, right: str) -> Answer:
    if sign not in _COMPARE or not (left[:1].isdigit() or right[:1].isdigit()):
        return None
    one, other = _value(left), _value(right)
    if one is None or other is None or (_DEVICE in (left, right) and max(one, other) > _VALUES[_DEVICE]):
        return None
    return _COMPARE[sign](one, other)


def _value(token: str) -> int | None:
    number = integer(token.rstrip("uUlL"))
    return number if number is not None else 0 if token in _ABSENT else _VALUES.get(token)
