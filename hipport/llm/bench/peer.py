"""Results of another implementation, with which those of `hipport llm bench` are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hipport.errors import HipportError


@dataclass(frozen=True, slots=True)
class Peer:
    """Another implementation's speed: `tokens_per_second` of greedy decoding, of all `sequences` together.

    `prompt_rate`: prompt tokens per second, 0 if it was not measured.
    """

    name: str
    device: str
    tokens_per_second: float
    sequences: int = 1
    prompt_rate: float = 0.0


def load_torch() -> Any:
    """Import and return PyTorch. Raises `HipportError` if it is not installed."""
    try:
        import torch
    except ImportError:
        hint = "Install it for this machine's GPU: https://pytorch.org"
        raise HipportError("PyTorch is not installed", hint=hint) from None
    return torch


def device_of(torch: Any) -> tuple[str, str]:
    """Return PyTorch's word for the device that it computes on, and the device's name."""
    return ("cuda", torch.cuda.get_device_name()) if torch.cuda.is_available() else ("cpu", "CPU")
