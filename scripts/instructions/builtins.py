"""Which instructions of clang's builtin functions for AMD GPUs the emulator lacks.

    python -m scripts.instructions.builtins CLANG LIBRARY [TARGET...]

LIBRARY is the emulator's. The builtins are those that the compiler itself knows: their names stand in its files, and it
says their types and what it asks of their arguments. Each is compiled in a kernel of its own for each target.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from hipport.emulate.library import TARGETS
from scripts.instructions.machine import Machine

_NAME = re.compile(rb"__builtin_amdgcn_\w+")
_DECLARED = re.compile(r"implicit (?:used )?(__builtin_amdgcn_\w+) '(.*?)(?: noexcept)?' extern")
_PARAMETER = re.compile(r"ParmVarDecl .*? '(.*)'(?::'.*')?$")
_ERROR = re.compile(r"^[^\n:]*:(\d+):\d+: error: (.*)$", re.MULTILINE)
_RANGE = re.compile(r"outside the valid range \[(-?\d+), (-?\d+)\]")
_CHOICE = re.compile(r"must be (?:a |one of )?(\d+)(?:,|$)")
_INTEGER = re.compile(r"^(?:bool|(?:un)?signed|int|short|long)\b[^*]*$|^(?:unsigned )?(?:int|short|char)$")
_SPACES = {"__shared__": 3, "__device__": 1, "__constant__": 4}
"""The address spaces that clang prints as HIP's attributes."""
_SEQUENTIALLY_CONSISTENT = "5"
_RESOURCE = "__amdgpu_buffer_rsrc_t"
_MOST_ROUNDS = 12
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

    @staticmethod
    def _argument(place: int, kind: str) -> str:
        return f"__builtin_amdgcn_make_buffer_rsrc(a{place}, 0, 4096, 0)" if kind == _RESOURCE else f"a{place}"


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

    def code(self, number: int, builtin: Builtin) -> bytes | str:
        """Return the machine code of the kernel that calls a builtin, or why there is none.

        That is "" if the target lacks the builtin.
        """
        made = self._folder / f"{number}.o"
        options = ("--no-gpu-bundle-output", "-c", "-o", str(made))
        done = self.run(builtin.kernel(number), *options, name=str(number))
        if done.returncode == 0:
            return _function(made.read_bytes(), f"k{number}")
        if "target feature" in done.stderr:
            return ""
        return next((line for line in done.stderr.splitlines() if "error: " in line), "the compiler fails")


def _function(data: bytes, name: str) -> bytes:
    """Return the machine code of a function of an object file."""
    file = ELFFile(io.BytesIO(data))
    text, symbols = file.get_section_by_name(".text"), file.get_section_by_name(".symtab")
    assert text is not None and isinstance(symbols, SymbolTableSection)
    (symbol,) = symbols.get_symbol_by_name(name) or []
    start = symbol["st_value"] - text["sh_addr"]
    return bytes(text.data()[start : start + symbol["st_size"]])


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
    """The number of builtins that compile for a target, the unsupported instructions by builtin, and the refusals."""

    compiled: int
    lacking: Mapping[str, tuple[str, ...]]
    refused: Mapping[str, str]


def examine(program: str, machine: Machine, target: str, wave: int) -> Result:
    """Compile all builtins of a clang for a target, and look up their instructions in the emulator.

    `wave` is the number of lanes of a wavefront.
    """
    width = () if target.startswith("gfx9") else ("-mwavefrontsize64" if wave == 64 else "-mno-wavefrontsize64",)
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(program, target, Path(folder), *width)
        builtins, refused = accepted(compiler, declared(compiler, names(program)))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            code = dict(zip(builtins, pool.map(compiler.code, builtins, builtins.values()), strict=True))
    compiled = {builtins[number].name: text for number, text in code.items() if isinstance(text, bytes)}
    refused |= {builtins[number].name: text for number, text in code.items() if isinstance(text, str) and text}
    missing = {name: tuple(lacking(machine, target, text)) for name, text in compiled.items()}
    return Result(len(compiled), {name: found for name, found in missing.items() if found}, refused)


def waves(target: str) -> tuple[int, ...]:
    """Return the sizes of wavefronts that a target has."""
    return (64,) if target.startswith("gfx9") else (32, 64)


def main() -> None:
    """Print what is lacking for each target."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clang")
    parser.add_argument("library", type=Path)
    parser.add_argument("targets", nargs="*", default=TARGETS)
    arguments = parser.parse_args()
    machine = Machine(arguments.library)
    for target, wave in ((name, wave) for name in arguments.targets for wave in waves(name)):
        result = examine(arguments.clang, machine, target, wave)
        counts = f"{result.compiled} builtins compiled, {len(result.lacking)} need what is not executed"
        print(f"{target}, {wave} lanes: {counts}")
        for name, instructions in result.lacking.items():
            print(f"  {name}: {', '.join(instructions)}")
        for name, why in result.refused.items():
            print(f"  {name} was not compiled: {why}")


if __name__ == "__main__":
    main()
