"""Keep the compiled patterns of a command in the user's cache for the next one."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import hipport
from hipport import lazy_re
from hipport.pattern_codes import PatternCodes

_KIND = "patterns"


@contextlib.contextmanager
def kept_patterns() -> Iterator[None]:
    """Take patterns that earlier commands have compiled from the cache; at the end, add those that this one has."""
    codes = PatternCodes(_read)
    lazy_re.keep(codes)
    try:
        yield
    finally:
        if codes.new:
            from hipport.mappings import cache

            cache.write(_name(), {**_read(), **codes.new}, _KIND)  # another command may have added some meanwhile


def _read() -> Mapping[Any, Any]:
    from hipport.mappings import cache  # `--help` needs no pattern

    return cache.read(_name(), _KIND) or {}


def _name() -> str:
    from hipport.mappings import cache

    return cache.key(sys.version.encode(), hipport.__version__.encode())
