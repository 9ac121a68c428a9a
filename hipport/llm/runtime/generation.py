"""Text generation from one prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hipport.llm.runtime.engine import Engine, Sampling


def continuation(engine: Engine, prompt: Sequence[int], count: int, sampling: Sampling) -> Iterator[int]:
    """Yield up to `count` tokens that continue a prompt, stopping at an end token. Raises `HipportError`.

    The prompt must have at least one token, and the engine room for the prompt and the continuation.
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
