"""Try grammars in a process of their own, whose time and memory have limits.

llguidance bounds the work of most grammars, but not of all, and its work cannot be interrupted. Each line of standard
input is a JSON object with `kind` and `text`; each line of standard output is one with `ok`, or `error` and its `kind`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hipport.llm.workers.loop import answer_requests

if TYPE_CHECKING:
    from llguidance import LLTokenizer

_STEPS = 24
_END = 256


def main() -> None:
    """Answer requests until the input ends."""
    answer_requests(_answer)


def _answer(request: Mapping[str, Any]) -> dict[str, str]:
    from hipport.llm.guided.compiling import GrammarError, compiled, first_line

    try:
        matcher = compiled(_bytes(), request["kind"], request["text"])
    except GrammarError as error:
        return {"kind": "invalid", "error": str(error)}
    except MemoryError:
        return {"kind": "memory", "error": ""}
    for step in range(_STEPS):
        mask = matcher.compute_bitmask()
        allowed = [i for i in range(_END) if mask[i // 8] >> (i % 8) & 1]
        if matcher.is_error() or not allowed or matcher.is_stopped():
            break
        matcher.consume_token(allowed[step * 7 % len(allowed)])
    said = matcher.get_error()
    return {"kind": "invalid", "error": f"the grammar: {first_line(said)}"} if said else {"ok": ""}


@functools.cache
def _bytes() -> LLTokenizer:
    """Return a tokenizer whose tokens are bytes."""
    import llguidance

    class Bytes:
        eos_token_id = _END
        bos_token_id = None
        tokens = [*(bytes([i]) for i in range(256)), b"<end>"]
        special_token_ids = [_END]

        def __call__(self, text: bytes) -> list[int]:
            return list(text)

    return llguidance.LLTokenizer(llguidance.TokenizerWrapper(Bytes()), eos_token=_END)


if __name__ == "__main__":
    main()
