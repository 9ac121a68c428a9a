"""Parse `--scheduler-option KEY=VALUE`, with the keys that each scheduler supports."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from hipport.errors import UsageError

_PATTERNS = {
    "wait": r"\d{1,7}",
    "partition": r"[\w.,-]+",
    "account": r"[\w.-]+",
    "qos": r"[\w.-]+",
    "constraint": r"[\w.&|,*()\[\]-]+",
    "minutes": r"[1-9]\d{0,5}",
    "memory": r"[1-9]\d{0,6}[MG]B",
    "cpus": r"[1-9]\d{0,3}",
    "interface": r"[\w.:-]+",
    "python": r"/[\w./+-]+",
}
"""Valid values. They are written into a job script, so nothing that could end a line of it is accepted."""

_EXAMPLES = {"minutes": "120", "memory": "4GB", "cpus": "1", "wait": "600", "python": "/shared/venv/bin/python"}
_NUMBERS = frozenset({"wait", "minutes", "cpus"})
_KEYS = {"dask": ("wait",), "slurm": tuple(_PATTERNS)}


@dataclass(frozen=True, slots=True)
class Options:
    """Parsed options; strings are passed to Slurm, and "" leaves a value to the site's default.

    `wait` is the time in seconds without any worker, 0 for no limit, None for the scheduler's default. `minutes`,
    `cpus` and `memory` are per worker.
    """

    wait: int | None = None
    partition: str = ""
    account: str = ""
    qos: str = ""
    constraint: str = ""
    minutes: int = 60
    memory: str = "4GB"
    cpus: int = 1
    interface: str = ""
    python: str = ""


def read_options(scheduler: str, texts: Iterable[str]) -> Options:
    """Parse the options of a scheduler, `dask` or `slurm`. Raises `UsageError` for any mistake in them."""
    found = Options()
    for text in texts:
        key, _, value = text.partition("=")
        _check(scheduler, key, value)
        found = replace(found, **{key: int(value) if key in _NUMBERS else value})  # type: ignore[arg-type]
    return found


def _check(scheduler: str, key: str, value: str) -> None:
    known = _KEYS[scheduler]
    if key not in known:
        close = difflib.get_close_matches(key, known, n=1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        raise UsageError(
            f"--scheduler-option: {scheduler} has no option {key!r}{meant}", hint=f"known: {', '.join(known)}"
        )
    if not re.fullmatch(_PATTERNS[key], value):
        example = f", such as {key}={_EXAMPLES[key]}" if key in _EXAMPLES else ""
        raise UsageError(f"--scheduler-option: {key}={value} is not valid{example}")
