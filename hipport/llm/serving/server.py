"""The HTTP server: binds its socket before the model is loaded, and lets answers finish on shutdown."""

from __future__ import annotations

import asyncio
import functools
import ipaddress
import math
import signal
import socket
from collections.abc import Callable
from contextlib import closing
from typing import cast

import uvicorn
from starlette.applications import Starlette

from hipport.errors import HipportError
from hipport.llm.serving.connections import ACCEPTED_AT_ONCE, QUEUE, LimitedProtocol, Limits, room_for_connections

_AFTER_GRACE = 10
"""Seconds for sending the last errors, after which clients that do not read are dropped."""


def listening(host: str, port: int) -> socket.socket:
    """Return a socket bound to the port, which refuses connections until the server runs. Raises `HipportError`."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, protocol)
    except OSError as error:
        raise HipportError(f"unknown host {host}: {error.strerror}") from None
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
    except OSError as error:
        found.close()
        hint = "Choose another port with --port; 0 chooses a free one."
        raise HipportError(f"cannot listen at {host} port {port}: {error.strerror}", hint=hint) from None
    return found


def is_loopback(host: str) -> bool:
    """Return whether a host is reachable from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def url(found: socket.socket) -> str:
    """Return the URL of a socket."""
    host, port = found.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def server_config(app: Starlette, limits: Limits, grace: float, at_once: int = ACCEPTED_AT_ONCE) -> uvicorn.Config:
    """Return uvicorn's configuration for an application that accepts up to `at_once` connections in one round."""
    return uvicorn.Config(
        app,
        http=cast("type[asyncio.Protocol]", functools.partial(LimitedProtocol, limits)),
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        backlog=at_once,
        limit_concurrency=limits.connections + 1,
        timeout_graceful_shutdown=math.ceil(grace) + _AFTER_GRACE,
    )


def run(
    app: Starlette, found: socket.socket, *, grace: float, ready: Callable[[], None], give_up: Callable[[], None]
) -> None:
    """Serve until SIGTERM or Ctrl-C. Raises `HipportError`.

    Requests in progress then have `grace` seconds, after which `give_up` is called and must end them.
    """
    room = room_for_connections()
    config = server_config(app, Limits(room.connections), grace, room.at_once)
    # uvicorn raises the signal that ended it again; by then there is nothing left for it to do.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    where = url(found)
    with closing(found):
        try:
            _Server(config, ready, grace, give_up).run(sockets=[found])
        except OSError as error:
            raise HipportError(f"cannot listen at {where}: {error.strerror}") from None


class _Server(uvicorn.Server):
    """Calls `ready` once it listens, and `give_up` when the grace period is over."""

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], grace: float, give_up: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._grace = grace
        self._give_up = give_up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening, then call `ready`."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(QUEUE)  # asyncio takes one number for this queue and for what it accepts in a round
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for requests in progress; call `give_up` if they outlast the grace period."""
        loop = asyncio.get_running_loop()
        late = loop.call_later(self._grace, loop.run_in_executor, None, self._give_up)
        try:
            await super().shutdown(sockets)
        finally:
            late.cancel()
