"""The HTTP server: runs in a thread of its own while the model is opened, and lets answers finish on shutdown."""

from __future__ import annotations

import asyncio
import functools
import ipaddress
import math
import signal
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import cast

import uvicorn
from starlette.applications import Starlette

from hipport.errors import HipportError
from hipport.llm.serving.connections import ACCEPTED_AT_ONCE, QUEUE, LimitedProtocol, Limits, room_for_connections

_AFTER_GRACE = 10
"""Seconds for sending the last errors, after which clients that do not read are dropped."""

_SIGNAL_SECONDS = 0.2
"""The time after which a signal is noticed at the latest."""


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


class Server:
    """Serves in a thread of its own within a `with` block. Raises `HipportError` if that fails.

    Ctrl-C thus interrupts the main thread while it opens the model, whatever the server is doing.
    """

    def __init__(self, app: Starlette, found: socket.socket, *, grace: float) -> None:
        room = room_for_connections()
        self._found = found
        self._server = _Graceful(server_config(app, Limits(room.connections), grace, room.at_once), grace)
        self._thread = threading.Thread(target=self._run, name="hipport-http", daemon=True)
        self._failure: OSError | None = None

    def __enter__(self) -> Server:
        try:
            self._found.listen(QUEUE)
        except OSError as error:
            raise HipportError(f"cannot listen at {url(self._found)}: {error.strerror}") from None
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join()

    def wait(self, *, give_up: Callable[[], None]) -> None:
        """Serve until SIGTERM or Ctrl-C. A second Ctrl-C does not wait for requests in progress.

        Otherwise they have the grace period, after which `give_up` is called and must end them.
        """
        self._server.give_up = give_up
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._server.handle_exit)
        while self._thread.is_alive():  # a signal that another thread gets does not wake this one, which handles it
            self._thread.join(_SIGNAL_SECONDS)
        if self._failure is not None:
            raise HipportError(f"the server failed: {self._failure.strerror}")

    def _run(self) -> None:
        try:
            self._server.run([self._found])
        except OSError as error:
            self._failure = error


class _Graceful(uvicorn.Server):
    """Calls `give_up` when the grace period is over."""

    def __init__(self, config: uvicorn.Config, grace: float) -> None:
        super().__init__(config)
        self.give_up: Callable[[], None] = lambda: None
        self._grace = grace

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(QUEUE)  # asyncio takes one number for this queue and for what it accepts in a round

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for requests in progress; call `give_up` if they outlast the grace period."""
        loop = asyncio.get_running_loop()
        late = loop.call_later(self._grace, loop.run_in_executor, None, self.give_up)
        try:
            await super().shutdown(sockets)
        finally:
            late.cancel()
