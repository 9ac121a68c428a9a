"""Render Markdown in a process of its own, whose time and memory have limits.

The text is a model's, and may be hostile: regular expressions of a syntax highlighter can take exponential time, during
which no other thread of a process runs. A request is a JSON object with `text` and `colors`; the answer has `html`, or
a `kind` of error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hipport.llm.serving.markdown import html_of
from hipport.llm.workers.loop import answer_requests


def _answer(request: Mapping[str, Any]) -> dict[str, str]:
    try:
        return {"html": html_of(request["text"], colors=request["colors"])}
    except (MemoryError, RecursionError) as error:
        return {"kind": type(error).__name__}


if __name__ == "__main__":
    answer_requests(_answer)
