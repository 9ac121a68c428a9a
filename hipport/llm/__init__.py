"""Language models on the engine that hipport builds for AMD GPUs, NVIDIA GPUs and the CPU. Needs `hipport[llm]`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hipport.llm.chat_template import read_template
    from hipport.llm.conversation import Conversation
    from hipport.llm.formats import Formats
    from hipport.llm.generate import continuation
    from hipport.llm.inference import Engine, Sampling, Stats
    from hipport.llm.opening import open_engine, open_model
    from hipport.llm.text import read_text

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
    "Conversation": "conversation",
    "Engine": "inference",
    "Formats": "formats",
    "Sampling": "inference",
    "Stats": "inference",
    "continuation": "generate",
    "open_engine": "opening",
    "open_model": "opening",
    "read_template": "chat_template",
    "read_text": "text",
}
"""Modules are imported on first access: some need packages that others do not."""


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
