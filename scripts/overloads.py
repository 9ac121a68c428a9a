"""Calls of CUDA's device functions with every type that CUDA converts: which ones HIP's overloads take otherwise.

    python -m scripts.overloads record PROGRAM.cu      write a CUDA program; pipe what it prints into `save`
    python -m scripts.overloads save < OUTPUT          write tests/audit/signatures/overloads.txt
    python -m scripts.overloads check INCLUDE --rocm 6.4 [--clang clang++-19]

A call is a function and the types of its arguments; CUDA's result is the type of its value. nvcc chooses overloads
alike for both sides, so that its host compiler answers. `check` compiles the translated calls with the headers in
INCLUDE.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path

from hipport.audit.signatures import data
from hipport.audit.signatures.model import Declarations
from hipport.diagnostics import Severity
from hipport.mappings.loader import NameChoice, load, load_choice
from hipport.mappings.tables import Tables
from hipport.support import include_dir
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

CUDA = "13.0"
SIDES = ("device", "host")
RECORD = Path(__file__).parents[1] / "tests/audit/signatures/overloads.txt"
HEADERS = ("cuda_runtime.h", "cuda_fp16.h", "cuda_fp8.h", "cuda_bf16.h")
CODES = {
    "c": "unsigned char",
    "s": "short",
    "i": "int",
    "u": "unsigned int",
    "l": "long",
    "m": "unsigned long",
    "x": "long long",
    "y": "unsigned long long",
    "f": "float",
    "d": "double",
    "e": "Choice",
    "h": "__half",
    "b": "__nv_bfloat16",
}
"""Types of arguments: the small ones stand for all that are promoted to int, `Choice` for enumerations."""
_LETTERS = {name: letter for letter, name in CODES.items()}
_OF_DEVICES = re.compile(r"__|atomic|surf|tex|make_bfloat|h(?!ypot)")
_MACROS = ("isfinite", "isinf", "isnan", "signbit")
_PAIRS = frozenset(
    ["atan2", "copysign", "fdim", "fmax", "fmin", "fmod", "hypot", "max", "min", "nextafter", "pow", "remainder"]
)
"""Functions called with all pairs of types."""
_ENUM = "enum Choice : unsigned;"
_SAME = (
    "template <class A, class B> struct Same { static const bool value = false; };"
    " template <class A> struct Same<A, A> { static const bool value = true; };"
)
_TOGETHER = 150
"""Calls that are translated together: each of a name's in one file."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function with arguments of these types, and the type of its value in CUDA."""

    name: str
    types: tuple[str, ...]
    result: str = ""

    def __str__(self) -> str:
        return f"{self.result} {self.name}({', '.join(self.types)})"

    def line(self, number: int, side: str) -> str:
        """Return a function that makes the call and fails to compile if its value has another type."""
        arguments = [f"a{at}_{number}" for at in range(len(self.types))]
        parameters = ", ".join(f"{type_} {name}" for type_, name in zip(self.types, arguments, strict=True))
        call = f"{self.name}({', '.join(arguments)})"
        test = f'static_assert(Same<decltype(r), {self.result}>::value, "another type");'
        body = f"{call};" if self.result == "void" else f"auto r = {call}; {test}"
        return f"__{side}__ void use{number}({parameters}) {{ {body} }}"


def candidates(cuda: Declarations) -> list[Call]:
    """Return the calls to ask about: each overload, with the type of one or of all its numbers changed."""
    found = {call for name in sorted(_names()) for types in _declared(cuda, name) for call in _changed(name, types)}
    return sorted(found, key=lambda call: (call.name, call.types))


def _names() -> set[str]:
    tables = [load(rocm=rocm).names for rocm in data.RELEASES]
    return {name for names in tables for name, entry in names.items() if entry.library == "device" and entry.hip}


def _declared(cuda: Declarations, name: str) -> Iterator[tuple[str, ...]]:
    if name in _MACROS:
        yield ("double",)
    for overload in cuda.functions.get(name, ()):
        types = tuple(_plain(parameter.type) for parameter in overload.parameters)
        if not overload.template and not overload.variadic and not any("_T" in type_.split() for type_ in types):
            yield types


def _plain(type_: str) -> str:
    type_ = type_.removesuffix("const").strip()
    return type_ if type_.endswith(("*", "&")) else type_.removeprefix("const ")


def _changed(name: str, types: tuple[str, ...]) -> Iterator[Call]:
    numbers = [at for at, type_ in enumerate(types) if type_ in _LETTERS]
    if not numbers:
        return
    places = [(at,) for at in numbers] + [tuple(numbers)]
    choices = [dict.fromkeys(place, type_) for place in places for type_ in _LETTERS]
    if name in _PAIRS and len(numbers) == 2:
        choices += [dict(zip(numbers, pair, strict=True)) for pair in product(_LETTERS, repeat=2)]
    for choice in choices:
        yield Call(name, tuple(choice.get(at, type_) for at, type_ in enumerate(types)))


def program(calls: Sequence[Call]) -> str:
    """Return a CUDA program that prints each call with the type of its value, or `No` where CUDA does not accept it."""
    lines = [f"#include <{header}>" for header in (*HEADERS, "cmath", "cstdio", "cxxabi.h", "typeinfo")]
    lines += ["enum Choice : unsigned { choice };", "struct No {};"]
    for name in sorted({call.name for call in calls}):
        lines.append(f"template <class... A> auto p_{name}(int, A... a) -> decltype({name}(a...));")
        lines.append(f"template <class... A> No p_{name}(long, A...);")
    lines.append("static struct { const char* call; const std::type_info& type; } rows[] = {")
    for call in calls:
        values = "".join(f", *({type_}*)0" for type_ in call.types)
        lines.append(f'{{"{call.name}\\t{";".join(call.types)}", typeid(decltype(p_{call.name}(0{values})))}},')
    lines.append("};\nint main() { int s; for (auto& row : rows)")
    lines.append('  printf("%s\\t%s\\n", row.call, abi::__cxa_demangle(row.type.name(), 0, 0, &s)); }')
    return "\n".join(lines) + "\n"


