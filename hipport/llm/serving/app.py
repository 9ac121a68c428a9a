"""The ASGI application: routes and middleware."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from hipport.llm.serving.errors import ApiError, on_api_error, on_defect, on_http_error
from hipport.llm.serving.forms import CHAT, COMPLETION, Writer
from hipport.llm.serving.guard import KeyRequired, KnownHost, body_of
from hipport.llm.serving.metrics import Measured, Metrics
from hipport.llm.serving.replies import streamed, whole
from hipport.llm.serving.scheduler import Scheduler
from hipport.llm.serving.schema import ChatRequest, CompletionRequest, parsed
from hipport.llm.serving.service import Model, Service

LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})

_Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Settings:
    """`key`: API key; None allows everyone. `hosts`: accepted Host names; empty: all. `body`: size limit in bytes."""

    key: str | None = None
    hosts: frozenset[str] = frozenset()
    body: int = 2**20


def application(model: Model, scheduler: Scheduler, sequences: int, settings: Settings) -> Starlette:
    """Return the server's application. It does not close `scheduler`."""
    metrics = Metrics(scheduler)
    service = Service(model, scheduler, sequences, metrics.first_token.observe)
    routes = [
        Route("/", _page()),
        Route("/health", _health(scheduler)),
        Route("/metrics", _metrics(metrics)),
        Route("/v1/models", _models(model)),
        Route("/v1/models/{name:path}", _models(model)),
        Route("/v1/completions", _completions(service, settings), methods=["POST"]),
        Route("/v1/chat/completions", _chat(service, settings), methods=["POST"]),
    ]
    paths = frozenset(route.path for route in routes)
    before = [Middleware(Measured, metrics=metrics, paths=paths)]
    if settings.hosts:
        before.append(Middleware(KnownHost, hosts=settings.hosts))
    if settings.key:
        before.append(Middleware(KeyRequired, key=settings.key))
    errors = {ApiError: on_api_error, HTTPException: on_http_error, Exception: on_defect}
    return Starlette(routes=routes, middleware=before, exception_handlers=errors)


def _completions(service: Service, settings: Settings) -> _Endpoint:
    async def completions(request: Request) -> Response:
        asked = parsed(CompletionRequest, await body_of(request, settings.body))
        answers = service.answers(asked, await run_sync(service.complete, asked))
        return await (streamed if asked.stream else whole)(
            request, asked, answers, Writer(COMPLETION, service.model.name)
        )

    return completions


def _chat(service: Service, settings: Settings) -> _Endpoint:
    async def chat(request: Request) -> Response:
        asked = parsed(ChatRequest, await body_of(request, settings.body))
        answers = service.answers(asked, await run_sync(service.chat, asked))
        return await (streamed if asked.stream else whole)(request, asked, answers, Writer(CHAT, service.model.name))

    return chat


def _models(model: Model) -> _Endpoint:
    about = {"id": model.name, "object": "model", "created": model.created, "owned_by": "hipport"}

    async def models(request: Request) -> Response:
        name = request.path_params.get("name")
        if name not in (None, model.name):
            raise ApiError(404, f"unknown model {name!r}", code="model_not_found", param="model")
        return JSONResponse(about if name else {"object": "list", "data": [about]})

    return models


def _health(scheduler: Scheduler) -> _Endpoint:
    async def health(request: Request) -> Response:
        failure = scheduler.counts.failure
        status = {"status": "failing" if failure else "ok", "running": scheduler.running, "waiting": scheduler.waiting}
        return JSONResponse(status | ({"error": failure} if failure else {}), 503 if failure else 200)

    return health


def _metrics(metrics: Metrics) -> _Endpoint:
    async def text(request: Request) -> Response:
        return Response(metrics.text(), media_type="text/plain; version=0.0.4")

    return text


def _page() -> _Endpoint:
    """Serve the page, which may use only its own script and style, `data:` images and this server."""
    html = (Path(__file__).parent / "page.html").read_text("utf-8")
    allowed = {kind: _hash(html, kind) for kind in ("script", "style")}
    policy = "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"
    policy += "; frame-ancestors 'none'" + "".join(f"; {kind}-src '{found}'" for kind, found in allowed.items())

    async def page(request: Request) -> Response:
        return HTMLResponse(html, headers={"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"})

    return page


def _hash(html: str, element: str) -> str:
    found = re.search(f"<{element}>(.*?)</{element}>", html, re.DOTALL)
    assert found is not None
    return "sha256-" + base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
