"""CUB's algorithms for a whole device."""

from __future__ import annotations

import random
from collections.abc import Iterator
from string import Template

from tests.translate.adversarial.fields import Case

HEAD = """\
#include <cub/cub.cuh>
// Asks how much storage a call takes, makes it, and calls again.
#define TWICE(function, ...)                         \\
  do {                                               \\
    void* storage = nullptr;                         \\
    size_t bytes = 0;                                \\
    put(function(storage, bytes, __VA_ARGS__));      \\
    cudaMalloc(&storage, bytes ? bytes : 1);         \\
    put(function(storage, bytes, __VA_ARGS__));      \\
    put(cudaDeviceSynchronize());                    \\
    cudaFree(storage);                               \\
  } while (0)
#define I(v) thrust::raw_pointer_cast(v.data())
#define HASHED(v) put(hash_of_all(0, v))
"""

_TYPES = ("int", "unsigned", "long long", "float", "double", "short", "uchar")
_STEPS = (
    "TWICE(cub::DeviceReduce::Sum, I(k), I(r), n);",
    "TWICE(cub::DeviceReduce::Min, I(a), I(c), n);",
    "TWICE(cub::DeviceReduce::Max, I(a), I(c), n);",
    "TWICE(cub::DeviceReduce::Reduce, I(a), I(c), n, Larger<T>(), T(3));",
    "TWICE(cub::DeviceReduce::Sum, TRANSFORM(a.begin(), Odd()), I(r), n);",
    "TWICE(cub::DeviceReduce::ReduceByKey, I(s), I(c), I(k), I(r), I(count), thrust::plus<int>(), n);",
    "TWICE(cub::DeviceScan::InclusiveSum, I(k), I(r), n);",
    "TWICE(cub::DeviceScan::ExclusiveSum, I(k), I(r), n);",
    "TWICE(cub::DeviceScan::InclusiveScan, I(a), I(c), Larger<T>(), n);",
    "TWICE(cub::DeviceScan::ExclusiveScan, I(a), I(c), Larger<T>(), T($n), n);",
    "TWICE(cub::DeviceScan::InclusiveSumByKey, I(s), I(k), I(r), n);",
    "TWICE(cub::DeviceScan::ExclusiveSumByKey, I(s), I(k), I(r), n);",
    "TWICE(cub::DeviceRadixSort::SortKeys, I(a), I(c), n$bits);",
    "TWICE(cub::DeviceRadixSort::SortKeysDescending, I(a), I(c), n$bits);",
    "TWICE(cub::DeviceRadixSort::SortPairs, I(a), I(c), I(k), I(r), n$bits);",
    "TWICE(cub::DeviceRadixSort::SortPairsDescending, I(a), I(c), I(k), I(r), n$bits);",
    "cub::DoubleBuffer<T> both(I(a), I(c)); TWICE(cub::DeviceRadixSort::SortKeys, both, n); "
    "thrust::device_vector<T> d(both.Current(), both.Current() + n); HASHED(d); a = c = d;",
    "TWICE(cub::DeviceSegmentedSort::StableSortKeys, I(a), I(c), n, 4, I(at), I(at) + 1);",
    "TWICE(cub::DeviceSegmentedSort::StableSortPairsDescending, I(a), I(c), I(k), I(r), n, 4, I(at), I(at) + 1);",
    "TWICE(cub::DeviceSegmentedRadixSort::SortKeys, I(a), I(c), n, 4, I(at), I(at) + 1);",
    "TWICE(cub::DeviceSegmentedReduce::Sum, I(k), I(r), 4, I(at), I(at) + 1);",
    "TWICE(cub::DeviceSegmentedReduce::Max, I(a), I(c), 4, I(at), I(at) + 1);",
    "TWICE(cub::DeviceSelect::If, I(a), I(c), I(count), n, Odd());",
    "TWICE(cub::DeviceSelect::Flagged, I(a), TRANSFORM(k.begin(), Small()), I(c), I(count), n);",
    "TWICE(cub::DeviceSelect::Unique, I(s), I(c), I(count), n);",
    "TWICE(cub::DeviceSelect::UniqueByKey, I(s), I(k), I(c), I(r), I(count), n);",
    "TWICE(cub::DevicePartition::If, I(a), I(c), I(count), n, Small());",
    "TWICE(cub::DevicePartition::Flagged, I(a), TRANSFORM(k.begin(), Odd()), I(c), I(count), n);",
    "TWICE(cub::DeviceRunLengthEncode::Encode, I(s), I(c), I(r), I(count), n);",
    "TWICE(cub::DeviceRunLengthEncode::NonTrivialRuns, I(s), I(k), I(r), I(count), n);",
    "TWICE(cub::DeviceHistogram::HistogramEven, I(k), I(r), 9, 0, 40, n);",
    "TWICE(cub::DeviceHistogram::HistogramRange, I(k), I(r), 5, I(at), n);",
    "TWICE(cub::DeviceMergeSort::StableSortKeys, I(a), n, ByDigit());",
    "TWICE(cub::DeviceMergeSort::StableSortPairs, I(a), I(k), n, thrust::less<T>());",
    "TWICE(cub::DeviceAdjacentDifference::SubtractLeftCopy, I(k), I(r), n, thrust::minus<int>());",
    "TWICE(cub::DeviceAdjacentDifference::SubtractRight, I(k), n, thrust::minus<int>());",
)  # fmt: skip
"""Statements: vectors `a`, `c` and, sorted, `s` of T; `k` and `r` of int; five places `at`; `count` of one int."""


def cub(choose: random.Random, number: int) -> Case:
    """Return a case of some algorithms, after each of which all vectors are hashed."""
    size = choose.choice((50, 700, 5000))
    lines = [
        f"typedef {choose.choice(_TYPES)} T; const int n = {size}; thrust::device_vector<T> a, c, s;",
        "thrust::device_vector<int> k, r, at(6), count(1);",
        f"fill(a, n, {choose.randrange(999)}, 60); fill(c, n, 5, 7); fill(k, n, 3, 40); fill(r, n, 8, 40);",
        f"s = a; thrust::sort(ALL(s)); for (int i = 0; i < 6; ++i) at[i] = i * {size // 5 if size < 700 else 9};",
        *(line for text in choose.sample(_STEPS, choose.randint(3, 5)) for line in _step(choose, text)),
    ]
    return Case(lines)


def _step(choose: random.Random, text: str) -> Iterator[str]:
    bits = choose.choice(("", "", ", 0, 5", ", 2, 8"))
    yield f"{{ {Template(text).substitute(n=choose.randint(1, 30), bits=bits)} }}"
    yield "HASHED(a); HASHED(c); HASHED(k); HASHED(r); put(count[0]);"
