"""Compile the builtin functions that a clang has for AMD GPUs, and look up their instructions in the emulator.

The builtins are those that the compiler itself knows: their names stand in its files, and it says their types and what
it asks of their arguments. Each is compiled in a kernel of its own.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from scripts.instructions.machine import Machine

_NAME = re.compile(rb"__builtin_amdgcn_\w+")
_DECLARED = re.compile(r"implicit (?:used )?(__builtin_amdgcn_\w+) '(.*?)(?: noexcept)?' extern")
_PARAMETER = re.compile(r"ParmVarDecl .*? '(.*)'(?::'.*')?$")
_ERROR = re.compile(r"^[^\n:]*:(\d+):\d+: error: (.*)$", re.MULTILINE)
_IN_KERNEL = re.compile(r"^In function: k(\d+)$", re.MULTILINE)
_INTRINSIC = re.compile(r"Cannot select: intrinsic %llvm\.amdgcn\.([\w.]+)")
_RANGE = re.compile(r"outside the valid range \[(-?\d+), (-?\d+)\]")
_CHOICE = re.compile(r"must be (?:a |one of )?(\d+)(?:,|$)")
_INTEGER = re.compile(r"^(?:bool|(?:un)?signed|int|short|long)\b[^*]*$|^(?:unsigned )?(?:int|short|char)$")
_SPACES = {"__shared__": 3, "__device__": 1, "__constant__": 4}
"""The address spaces that clang prints as HIP's attributes."""
_SEQUENTIALLY_CONSISTENT = "5"
_SIZE = re.compile(r"\d+ \* sizeof")
_RESOURCE = "__amdgpu_buffer_rsrc_t"
_LACKING = "target feature"
"""In the message about a builtin that the target lacks."""
_HAS = "number_"
_MOST_ROUNDS = 12
_TOGETHER = 24
"""Kernels that one run compiles: most of a run's time is the start of the compiler."""
_TIMEOUT = 300


@dataclass(frozen=True)
class Builtin:
    """A builtin function; an argument that must be constant has its value in `constants`, by its place."""

    name: str
    result: str
    parameters: tuple[str, ...]
    constants: tuple[tuple[int, str], ...] = ()

    def kernel(self, number: int) -> list[str]:
        """Return a kernel that calls the builtin: a line for each argument, after two lines."""
        fixed = dict(self.constants)
        given = [(i, kind) for i, kind in enumerate(self.parameters) if i not in fixed]
        names = "".join(f" using T{i} = {kind if kind != _RESOURCE else 'void *'};" for i, kind in given)
        formal = "".join(f", T{i} a{i}" for i, _ in given)
        actual = [fixed.get(i) or self._argument(i, kind) for i, kind in enumerate(self.parameters)]
        # A result goes to memory, so that no instruction is dropped.
        before, after = ("", ");") if self.result == "void" else ("auto r = ", "); *(decltype(r) *)out = r;")
        return [
            f"namespace n{number} {{{names}",
            f'extern "C" __attribute__((global)) void k{number}(void *out{formal}) {{ {before}{self.name}(',
            *(f"{one}{',' if i + 1 < len(actual) else ''}" for i, one in enumerate(actual)),
            f"{after} }} }}",
        ]

    def kernel_of_lanes(self, number: int) -> list[str]:
        """Return a kernel that calls the builtin with other arguments in each lane; all of its own have 64 bits.

        They say where the values are, or are pointers themselves. The result of a lane goes to its place behind `out`.
        """
        fixed = dict(self.constants)
        given = [(i, kind) for i, kind in enumerate(self.parameters) if i not in fixed]
        names = "".join(f" using T{i} = {kind if kind != _RESOURCE else 'void *'};" for i, kind in given)
        formal = "".join(f", unsigned long a{i}" for i, _ in given)
        values = dict(given)
        actual = [fixed.get(i) or _lane_argument(i, values[i]) for i in range(len(self.parameters))]
        before, after = ("", "") if self.result == "void" else ("auto r = ", " ((decltype(r) *)out)[t] = r;")
        return [
            f"namespace n{number} {{{names}",
            f'extern "C" __attribute__((global)) void k{number}(void *out{formal}) {{'
            " const unsigned t = __builtin_amdgcn_workitem_id_x();",
            f"{before}{self.name}({', '.join(actual)});{after} }} }}",
        ]

    @staticmethod
    def _argument(place: int, kind: str) -> str:
        return f"__builtin_amdgcn_make_buffer_rsrc(a{place}, 0, 4096, 0)" if kind == _RESOURCE else f"a{place}"


