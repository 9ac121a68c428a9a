"""Strict types, ignored and unsupported parameters, and errors, for all request bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from hipport.llm.serving.errors import ApiError

STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
"""The configuration of all models of bodies."""

MOST_ITEMS = 256
"""The length of the longest list of texts, tools or calls."""

_IGNORED = frozenset(
    {"user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"}
)
"""Parameters that do not affect the answer."""


def without_nulls(data: Any) -> Any:
    """Return an object without nulls: programs send answers back as received, with null for every absent field."""
    return {k: v for k, v in data.items() if v is not None} if isinstance(data, dict) else data


def without_neutral(data: Any, unsupported: Mapping[str, tuple[object, ...]]) -> Any:
    """Return a body without parameters that have no effect, which some programs send in every request.

    `unsupported` maps parameters to the values that, like null, request nothing. Raises ValueError for other values.
    """
    if not isinstance(data, dict):
        return data
    for name, neutral in unsupported.items():
        if not _asks_nothing(data.get(name), neutral):
            raise ValueError(f"{name} is not supported")
    return {name: value for name, value in data.items() if name not in unsupported and name not in _IGNORED}


def _asks_nothing(value: Any, neutral: tuple[object, ...]) -> bool:
    """Return whether a value is null or neutral; 0 is not False."""
    return value is None or any(type(value) is type(one) and value == one for one in neutral)


_R = TypeVar("_R", bound=BaseModel)


def parsed(kind: type[_R], body: bytes) -> _R:
    """Parse a request's body. Raises `ApiError` if it is not JSON or does not match the schema."""
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        raise _explained(error) from None


def _explained(error: ValidationError) -> ApiError:
    """Return the first validation error as an `ApiError`."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = "unknown parameter"
    return ApiError(400, f"{where}: {message}" if where else message, param=where or None)
