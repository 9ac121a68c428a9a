"""The parameters of rotary position embedding, and how they are scaled for longer sequences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hipport.llm.model.values import count, finite, number, positive, shown


@dataclass(frozen=True, slots=True)
class Rope:
    """Rotary position embedding with base `theta`, and a `factor` by which frequencies are divided.

    If `original` is 0, all frequencies are divided. Otherwise, as in Llama 3, frequencies that turn fewer than `low`
    times within `original` positions are divided, those that turn more than `high` times are kept, and those between
    are blended. `divisors`, if given, has a divisor for each pair of dimensions instead. Cosines and sines are
    multiplied by `attention`, which is not 1 with YaRN. Engines for more than `short` positions, if that is not 0, take
    `long_divisors` (LongRoPE). `rotated`: how many of a head's dimensions are rotated, its first; 0: all.
    """

    theta: float = 10000.0
    factor: float = 1.0
    low: float = 1.0
    high: float = 4.0
    original: int = 0
    divisors: tuple[float, ...] = ()
    attention: float = 1.0
    rotated: int = 0
    short: int = 0
    long_divisors: tuple[float, ...] = ()

    def for_positions(self, positions: int) -> Rope:
        """Return the rotation for sequences of up to so many positions."""
        return replace(self, divisors=self.long_divisors) if self.short and positions > self.short else self


def read_rope(data: Mapping[str, Any], head_width: int, default: float = 10000.0) -> Rope:
    """Read the parameters from `config.json`; `default` is the base. Raises `KeyError` and `ValueError`.

    transformers before 5 writes `rope_theta` and `rope_scaling`, later releases `rope_parameters`.
    """
    found = _parameters(data, "full_attention")
    width = _rotated(data, found, head_width)
    return replace(_read({"rope_theta": default, **data}, found, width), rotated=width if width != head_width else 0)


def read_local_rope(data: Mapping[str, Any], head_width: int) -> Rope:
    """Read the parameters of Gemma 3's layers with a window. Raises `KeyError` and `ValueError`."""
    new = (data.get("rope_parameters") or {}).get("sliding_attention")
    found = new or {"rope_theta": data.get("rope_local_base_freq", LOCAL_THETA)}
    if not isinstance(found, dict):
        raise ValueError(f"sliding_attention is {shown(found)}")
    return _read(data, {"rope_theta": LOCAL_THETA} | found, head_width)


LOCAL_THETA = 10000.0


