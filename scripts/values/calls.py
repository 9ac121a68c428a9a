"""CUDA source that calls each function, and HIP source that calls these with the inputs of the grid as constants.

`hipport convert` translates the first one, so that what is compared is what a port computes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from scripts.values import grid
from scripts.values.grid import Words
from scripts.values.signatures import Signature
from scripts.values.types import TYPES

Chosen = Mapping[int, Signature]
"""Functions by their place in the file of signatures."""

_CUDA = """#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

"""


def cuda_source(chosen: Chosen) -> str:
    """Return CUDA source with a function `callN` for each function, one in each line."""
    return _CUDA + "".join(f"{_caller(place, one)}\n" for place, one in chosen.items())


def place_of(line: str) -> int | None:
    """Return the place of the function that a line of that source, or of its translation, calls."""
    _, found, rest = line.partition(" call_")
    return int(rest.split("(", 1)[0]) if found else None


def _caller(place: int, signature: Signature) -> str:
    inputs = [f"{one.cuda} a{number}" for number, one in enumerate(signature.inputs)]
    written = [one for one in signature.parameters if one.endswith("*")]
    outputs = [f"{one[:-1]}* o{number}" for number, one in enumerate(written)]
    back = "" if signature.result == "void" else "return "
    call = signature.call.replace("&o", "o")
    head = f"__device__ __forceinline__ {signature.result} call_{place}({', '.join(inputs + outputs)})"
    return f"{head} {{ {back}{call}; }}"


def points(signature: Signature, most: int) -> list[tuple[int, tuple[Words, ...]]]:
    """Return at most so many inputs of a function with their numbers, spread over the grid."""
    found = list(enumerate(grid.arguments(signature)))
    step = -(-len(found) // most)
    while (
        math.gcd(step, len(grid.tables(signature)[-1])) > 1 and step > 1
    ):  # so that every value of the last one occurs
        step += 1
    return found[::step]


def arguments(signature: Signature, inputs: tuple[Words, ...], load: str = "load") -> str:
    """Return the arguments of a call with these inputs."""
    return ", ".join(
        f"{load}<{one.cuda}>({', '.join(f'{word:#x}ull' for word in words)})"
        for one, words in zip(signature.inputs, inputs, strict=True)
    )


def call(place: int, signature: Signature, given: str, save: str) -> str:
    """Return statements that call `callN` with the given arguments and save its results."""
    written = [one[:-1] for one in signature.parameters if one.endswith("*")]
    outputs = "".join(f"{TYPES[one].cuda} o{number} = {{}}; " for number, one in enumerate(written))
    whole = f"call_{place}({', '.join((given, *(f'&o{number}' for number in range(len(written)))))})"
    first = f"{whole}; " if signature.result == "void" else f"{save}(out, {whole}); "
    return outputs + first + " ".join(f"{save}(out, o{number});" for number in range(len(written)))


def renamed(types: Iterable[str]) -> str:
    """Return aliases for CUDA's names of types that HIP names otherwise."""
    return "".join(f"using {one} = {TYPES[one].hip};\n" for one in types if TYPES[one].hip)
