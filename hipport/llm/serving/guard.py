"""Access control: API key, Host name and size of the body."""

from __future__ import annotations

import hmac

import anyio
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from hipport.llm.serving.errors import ApiError

_BODY_SECONDS = 30.0
_DISCARDED = 16
"""Up to this multiple of the limit of a too large body is read and dropped: clients read only after sending."""


class KeyRequired:
    """ASGI middleware that rejects requests without the right key, except for `open_paths`."""

    def __init__(self, app: ASGIApp, key: str, open_paths: frozenset[str]) -> None:
        self._app = app
        self._open_paths = open_paths
        self._key = key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] == "http"
            and scope["path"] not in self._open_paths
            and not self._has_key(Headers(scope=scope))
        ):
            message = "this server needs a key: Authorization: Bearer KEY"
            error = ApiError(401, message, code="invalid_api_key", headers={"WWW-Authenticate": "Bearer"})
            await error.response()(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _has_key(self, headers: Headers) -> bool:
        kind, _, key = headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and hmac.compare_digest(key.strip().encode(), self._key)


class KnownHost:
    """ASGI middleware that accepts only known Host names, against DNS rebinding by pages from elsewhere."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = Headers(scope=scope).get("host", "") if scope["type"] == "http" else ""
        if scope["type"] == "http" and _without_port(host) not in self._hosts:
            error = ApiError(403, f"unknown host {host!r}; without a key, only localhost is served")
            await error.response()(scope, receive, send)
            return
        await self._app(scope, receive, send)


async def body_of(request: Request, limit: int) -> bytes:
    """Return a JSON request's body. Raises `ApiError` for other types, above `limit` bytes, and after half a minute."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise ApiError(415, f"the body must be application/json, not {kind or 'untyped'}")
    try:
        with anyio.fail_after(_BODY_SECONDS):
            return await _read(request, limit)
    except TimeoutError:
        raise ApiError(408, f"the body did not arrive within {_BODY_SECONDS:.0f} seconds") from None
    except ClientDisconnect:
        raise ApiError(400, "the client disconnected") from None


async def _read(request: Request, limit: int) -> bytes:
    kept, size = bytearray(), 0
    async for part in request.stream():
        size += len(part)
        if size <= limit:
            kept += part
        if size > _DISCARDED * limit:
            break
    if size > limit:
        raise ApiError(413, f"the body exceeds the limit of {limit} bytes", headers={"Connection": "close"})
    return bytes(kept)


def _without_port(host: str) -> str:
    name, _, port = host.rpartition(":")
    return (name if name and port.isdigit() else host).lower()
