"""Replacements that the CPU target makes in headers of rocPRIM, hipCUB and rocThrust, beside the constructs of HIP."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

_HIDDEN = b"HIPPORT_DEVICE_PASS"
"""A macro that is never defined, as long as `__HIP_DEVICE_COMPILE__`, which is."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A replacement in the files whose path below the include folder matches; it keeps the number of lines."""

    files: str
    pattern: re.Pattern[bytes]
    replacement: bytes | Callable[[re.Match[bytes]], bytes]


def _lines(match: re.Match[bytes]) -> bytes:
    return b"\n" * match[0].count(b"\n")


RULES = (
    # Host and device code are compiled together: what starts kernels and copies has to take the host's side.
    Rule("thrust/*", re.compile(rb"\b__HIP_DEVICE_COMPILE__\b"), _HIDDEN),
    Rule("rocprim/intrinsics/atomic.hpp", re.compile(rb"\b__HIP_DEVICE_COMPILE__\b"), _HIDDEN),
    # 128-bit atomics and loads that pass by the caches are assembly of the GPU.
    Rule("rocprim/config.hpp", re.compile(rb"(define ROCPRIM_MAX_ATOMIC_SIZE) 16"), rb"\1 8"),
    Rule("*/config.hpp", re.compile(rb"(define \w+_THREAD_(?:LOAD|STORE)_USE_CACHE_MODIFIERS) 1"), rb"\1 0"),
    Rule("rocprim/config.hpp", re.compile(rb'#warning "unknown build target"'), b""),
    # A function of its own with the name of one that device code has.
    Rule("thrust/random/detail/erfcinv.h", re.compile(rb"\berfcinv\(double"), b"thrust_erfcinv(double"),
    # Overloads for device code beside those for the host, whose copies work in kernels here, too.
    Rule("hipcub/*/grid_queue.hpp", re.compile(rb"HIPCUB_DEVICE hipError_t \w+\([^)]*\)\s*\{[^}]*\}"), _lines),
)


def applied(name: str, data: bytes) -> bytes:
    """Return a header, named by its path below the include folder, with the replacements."""
    for rule in RULES:
        if fnmatchcase(name, rule.files):
            data = rule.pattern.sub(rule.replacement, data)
    return data
