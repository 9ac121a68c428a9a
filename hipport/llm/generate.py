"""One text, token by token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport.llm.inference import Engine, Sampling


def continuation(engine: Engine, prompt: Sequence[int], count: int, sampling: Sampling) -> Iterator[int]:
    """Up to `count` tokens that follow a prompt, until one that ends the text. Raises `HipportError`.

    The prompt has at least one token, and the engine room for all.
    """
    engine.reset()
    if len(prompt) > 1:
        engine.prefill(prompt[:-1])
    token = prompt[-1]
    for position in range(len(prompt) - 1, len(prompt) - 1 + count):
        (token,), _ = engine.decode([token], [position], [0], [sampling])
        if token in engine.config.end_tokens:
            return
        yield token