def _parameters(data: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    found = data.get("rope_parameters") or data.get("rope_scaling") or {}
    found = found.get(kind, found) if isinstance(found, dict) else found
    if not isinstance(found, dict):
        raise ValueError(f"rope_scaling is {found!r}")
    return found


def _rotated(data: Mapping[str, Any], found: Mapping[str, Any], head_width: int) -> int:
    factor = finite(found if "partial_rotary_factor" in found else data, "partial_rotary_factor", 1.0)
    return checked_rotation(int(head_width * factor), head_width)


def checked_rotation(width: int, head_width: int) -> int:
    """Return the number of a head's dimensions that are rotated. Raises `ValueError`."""
    if not 0 < width <= head_width or width % 2:
        raise ValueError(f"{width} of {head_width} dimensions of a head are rotated")
    return width


def _read(data: Mapping[str, Any], found: Mapping[str, Any], width: int) -> Rope:
    theta = rope_theta(found.get("rope_theta", data.get("rope_theta", 10000.0)))
    kind = found.get("rope_type", found.get("type", "default"))
    if kind == "default":
        return Rope(theta)
    if kind == "linear":
        return Rope(theta, positive(found, "factor"))
    if kind == "llama3":
        factor, low, high = (positive(found, key) for key in ("factor", "low_freq_factor", "high_freq_factor"))
        if low >= high:
            raise ValueError(f"low_freq_factor is {low}, and high_freq_factor {high}")
        return Rope(theta, factor, low, high, count(found, "original_max_position_embeddings"))
    if kind == "yarn":
        return _read_yarn(found, theta, width, count(data, "max_position_embeddings"))
    if kind == "longrope":
        return _read_longrope(data, found, theta, width)
    raise ValueError(f"rope scaling {kind!r} is not supported; default, linear, llama3, yarn and longrope are")


def rope_theta(told: Any) -> float:
    """Return RoPE's base. Raises `ValueError` unless it is a number above 1."""
    theta = number(told, "RoPE's theta")
    if theta <= 1.0:
        raise ValueError(f"RoPE's theta is {theta}")
    return theta


@dataclass(frozen=True, slots=True)
class Yarn:
    """The parameters of YaRN (Peng et al. 2023, arXiv:2309.00071, sections 3.2 to 3.4).

    Frequencies that turn more than `fast` times within `original` positions are kept, those that turn fewer than `slow`
    times are divided by `factor`, and those between are blended.
    """

    factor: float
    original: int
    fast: float = 32.0
    slow: float = 1.0
    truncate: bool = True

    def rope(self, theta: float, head_width: int, attention: float | None = None) -> Rope:
        """Return RoPE's parameters; `attention` replaces the temperature of the paper. Raises `ValueError`."""
        if self.factor < 1.0 or self.fast <= 0.0 or self.slow <= 0.0:
            raise ValueError(f"YaRN's factor, beta_fast and beta_slow are {self.factor}, {self.fast} and {self.slow}")
        if attention is None:
            attention = temperature(self.factor)
        return Rope(theta, divisors=self._divisors(theta, head_width), attention=attention)

    def _divisors(self, theta: float, head_width: int) -> tuple[float, ...]:
        first, last = (self._pair_that_turns(turns, theta, head_width) for turns in (self.fast, self.slow))
        if self.truncate:
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, head_width - 1)
        width = last - first or 0.001
        divided = (min(max((pair - first) / width, 0.0), 1.0) for pair in range(head_width // 2))
        return tuple(1.0 / (1.0 - part + part / self.factor) for part in divided)

    def _pair_that_turns(self, turns: float, theta: float, head_width: int) -> float:
        """Return the number of the pair of dimensions that turns so often within the original positions."""
        return head_width * math.log(self.original / (turns * 2 * math.pi)) / (2 * math.log(theta))


def _read_yarn(found: Mapping[str, Any], theta: float, head_width: int, positions: int) -> Rope:
    yarn = Yarn(
        finite(found, "factor"),
        count(found, "original_max_position_embeddings", positions),
        finite(found, "beta_fast", 32.0),
        finite(found, "beta_slow", 1.0),
        found.get("truncate", True) is not False,
    )
    attention: float | None = None
    if found.get("attention_factor") is not None:
        attention = finite(found, "attention_factor")
    elif found.get("mscale") and found.get("mscale_all_dim"):
        ours, of_all = (positive(found, key) for key in ("mscale", "mscale_all_dim"))
        attention = temperature(yarn.factor, ours) / temperature(yarn.factor, of_all)
    return yarn.rope(theta, head_width, attention)


def temperature(factor: float, scale: float = 1.0) -> float:
    """Return YaRN's factor of cosines and sines where frequencies are divided by `factor`; `scale` is its `mscale`."""
    return 0.1 * scale * math.log(factor) + 1.0 if factor > 1.0 else 1.0


def temperature_scale(data: Mapping[str, Any]) -> float:
    """Return the factor of scores that `mscale_all_dim` in `config.json` means for latent attention."""
    found = _parameters(data, "full_attention")
    if found.get("rope_type", found.get("type", "default")) == "default" or not found.get("mscale_all_dim"):
        return 1.0
    return temperature(positive(found, "factor"), positive(found, "mscale_all_dim")) ** 2


def _read_longrope(data: Mapping[str, Any], found: Mapping[str, Any], theta: float, width: int) -> Rope:
    """Read LongRoPE's parameters (Ding et al. 2024, arXiv:2402.13753), as Phi-3 and Phi-4 have them."""
    positions = count(data, "max_position_embeddings")
    original = count(found if "original_max_position_embeddings" in found else data, "original_max_position_embeddings")
    factor = finite(found, "factor", positions / original)
    attention = finite(found, "attention_factor", long_attention(factor, original))
    short, long = (divisors(found.get(key), key, width) for key in ("short_factor", "long_factor"))
    return Rope(theta, divisors=short, attention=attention, short=original, long_divisors=long)


def long_attention(factor: float, original: int) -> float:
    """Return the factor of cosines and sines that LongRoPE's authors recommend. Raises `ValueError`."""
    if original < 2:
        raise ValueError(f"original_max_position_embeddings is {original}")
    return math.sqrt(1 + math.log(factor) / math.log(original)) if factor > 1 else 1.0


def divisors(told: Any, name: str, width: int) -> tuple[float, ...]:
    """Return a divisor for each pair of rotated dimensions. Raises `ValueError`."""
    values = tuple(number(value, name) for value in told) if isinstance(told, (list, tuple)) else ()
    if len(values) != width // 2 or min(values) <= 0:
        raise ValueError(f"{name} is not {width // 2} numbers above 0")
    return values
