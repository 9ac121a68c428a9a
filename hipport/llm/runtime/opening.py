"""Opens an engine: checks what it needs, builds its library, then loads the weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hipport.builds.shipped import Target, cache_folder, choose_target
from hipport.errors import HipportError
from hipport.llm.model.config import ModelConfig
from hipport.llm.runtime.engine import Engine
from hipport.llm.runtime.library import library
from hipport.llm.weights.formats import PACKED, Formats
from hipport.llm.weights.tensors import Array, Wanted
from hipport.toolchain.places import Surroundings

_POSITIONS = 4096


class Weights(Protocol):
    """A source of a model's tensors."""

    @property
    def config(self) -> ModelConfig: ...

    @property
    def formats(self) -> Formats: ...

    def wanted(self) -> Iterator[Wanted]:
        """Yield the engine's tensors."""

    def tensors(self) -> Iterator[tuple[Wanted, Array]]:
        """Yield the engine's tensors, one at a time."""


@dataclass(frozen=True, slots=True)
class Listener:
    """Progress callbacks: `say` gets a line of text, `loaded` the bytes loaded so far and in total."""

    say: Callable[[str], None] = lambda line: None
    loaded: Callable[[int, int], None] = lambda done, total: None


def open_engine(
    weights: Weights,
    target: Target,
    *,
    positions: int,
    sequences: int = 1,
    where: Surroundings | None = None,
    compiler: str | None = None,
    listener: Listener | None = None,
) -> Engine:
    """Return an engine with a model, for `sequences` sequences of up to `positions` tokens. Raises `HipportError`."""
    where, listener = where or Surroundings(), listener or Listener()
    config, formats = weights.config, weights.formats
    _check_columns(config, formats)
    if not 0 < positions <= config.positions:
        raise HipportError(f"{positions} tokens exceed the model's limit of {config.positions}")
    tensors = tuple(weights.wanted())
    total, native = sum(tensor.bytes for tensor in tensors), sum(tensor.bytes for tensor in tensors if tensor.layout)
    if target.name == "cpu":
        _check_memory(total, cache_bytes(config, formats, positions) * sequences, where)
    general = config.head_width if config.general else 0
    path = library(target, where, listener.say, compiler, formats, general)
    engine = Engine(path, config, formats=formats, positions=positions, sequences=sequences, native_bytes=native)
    try:
        _load(engine, weights, total, listener)
    except BaseException:
        engine.close()
        raise
    return engine


def open_model(
    path: Path,
    *,
    positions: int | None = None,
    sequences: int = 1,
    target: str | None = None,
    formats: Formats = Formats("auto"),  # noqa: B008 (immutable)
) -> Engine:
    """Return an engine with the model in a folder or GGUF file. Raises `HipportError`.

    `positions`: the longest sequence; by default as long as the model allows, up to 4096. `target`: amd, nvidia or cpu;
    by default this machine's GPU, else its CPU.
    """
    from hipport.llm.sources.checkpoints import open_checkpoint
    from hipport.llm.weights.cache import CachedCheckpoint

    where = Surroundings()
    with open_checkpoint(path, formats) as checkpoint:
        weights = CachedCheckpoint(checkpoint, cache_folder("models"))
        longest = positions or min(checkpoint.config.positions, _POSITIONS)
        return open_engine(weights, choose_target(where, target), positions=longest, sequences=sequences, where=where)


def cache_bytes(config: ModelConfig, formats: Formats, positions: int) -> int:
    """Return the bytes that a sequence takes of the cache: keys and values, or what they follow from."""
    if config.latent:
        return config.layers * formats.cached_bytes(config.latent.cached) * positions
    return 2 * config.layers * config.kv_heads * formats.cached_bytes(config.head_width) * positions


def _load(engine: Engine, weights: Weights, total: int, listener: Listener) -> None:
    done = 0

    def loaded(size: int) -> None:
        nonlocal done
        done += size
        listener.loaded(done, total)

    engine.load(weights.tensors(), loaded)


def _check_columns(config: ModelConfig, formats: Formats) -> None:
    columns = formats.packing.tile_columns
    for what, width in (("width", config.width), ("heads' width", config.heads * config.head_width)):
        if width % columns:
            raise HipportError(
                f"{formats.weights} needs multiples of {columns}, but the model's {what} is {width}",
                hint=f"Use another format: {', '.join(name for name in PACKED if name != formats.weights)}.",
            )


def _check_memory(weights: int, cache: int, where: Surroundings) -> None:
    """Raise if the machine has less memory than a model needs: the process would be killed without a message."""
    free, needed = _available(where.root / "proc/meminfo"), weights + cache
    if free is not None and needed > free:
        less = (
            "A shorter context needs" if weights < free else "A smaller model, or one with fewer bits per weight, needs"
        )
        raise HipportError(
            f"the model needs {needed / 1e9:.1f} GB of memory, of which {free / 1e9:.1f} GB are free",
            hint=f"{less} less.",
        )


def _available(path: Path) -> int | None:
    """Return the bytes of memory that Linux reports as available; None on other systems."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    found = next((line.split() for line in lines if line.startswith("MemAvailable:")), None)
    return int(found[1]) * 1024 if found else None
