"""Changes the logits of one answer from step to step: biases, penalties and the mask of a grammar."""

from __future__ import annotations

from collections import Counter

import numpy as np

from hipport.llm.guided.grammar import Matcher
from hipport.llm.runtime.changes import Changes
from hipport.llm.runtime.engine import Logits
from hipport.llm.serving.jobs import Controls, Logprobs


class Steering:
    """The state of one answer's controls. Raises `GrammarError` if its grammar becomes too complex."""

    __slots__ = ("_controls", "_counts", "_matcher")

    def __init__(self, controls: Controls) -> None:
        self._controls = controls
        self._counts: Counter[int] = Counter()
        self._matcher: Matcher | None = controls.grammar.matcher() if controls.grammar else None

    def changes(self) -> Changes | None:
        """Return the changes of the next token's logits."""
        controls, values = self._controls, dict(self._controls.bias)
        if controls.presence or controls.frequency:
            for token, count in self._counts.items():
                values[token] = values.get(token, 0.0) - controls.presence - controls.frequency * count
        mask = self._matcher.mask() if self._matcher else None
        return Changes(values, mask) if values or mask is not None else None

    def took(self, token: int) -> bool:
        """Note the token that was sampled; return whether the grammar permits no other after it."""
        if self._controls.presence or self._controls.frequency:
            self._counts[token] += 1
        return self._matcher.took(token) if self._matcher else False


def logprobs_of(token: int, logits: Logits, most: int) -> Logprobs:
    """Return the log probabilities of a token and of the `most` likeliest ones."""
    values = logits.astype(np.float64)
    values -= values.max()
    values -= np.log(np.exp(values).sum())
    most = min(most, len(values))
    top = np.argpartition(-values, most - 1)[:most] if most else np.array([], int)
    ordered = sorted(((int(i), float(values[i])) for i in top), key=lambda pair: (-pair[1], pair[0]))
    return Logprobs(float(values[token]), tuple(ordered))