def _lane_argument(place: int, kind: str) -> str:
    if kind == _RESOURCE:
        return f"__builtin_amdgcn_make_buffer_rsrc((void *)a{place}, 0, 4096, 0)"
    if not is_pointer(kind):
        return f"((const T{place} *)a{place})[t]"
    is_narrow = "address_space(3)" in kind or "address_space(5)" in kind
    pointer = f"((T{place})(unsigned)a{place})" if is_narrow else f"((T{place})a{place})"
    return pointer if re.search(r"\bvoid\b", kind) else f"({pointer} + t)"


def is_pointer(kind: str) -> bool:
    """Return whether a parameter is a pointer to memory."""
    return "*" in _SIZE.sub("", kind)


@dataclass(frozen=True)
class Code:
    """A kernel's machine code and its descriptor; `of_lanes` tells which kernel of a builtin it is."""

    text: bytes
    descriptor: bytes
    of_lanes: bool


class Compiler:
    """A clang for AMD GPUs, without HIP's headers and libraries."""

    def __init__(self, program: str, target: str, folder: Path, *options: str) -> None:
        self._folder = folder
        self._start = [program, "-x", "hip", f"--offload-arch={target}", "--cuda-device-only", "-nogpuinc", "-nogpulib",
                       "-O1", "-w", "-fno-crash-diagnostics", "-ferror-limit=0", "-fno-color-diagnostics",
                       *options]  # fmt: skip

    def run(self, lines: Iterable[str], *options: str, name: str = "all") -> subprocess.CompletedProcess[str]:
        """Compile the lines with options; `name` is that of a file."""
        source = self._folder / f"{name}.hip"
        source.write_text("\n".join(lines) + "\n")
        command = [*self._start, *options, str(source)]
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_TIMEOUT, check=False)

    def code(self, number: int, builtin: Builtin) -> Code | str:
        """Return the kernel that calls a builtin, or why there is none: "" if the target lacks the builtin.

        Arguments differ between lanes if that compiles.
        """
        error = ""
        for of_lanes in (True, False):
            lines = builtin.kernel_of_lanes(number) if of_lanes else builtin.kernel(number)
            made, said = self._compiled(lines, str(number))
            if made:
                return next(iter(_codes(made, [number], of_lanes).values()))
            if _LACKING in said:
                return ""
            error = next((line for line in said.splitlines() if "error: " in line), "the compiler fails")
        return error

    def codes_of_lanes(self, builtins: Mapping[int, Builtin]) -> dict[int, Code]:
        """Return the kernels with other arguments in each lane, of builtins that compile so, in few runs."""
        lines = [(number, line) for number, one in builtins.items() for line in one.kernel_of_lanes(number)]
        made, said = self._compiled((line for _, line in lines), f"{min(builtins)}-{max(builtins)}")
        if made:
            return _codes(made, builtins, of_lanes=True)
        numbers, half = list(builtins), len(builtins) // 2
        refused = {lines[int(error[1]) - 1][0] for error in _ERROR.finditer(said)} | _unselected(said, builtins)
        rest = ([n for n in numbers if n not in refused],) if refused else (numbers[:half], numbers[half:])
        parts = (self.codes_of_lanes({n: builtins[n] for n in part}) for part in rest if 0 < len(part) < len(numbers))
        return {number: code for found in parts for number, code in found.items()}

    def _compiled(self, lines: Iterable[str], name: str) -> tuple[bytes, str]:
        """Return the code object of the lines, empty if they do not compile, and what the compiler said."""
        made = self._folder / f"{name}.o"
        done = self.run(lines, "--no-gpu-bundle-output", "-c", "-o", str(made), name=name)
        return (made.read_bytes() if done.returncode == 0 else b""), done.stderr