def write(calls: Iterable[Call]) -> str:
    """Return the text of the record: a line for each function and result, with the types of the arguments."""
    lines: dict[tuple[str, str], list[str]] = {}
    for call in calls:
        types = ",".join(_LETTERS.get(type_, type_) for type_ in call.types)
        lines.setdefault((call.name, call.result), []).append(types)
    return "".join(f"{name}\t{result}\t{'|'.join(types)}\n" for (name, result), types in lines.items())


def read() -> list[Call]:
    """Return the recorded calls."""
    found = []
    for line in RECORD.read_text(encoding="utf-8").splitlines():
        name, result, types = line.split("\t")
        for each in types.split("|"):
            found.append(Call(name, tuple(CODES.get(one, one) for one in each.split(",")), result))
    return found


def translated(calls: Sequence[Call], tables: Tables, side: str) -> tuple[str, Mapping[int, Call]]:
    """Return a HIP source with the calls that are not reported, and these by the line that they are in."""
    includes: dict[str, None] = {}
    body: list[tuple[Call, str]] = []
    numbers = itertools.count()
    for group in _groups([call for call in calls if _is_translated(tables, call) and _is_for(call, side)]):
        head = [*(f"#include <{header}>" for header in HEADERS), f"{_ENUM} __global__ void kernel();"]
        lines = [call.line(next(numbers), side) for call in group]
        made = convert_source("\n".join([*head, *lines]).encode() + b"\n", "calls.cu", Context(tables))
        reported = {one.line - len(head) for one in made.diagnostics if one.severity is not Severity.NOTE}
        text = made.data.decode().splitlines()
        includes.update(dict.fromkeys(line for line in text[: -len(lines)] if line.startswith("#include")))
        kept = enumerate(zip(group, text[-len(lines) :], strict=True), 1)
        body += [pair for number, pair in kept if number not in reported]
    top = [*includes, _ENUM, _SAME]
    where = {number: call for number, (call, _) in enumerate(body, len(top) + 1)}
    return "\n".join([*top, *(line for _, line in body)]) + "\n", where


def _is_translated(tables: Tables, call: Call) -> bool:
    entry = tables.names.get(call.name)
    return entry is not None and entry.hip is not None


def _is_for(call: Call, side: str) -> bool:
    """Return whether CUDA has the function on this side: on the host, those of C and their kind."""
    return side == "device" or _OF_DEVICES.match(call.name) is None


def _groups(calls: Sequence[Call]) -> Iterator[list[Call]]:
    group: list[Call] = []
    for _, same in groupby(calls, key=lambda call: call.name):
        group += same
        if len(group) > _TOGETHER:
            yield group
            group = []
    if group:
        yield group


def errors(text: str, file: str, where: Mapping[int, Call]) -> dict[Call, str]:
    """Return the calls with errors in a compiler's output, and the first error of each."""
    found: dict[Call, str] = {}
    for name, line, message in re.findall(r"^(\S+?):(\d+):\d+: (?:fatal )?error: (.*)$", text, re.M):
        if name == file and int(line) in where:
            found.setdefault(where[int(line)], message)
    return found


def check(compiler: Sequence[str], folder: Path, tables: Tables, side: str) -> tuple[int, dict[Call, str]]:
    """Compile the translated calls for one side; return their number and the calls with errors."""
    text, where = translated(read(), tables, side)
    file = folder / f"{side}.hip"
    file.write_text(text)
    target = ["--cuda-host-only"] if side == "host" else ["--cuda-device-only", "--offload-arch=gfx90a"]
    flags = ["-fsyntax-only", "-w", "-ferror-limit=0", "-std=c++17", f"-I{include_dir()}"]
    environment = {**os.environ, "HIP_PLATFORM": "amd"}
    command = [*compiler, *target, *flags, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return len(where), errors(done.stderr, str(file), where)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("record").add_argument("program", type=Path)
    commands.add_parser("save")
    checking = commands.add_parser("check")
    checking.add_argument("include", type=Path)
    checking.add_argument("--rocm", required=True)
    checking.add_argument("--clang", default="clang++-19")
    options = parser.parse_args()
    if options.command == "check":
        _show(options.include, options.rocm, options.clang)
        return
    if options.command == "record":
        options.program.write_text(program(candidates(data.shipped("cuda")[CUDA])))
        return
    rows = (line.rstrip("\n").split("\t") for line in sys.stdin)
    RECORD.write_text(
        write(Call(name, tuple(types.split(";")), result) for name, types, result in rows if result != "No")
    )


def _show(include: Path, rocm: str, clang: str) -> None:
    compiler = [clang, "-x", "hip", "-nogpulib", "-D__HIP_PLATFORM_AMD__=1", f"-isystem{include}"]
    with tempfile.TemporaryDirectory() as folder:
        for side in SIDES:
            count, found = check(compiler, Path(folder), load_choice(NameChoice(rocm=rocm, cuda=CUDA)), side)
            print(f"{side}: {count} calls, {len(found)} with errors")
            for call, message in found.items():
                print(f"  {call}: {message}")


if __name__ == "__main__":
    main()
