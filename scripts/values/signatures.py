"""The device functions of CUDA's headers that map values to values, read from preprocessed headers.

A signature is one line of text: `float fmaf(float, float, float)`. `float*` is a parameter that the function writes.
Expressions with types in place of a name, such as `int (int)(float)` or `__half a+b(__half, __half)`, stand for casts
and operators.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.values.types import TYPES, Type

_HEADERS = (
    r"crt/(math_functions|device_functions|device_double_functions|common_functions|sm_\d+_rt)|"
    r"sm_\d\d_intrinsics|cuda_fp16|cuda_bf16|cuda_fp8"
)
_MARKER = re.compile(r'# \d+ "(.*)".*')
_HEADER = re.compile(rf".*/({_HEADERS})\.hp?p?\Z")
_NOISE = re.compile(
    r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)|\b(?:throw|noexcept)\s*\((?:[^()]|\([^()]*\))*\)|"
    r"\b(?:static|extern|inline|__inline__|__inline|__forceinline__|noexcept|constexpr)\b"
)
_FUNCTION = re.compile(r"\s*([\w\s]+?[\s&*])\s*(\w+)\s*\(([^()]*)\)\s*[;{:]?\s*\Z")
_SPELLINGS = {
    "unsigned": "unsigned int",
    "long int": "long",
    "unsigned long int": "unsigned long",
    "unsigned short int": "unsigned short",
    "short int": "short",
    "unsigned long long int": "unsigned long long",
    "long long int": "long long",
    "half": "__half",
    "half2": "__half2",
    "nv_bfloat16": "__nv_bfloat16",
    "nv_bfloat162": "__nv_bfloat162",
    "__nv_half": "__half",
    "__nv_half2": "__half2",
}
_NOT_VALUES = re.compile(
    r"_(?!_)|\w*[aA]tomic|__(st(wb|cg|cs|wt)$|internal|float_simpl|shfl|match|reduce|sync|any|all|ballot|active|nano|clock|pm|prof|uni)|"
    r"syncthreads|ballot|\w+_impl$|__(finite|isinf|isnan|signbit)l$|__nv_bswap|fdivide$|__signbit"
)
"""Functions of a warp, of time and of memory, and helpers of the headers."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A function of values; `outputs` follow `parameters`, and `call` is an expression of a0, a1, ... and &o0, ..."""

    name: str
    result: str
    parameters: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.result} {self.name}({', '.join(self.parameters)})"

    @property
    def inputs(self) -> tuple[Type, ...]:
        return tuple(TYPES[one] for one in self.parameters if not one.endswith("*"))

    @property
    def results(self) -> tuple[Type, ...]:
        """Return the types of all results: the return value's and those of the outputs."""
        own = () if self.result == "void" else (TYPES[self.result],)
        return (*own, *(TYPES[one[:-1]] for one in self.parameters if one.endswith("*")))

    @property
    def call(self) -> str:
        """Return an expression of inputs a0, a1, ... and outputs o0, o1, ... in CUDA's names."""
        if re.fullmatch(r"\w+", self.name):
            inputs, outputs = iter(range(len(self.parameters))), iter(range(len(self.parameters)))
            arguments = (f"&o{next(outputs)}" if one.endswith("*") else f"a{next(inputs)}" for one in self.parameters)
            return f"{self.name}({', '.join(arguments)})"
        if self.name.startswith("("):
            return f"static_cast<{self.name[1:-1]}>(a0)"
        return re.sub(r"\bb\b", "a1", re.sub(r"\ba\b", "a0", self.name))


def parse(line: str) -> Signature:
    """Read a signature as `str` writes it."""
    found = re.fullmatch(r"(\S.*?) (\S+|\([\w ]+\))\(([^()]*)\)", line)
    if not found:
        raise ValueError(f"no signature: {line}")
    return Signature(found[2], found[1], tuple(found[3].split(", ")))


def read(path: Path) -> tuple[Signature, ...]:
    """Read a file of signatures, one in each line."""
    return tuple(parse(line) for line in path.read_text().splitlines() if line and not line.startswith("#"))


def declared(preprocessed: str) -> tuple[Signature, ...]:
    """Return the functions of values that preprocessed CUDA headers declare at file scope."""
    found = dict.fromkeys(one for text in _statements(preprocessed) for one in _signature(text))
    return tuple(sorted(found, key=str))


def _statements(preprocessed: str) -> Iterator[str]:
    """Yield the text of each declaration of the headers of device functions, function bodies left out."""
    depth, text = 0, ""
    for character in _NOISE.sub(" ", _device_headers(preprocessed)):
        if character == "{":
            is_linkage = depth == 0 and not text.strip()  # what is left of extern "C++" {
            depth += 0 if is_linkage else 1
            if depth == 1 and text:
                yield text
            text = ""
        elif character == "}":
            depth, text = max(0, depth - 1), ""
        elif depth == 0 and character == ";":
            yield text
            text = ""
        elif depth == 0:
            text += character


def _device_headers(preprocessed: str) -> str:
    """Return what the headers of device functions say, without strings and line markers."""
    inside, kept = False, list[str]()
    for line in preprocessed.splitlines():
        if marker := _MARKER.fullmatch(line):
            inside = bool(_HEADER.fullmatch(marker[1]))
        elif inside and not line.startswith("#"):
            kept.append(re.sub(r'"(?:[^"\\]|\\.)*"', " ", line) + "\n")
    return "".join(kept)


def _signature(text: str) -> Iterator[Signature]:
    match = _FUNCTION.fullmatch(text)
    if not match or _NOT_VALUES.match(match[2]):
        return
    result = _spelled(match[1])
    parameters = tuple(_parameter(one) for one in match[3].split(","))
    outputs = sum(one.endswith("*") for one in parameters)
    known = all(one.removesuffix("*") in TYPES for one in parameters)
    if known and outputs < len(parameters) and (result in TYPES or (result == "void" and outputs)):
        yield Signature(match[2], result, parameters)


def _parameter(text: str) -> str:
    """Return the type of a parameter, with a star if the function writes to it."""
    if "*" in text:
        pointee = text.split("*")[0]
        return "" if "const" in pointee.split() else _spelled(pointee) + "*"
    words = text.replace("const", " ").split()
    whole = " ".join(words)
    plain = _SPELLINGS.get(whole, whole)
    return plain if plain in TYPES else _spelled(" ".join(words[:-1]))


def _spelled(text: str) -> str:
    words = " ".join(word for word in text.replace("const", " ").split())
    return _SPELLINGS.get(words, words)


_FLOATS = ("float", "double", "__half", "__nv_bfloat16")
_INTEGERS = (
    *("char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int"),
    *("long long", "unsigned long long"),
)


def expressions() -> tuple[Signature, ...]:
    """Return casts between numbers, and the operators of half and bfloat16."""
    casts = [
        Signature(f"({to})", to, (source,))
        for source in (*_FLOATS, *_INTEGERS)
        for to in (*_FLOATS, *_INTEGERS, *(("bool",) if source in _FLOATS else ()))
        if source != to
        and not (source in _INTEGERS and to in _INTEGERS)
        and {source, to} != {"__half", "__nv_bfloat16"}
    ]
    operators = [
        Signature(f"a{sign}b", "bool" if sign in ("==", "!=", "<", "<=", ">", ">=") else one, (one, one))
        for one in ("__half", "__half2", "__nv_bfloat16", "__nv_bfloat162")
        for sign in ("+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=")
    ]
    tests = [
        Signature(name, "bool", (one,)) for name in ("isnan", "isinf", "isfinite", "signbit") for one in _FLOATS[:2]
    ]
    return (*casts, *operators, *tests)
