"""Results of device functions by constant folding: HIP source in, the constants that clang stores out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from scripts.values import calls
from scripts.values.calls import Chosen
from scripts.values.grid import Words

_HEAD = """
template <class T> __device__ __forceinline__ T load(unsigned long long low, unsigned long long high = 0) {
  const unsigned long long words[2] = {low, high};
  T value;
  __builtin_memcpy((void*)&value, words, sizeof(T));
  return value;
}
template <class T> __device__ __forceinline__ void save(volatile unsigned long long* out, T value) {
  unsigned long long words[2] = {0, 0};
  __builtin_memcpy(words, (const void*)&value, sizeof(T));
  *out = words[0];
  if (sizeof(T) > 8) *out = words[1];
}
"""
_HEAD_OF_ONE = """extern "C" __device__ __attribute__((used)) void fold_{}_{}(
    volatile unsigned* at, volatile unsigned long long* out) {{
"""
"""No kernel: with hundreds of kernels, AMDGPUPropagateAttributesEarlyPass takes four fifths of clang's time."""
_STORE = re.compile(r"\s+store volatile (i32|i64) (\S+), ")
_FUNCTION = re.compile(r"define .*@fold_(\d+)_\d+\(")
_CHUNK = 32
"""Inputs in one function: clang's time for a function grows faster than its length."""

Results = dict[tuple[int, int], tuple[int | str, ...]]
"""Words by a function's place and the number of its inputs; `poison` or `undef` for a word without a value."""


def source(chosen: Chosen, inputs: Mapping[int, Iterable[tuple[int, tuple[Words, ...]]]]) -> str:
    """Return functions `fold_N` that store the number of each input, as 32 bits, and the words of its results."""
    return _HEAD + "".join(_function(chosen, place, inputs[place]) for place in chosen)


def _function(chosen: Chosen, place: int, inputs: Iterable[tuple[int, tuple[Words, ...]]]) -> str:
    lines = [
        f"  {{ *at = {number}; {calls.call(place, chosen[place], calls.arguments(chosen[place], words), 'save')} }}\n"
        for number, words in inputs
    ]
    chunks = [lines[start : start + _CHUNK] for start in range(0, len(lines), _CHUNK)]
    return "".join(f"{_HEAD_OF_ONE.format(place, number)}{''.join(chunk)}}}\n" for number, chunk in enumerate(chunks))


def read(text: str) -> Results:
    """Return the constants that LLVM IR stores; inputs without constants for all of their results are left out."""
    found: Results = {}
    twice: set[tuple[int, int]] = set()
    for key, words in _stores(text):
        if key in found:
            twice.add(key)
        found[key] = words
    return {key: words for key, words in found.items() if key not in twice and None not in words}  # type: ignore[misc]


def _stores(text: str) -> Iterator[tuple[tuple[int, int], tuple[int | str | None, ...]]]:
    place, number, words = -1, -1, list[int | str | None]()
    for line in text.splitlines():
        if opened := _FUNCTION.match(line):
            place, number = int(opened[1]), -1
        elif place >= 0 and (stored := _STORE.match(line)):
            if stored[1] == "i32":
                if number >= 0:
                    yield (place, number), tuple(words)
                number, words = int(stored[2]), []
            else:
                words.append(_word(stored[2]))
        elif line.startswith("}"):
            if place >= 0 and number >= 0:
                yield (place, number), tuple(words)
            place, number = -1, -1


def _word(text: str) -> int | str | None:
    if text in ("poison", "undef"):
        return text
    return None if text.startswith("%") or not text.lstrip("-").isdigit() else int(text) & (1 << 64) - 1
