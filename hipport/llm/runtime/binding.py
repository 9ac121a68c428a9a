"""The engine's C interface (engine/hipport_llm.h) for ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from ctypes import POINTER, c_char, c_char_p, c_double, c_float, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from hipport.errors import HipportError


class Config(ctypes.Structure):
    """The C struct `hipport_llm_config`."""

    _fields_ = [
        *((name, c_int32) for name in ("layers", "width", "hidden", "heads", "kv_heads", "head_width", "vocabulary")),
        *((name, c_int32) for name in ("max_positions", "max_sequences", "qkv_bias")),
        ("epsilon", c_float),
        *((name, c_int32) for name in ("head_norms", "max_tokens")),
        ("native_bytes", c_uint64),
        ("windows", POINTER(c_int32)),
        *((name, c_int32) for name in ("local_rope", "out_bias", "post_norms", "sinks", "activation")),
        *((name, c_int32) for name in ("experts", "experts_chosen", "experts_of_all", "expert_biases")),
        *((f"expert_{name}", c_int32) for name in ("scores", "groups", "groups_chosen", "group_best", "normalized")),
        ("expert_choice_bias", c_int32),
        ("expert_scale", c_float),
        ("dense", POINTER(c_int32)),
        *((name, c_int32) for name in ("dense_hidden", "shared_hidden", "shared_gate", "latent_rank", "query_rank")),
        *((name, c_int32) for name in ("nope_width", "rope_width", "value_width", "rope_interleaved")),
        ("query_scale", c_float),
    ]


class Sampling(ctypes.Structure):
    """The C struct `hipport_llm_sampling`."""

    _fields_ = [
        ("temperature", c_float),
        ("top_k", c_int32),
        ("top_p", c_float),
        ("min_p", c_float),
        ("repetition_penalty", c_float),
        ("seed", c_uint64),
    ]


class StepOptions(ctypes.Structure):
    """The C struct `hipport_llm_step_options`."""

    _fields_ = [
        ("starts", POINTER(c_int32)),
        ("tokens", POINTER(c_int32)),
        ("values", POINTER(c_float)),
        ("mask_rows", POINTER(c_int32)),
        ("masks", POINTER(c_uint32)),
        ("logit_rows", POINTER(c_int32)),
        ("mask_count", c_int32),
        ("logit_count", c_int32),
    ]


class Stats(ctypes.Structure):
    """The C struct `hipport_llm_stats`."""

    _fields_ = [
        *((name, c_uint64) for name in ("device_bytes", "token_bytes", "steps")),
        ("step_seconds", c_double),
        ("blocks", c_int32),
        ("max_tokens", c_int32),
        ("device", c_char * 128),
    ]


_ENGINE, _INTS, _FLOATS = c_void_p, POINTER(c_int32), POINTER(c_float)
_FUNCTIONS: Mapping[str, Sequence[Any]] = {
    "open": (POINTER(Config), POINTER(c_void_p)),
    "load": (_ENGINE, c_char_p, c_int32, c_void_p, c_size_t),
    "load_native": (_ENGINE, c_char_p, c_int32, c_int32, c_int32, c_void_p, c_size_t),
    "prefill": (_ENGINE, c_int32, c_int32, _INTS, c_int32, _FLOATS),
    "decode": (_ENGINE, _INTS, _INTS, _INTS, c_int32, POINTER(Sampling), _INTS, _FLOATS),
    "decode_with": (
        *(_ENGINE, _INTS, _INTS, _INTS, c_int32, POINTER(Sampling)),
        *(POINTER(StepOptions), _INTS, _FLOATS),
    ),
    "hidden": (_ENGINE, c_int32, c_int32, _INTS, c_int32, c_void_p),
    "reuse": (_ENGINE, c_int32, _INTS, c_int32, POINTER(c_int32)),
    "generate": (_ENGINE, c_int32, c_int32, c_int32, c_int32, _INTS),
    "reset": (_ENGINE, c_int32),
    "get_stats": (_ENGINE, POINTER(Stats)),
    "read_bandwidth": (_ENGINE, POINTER(c_double)),
}


class Binding:
    """An open engine: calls its functions and raises `HipportError` when they fail."""

    def __init__(self, path: Path, config: Config) -> None:
        self._engine = c_void_p()
        self._library = load_library(path, "engine", "hipport_llm", _FUNCTIONS)
        self._library.hipport_llm_error.argtypes = self._library.hipport_llm_close.argtypes = [_ENGINE]
        self._library.hipport_llm_close.restype = None
        self.call("open", ctypes.byref(config), ctypes.byref(self._engine), engine=False)

    def call(self, name: str, *arguments: Any, engine: bool = True) -> None:
        """Call `hipport_llm_NAME`, passing the engine first unless `engine` is false. Raises `HipportError`."""
        function = getattr(self._library, f"hipport_llm_{name}")
        if engine and not self._engine:
            raise HipportError("the engine is closed")
        if function(*([self._engine] if engine else []), *arguments) != 0:
            said = self._library.hipport_llm_error(self._engine if engine else None)
            raise HipportError(f"the engine cannot {name.replace('_', ' ')}: {said.decode(errors='replace')}")

    def close(self) -> None:
        """Close the engine and free its device memory. Idempotent."""
        if self._engine:
            self._library.hipport_llm_close(self._engine)
            self._engine = c_void_p()


def load_library(path: Path, name: str, prefix: str, functions: Mapping[str, Sequence[Any]]) -> ctypes.CDLL:
    """Return a library whose functions begin with `prefix`, typed as `functions` says; `PREFIX_error` returns a text.

    Raises `HipportError` with the name of what is in it.
    """
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise HipportError(f"cannot load the {name}: {error}", hint=f"Remove {path} to rebuild it.") from None
    for function, arguments in functions.items():
        getattr(library, f"{prefix}_{function}").argtypes = arguments
    getattr(library, f"{prefix}_error").restype = c_char_p
    return library