def _unselected(said: str, builtins: Mapping[int, Builtin]) -> set[int]:
    """Return the builtins that the back end may have no instructions for: it names the kernel, or the intrinsic."""
    kernels = {int(number) for number in _IN_KERNEL.findall(said)}
    intrinsics = tuple(f"__builtin_amdgcn_{name.replace('.', '_')}_" for name in _INTRINSIC.findall(said))
    return kernels | {number for number, one in builtins.items() if f"{one.name}_".startswith(intrinsics)}


def _codes(data: bytes, numbers: Iterable[int], of_lanes: bool) -> dict[int, Code]:
    """Return the kernels of a code object."""
    file = ELFFile(io.BytesIO(data))
    table = file.get_section_by_name(".symtab")
    assert isinstance(table, SymbolTableSection)
    symbols = {symbol.name: symbol for symbol in table.iter_symbols()}
    sections = {at: (section["sh_addr"], section.data()) for at, section in enumerate(file.iter_sections())}

    def held(name: str) -> bytes:
        address, content = sections[symbols[name]["st_shndx"]]
        start = symbols[name]["st_value"] - address
        return bytes(content[start : start + symbols[name]["st_size"]])

    return {number: Code(held(f"k{number}"), held(f"k{number}.kd"), of_lanes) for number in numbers}


def names(program: str) -> list[str]:
    """Return the names of the builtins that a clang knows, by the text in it and in its library."""
    real = Path(program).resolve()
    files = [real, *(path for path in sorted((real.parents[1] / "lib").glob("libclang-cpp.so*")))]
    return sorted({name.decode() for path in files for name in _NAME.findall(path.read_bytes())})


def declared(compiler: Compiler, known: Iterable[str]) -> dict[int, Builtin]:
    """Return the builtins with the types that the compiler says they have."""
    calls = ["__attribute__((device)) void calls() {", *(f"(void)&{name};" for name in known), "}"]
    found: dict[str, Builtin] = {}
    current = ""
    # Naming a builtin declares it, though its address is refused; clang 19 crashes on some calls without arguments.
    for line in compiler.run(calls, "-fsyntax-only", "-Xclang", "-ast-dump").stdout.splitlines():
        if match := _DECLARED.search(line):
            current = match[1]
            found[current] = Builtin(current, match[2].split(" (", 1)[0].strip(), ())
        elif current and (match := _PARAMETER.search(line)):
            one = found[current]
            found[current] = replace(one, parameters=(*one.parameters, _spelled(match[1])))
    return dict(enumerate(found.values()))


def _spelled(kind: str) -> str:
    for word, space in _SPACES.items():
        kind = kind.replace(word, f"__attribute__((address_space({space})))")
    return kind


def accepted(compiler: Compiler, builtins: Mapping[int, Builtin]) -> tuple[dict[int, Builtin], dict[str, str]]:
    """Return the builtins with constants where they are asked for, and why others are left out."""
    left = dict(builtins)
    refused: dict[str, str] = {}
    for _ in range(_MOST_ROUNDS):
        lines = [(number, place, line) for number, one in left.items() for place, line in enumerate(one.kernel(number))]
        errors = list(_ERROR.finditer(compiler.run((line for _, _, line in lines), "-fsyntax-only").stderr))
        if not errors:
            return left, refused
        for error in errors:
            number, place, _ = lines[int(error[1]) - 1]
            if number not in left:
                continue
            changed = _with_constant(left[number], place - 2, error[2])
            if changed is not None:
                left[number] = changed
            else:
                refused[left.pop(number).name] = error[2]
    raise RuntimeError("the compiler still refuses arguments")


