"""Read the functions of the CPU target's headers, for libraries that export them with their C names."""

from __future__ import annotations

import re
from collections.abc import Iterator

_DECLARED = re.compile(
    r"(template\s*<[^>]*>\s*)?\binline (hipError_t|hipblasStatus_t|hiprandStatus_t|miopenStatus_t|const char\s?\*) ?"
    r"((?:hip|miopen)[A-Z]?\w+)\(([^{;]*?)\)\s*\{",
    re.M | re.S,
)
_DEFAULT = re.compile(r"\s*=.*$", re.S)
_NAMED = re.compile(r"(\w+)(\[\w*\])?$")
_TYPES = re.compile(r"^(?:const )?(?:unsigned|unsigned long long|struct \w+|\w+)(?: const)?[\s*&]*$")


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
