"""Passes: each module here has a `run(work)` that yields edits and diagnostics, and does not see other passes' edits.

A pass is found by being in this package. Its edits are given in offsets of the original text, so their order does not
matter.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator

from hipport.diagnostics import Diagnostic
from hipport.source import Edit
from hipport.translate.work import Work

Step = Callable[[Work], Iterator[Edit | Diagnostic]]


@functools.cache
def steps() -> tuple[Step, ...]:
    """Return the `run` functions of all passes, in the order of their module names."""
    modules = (importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__))
    return tuple(module.run for module in modules if hasattr(module, "run"))
