"""The loop of a worker process, whose memory has a limit; `process` is the other side."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

MEMORY = 1 << 30
"""Bytes of address space."""


def answer_requests(answer: Callable[[Mapping[str, Any]], Mapping[str, str]]) -> None:
    """Answer requests, one a line, until the input ends."""
    _limit_memory()
    requests, answers = sys.stdin, sys.stdout
    sys.stdout = sys.stderr
    for line in requests:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (OSError, ValueError):  # macOS knows the limit and does not keep it
        return
