"""Read `mappings/known/signatures/outcomes.yaml`: why a difference of signatures needs no change of the calls."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from dataclasses import dataclass

from hipport.audit.rules import known_folder, read_document
from hipport.audit.signatures.compare import Difference
from hipport.mappings.document import read

KINDS = ("harmless", "reported", "handled")
"""Nothing to do; hipport reports the call or a type in it; a pass or one of hipport's headers changes the call."""
_KEYS = ("functions", "differs", "outcome", "why")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The reason why differences of some functions are settled; `differs` is searched in the difference's text."""

    functions: tuple[str, ...]
    differs: re.Pattern[str]
    kind: str
    why: str
    line: int

    def covers(self, difference: Difference) -> bool:
        """Return whether this is about the difference."""
        named = any(fnmatch.fnmatchcase(difference.name, pattern) for pattern in self.functions)
        return named and self.differs.search(difference.what) is not None


def outcomes() -> tuple[Outcome, ...]:
    """Return the outcomes that ship; HipportError names file, line and key of the first error."""
    path = known_folder() / "signatures" / "outcomes.yaml"
    return parse_outcomes(read_document(path), path.name)


def parse_outcomes(text: str, file: str) -> tuple[Outcome, ...]:
    """Parse and check the file."""
    return tuple(_outcomes(text, file))


def _outcomes(text: str, file: str) -> Iterator[Outcome]:
    root = read(text, file)
    for value in root.members(("outcomes",))["outcomes"].items():
        parts = value.members(_KEYS)
        for key in _KEYS:
            if key not in parts:
                value.fail(f"the key {key!r} is missing")
        kind = parts["outcome"].text()
        if kind not in KINDS:
            parts["outcome"].fail(f"expected one of {', '.join(KINDS)}")
        functions = tuple(word for item in parts["functions"].items() for word in item.text().split())
        yield Outcome(functions, re.compile(parts["differs"].text()), kind, parts["why"].text(), value.line)
