"""Language models on the engine that hipport builds for AMD GPUs, NVIDIA GPUs and the CPU. Needs `hipport[llm]`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hipport.llm.runtime.conversation import Conversation
    from hipport.llm.runtime.engine import Engine, Sampling, Stats
    from hipport.llm.runtime.generation import continuation
    from hipport.llm.runtime.opening import open_engine, open_model
    from hipport.llm.sources.text import read_template, read_text
    from hipport.llm.weights.formats import Formats

__all__ = [
    "Conversation",
    "Engine",
    "Formats",
    "Sampling",
    "Stats",
    "continuation",
    "open_engine",
    "open_model",
    "read_template",
    "read_text",
]

_MODULES = {
    "Conversation": "runtime.conversation",
    "Engine": "runtime.engine",
    "Formats": "weights.formats",
    "Sampling": "runtime.engine",
    "Stats": "runtime.engine",
    "continuation": "runtime.generation",
    "open_engine": "runtime.opening",
    "open_model": "runtime.opening",
    "read_template": "sources.text",
    "read_text": "sources.text",
}
"""Modules are imported on first access: some need packages that others do not."""


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
