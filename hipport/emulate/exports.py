"""Read the functions of the CPU target's headers, for libraries that export them with their C names."""

from __future__ import annotations

import re
from collections.abc import Iterator

_RESULTS = r"hipError_t|hip(?:blas|rand|solver|sparse)Status_t|miopenStatus_t|hipfftResult|ncclResult_t|const char\s?\*"
_DECLARED = re.compile(
    rf"(template\s*<[^>]*>\s*)?\b(?:inline|HIPPORT_RUNTIME) ({_RESULTS}) ?"
    r"((?:hip|miopen|nccl)[A-Z]?\w+)\(([^{;]*?)\)\s*\{",
    re.M | re.S,
)
_DEFAULT = re.compile(r"\s*=.*$", re.S)
_NAMED = re.compile(r"(\w+)(\[\w*\])?$")
_TYPES = re.compile(
    r"^(?:const )?(?:unsigned|signed char|(?:unsigned )?long long|struct \w+|\w+)(?:[\s*&]|\bconst\b)*$"
)


def functions(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and definition, EXPORT(result, name, parameters, arguments), of each inline function."""
    for template, result, name, declared in _DECLARED.findall(text):
        if template:
            continue
        if declared.strip() == "...":
            yield name, f"EXPORT({result}, {name}, (...), ())"
            continue
        both = list(parameters(declared))
        types = ", ".join(one for one, _ in both)
        yield name, f"EXPORT({result}, {name}, ({types}), ({', '.join(one for _, one in both)}))"


def parameters(text: str) -> Iterator[tuple[str, str]]:
    """Yield type with name, and name, of each parameter; those without a name get one."""
    depth, part, parts = 0, "", []
    for character in text:
        depth += (character in "(<[") - (character in ")>]")
        if character == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    for number, piece in enumerate([*parts, part] if part.strip() else parts):
        declared = " ".join(_DEFAULT.sub("", piece).split())
        if _TYPES.match(declared):
            yield f"{declared} unnamed{number}", f"unnamed{number}"
        else:
            found = _NAMED.search(declared)
            assert found is not None, declared
            yield declared, found[1]