def kernels(compiler: Compiler, builtins: Mapping[int, Builtin]) -> dict[int, Code | str]:
    """Return for each builtin what `Compiler.code` does, with many of them in each run of the compiler."""
    there = _there(compiler, builtins)
    items = [(number, one) for number, one in builtins.items() if number in there]
    groups = [dict(items[start : start + _TOGETHER]) for start in range(0, len(items), _TOGETHER)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        together = {n: code for found in pool.map(compiler.codes_of_lanes, groups) for n, code in found.items()}
        left = [number for number in there if number not in together]
        alone = dict(zip(left, pool.map(compiler.code, left, (builtins[number] for number in left)), strict=True))
    return {number: together.get(number) or alone.get(number, "") for number in builtins}


def _there(compiler: Compiler, builtins: Mapping[int, Builtin]) -> set[int]:
    """Return the numbers of the builtins that the target has: the compiler stops at the first call that it lacks."""
    asked = (f"#if __has_builtin({one.name})\n{_HAS}{number}\n#endif" for number, one in builtins.items())
    return {int(line.removeprefix(_HAS)) for line in compiler.run(asked, "-E", "-P").stdout.split()}


def _with_constant(one: Builtin, argument: int, error: str) -> Builtin | None:
    """Return the builtin with a constant for the argument that an error is about; None for other errors."""
    fixed = dict(one.constants)
    if not 0 <= argument < len(one.parameters):
        # The error is about some argument: constants are mostly the last.
        left = [i for i, kind in enumerate(one.parameters) if i not in fixed and _INTEGER.search(kind)]
        if "must be a constant" not in error or not left:
            return None
        argument = left[-1]
    allowed = _RANGE.search(error)
    if allowed:
        value = allowed[1]
    elif "constant" in error or "string literal" in error:
        value = '"workgroup"' if "char" in one.parameters[argument] else "0"
    elif "integer is required" in error:
        value = _SEQUENTIALLY_CONSISTENT
    elif "invalid size" in error:
        value = "4"
    elif found := _CHOICE.search(error):
        value = found[1]
    else:
        return None
    return None if fixed.get(argument) == value else replace(one, constants=tuple({**fixed, argument: value}.items()))


def lacking(machine: Machine, target: str, code: bytes) -> list[str]:
    """Return the instructions in machine code that the emulator does not execute, or does not know."""
    found: list[str] = []
    while code:
        name, size = machine.decoded(target, code + bytes(16))
        if size == 0:
            return [*found, f"0x{code[:8].hex()}"]
        if "!" in name:
            found.append(name.replace("!", ""))
        code = code[size:]
    return found


@dataclass(frozen=True)
class Result:
    """The builtins that compile, the unsupported instructions by builtin, and the refusals of the compiler."""

    kernels: tuple[tuple[Builtin, Code], ...]
    lacking: Mapping[str, tuple[str, ...]]
    refused: Mapping[str, str]

    @property
    def compiled(self) -> int:
        """The number of builtins that compile."""
        return len(self.kernels)


def examine(
    program: str, machine: Machine, target: str, wave: int, chosen: Callable[[int], bool] = lambda _: True
) -> Result:
    """Compile the builtins of a clang for a target, and look up their instructions in the emulator.

    `wave` is the number of lanes of a wavefront; `chosen` tells by its number whether a builtin is compiled.
    """
    width = () if target.startswith("gfx9") else ("-mwavefrontsize64" if wave == 64 else "-mno-wavefrontsize64",)
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(program, target, Path(folder), *width)
        known = {number: one for number, one in declared(compiler, names(program)).items() if chosen(number)}
        builtins, refused = accepted(compiler, known)
        code = kernels(compiler, builtins)
    compiled = tuple((builtins[number], one) for number, one in code.items() if isinstance(one, Code))
    refused |= {builtins[number].name: text for number, text in code.items() if isinstance(text, str) and text}
    missing = {one.name: tuple(lacking(machine, target, code.text)) for one, code in compiled}
    return Result(compiled, {name: found for name, found in missing.items() if found}, refused)


def waves(target: str) -> tuple[int, ...]:
    """Return the sizes of wavefronts that a target has."""
    return (64,) if target.startswith("gfx9") else (32, 64)
