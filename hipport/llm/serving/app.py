"""The ASGI application: routes and middleware."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hipport.llm.serving.bodies import parsed
from hipport.llm.serving.errors import ApiError, on_api_error, on_defect, on_http_error
from hipport.llm.serving.forms import CHAT, COMPLETION, Writer
from hipport.llm.serving.guard import KeyRequired, KnownHost, body_of
from hipport.llm.serving.metrics import Measured
from hipport.llm.serving.other_endpoints import detokenize_endpoint, embeddings_endpoint, tokenize_endpoint
from hipport.llm.serving.page_files import page_routes
from hipport.llm.serving.rendering import markdown_endpoint
from hipport.llm.serving.replies import streamed, whole
from hipport.llm.serving.request_log import Logged, RequestLog
from hipport.llm.serving.responses import responses_endpoint
from hipport.llm.serving.schema import ChatRequest, Common, CompletionRequest
from hipport.llm.serving.service import Service
from hipport.llm.serving.site import Site
from hipport.llm.serving.token_texts import TokenTexts
from hipport.llm.serving.turns import Turns

LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})

_Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Settings:
    """`key`: API key; None allows everyone. `hosts`: accepted Host names; empty: all. `body`: size limit in bytes."""

    key: str | None = None
    hosts: frozenset[str] = frozenset()
    body: int = 2**20
    log: RequestLog | None = None


def application(site: Site, settings: Settings) -> Starlette:
    """Return the server's application. It serves the page while the model of `site` is being opened."""
    page, turns = page_routes(), Turns()
    routes = [
        *page,
        Route("/page/markdown", markdown_endpoint(settings.body), methods=["POST"]),
        Route("/health", _health(site)),
        Route("/metrics", _metrics(site)),
        Route("/v1/models", _models(site)),
        Route("/v1/models/{name:path}", _models(site)),
        Route("/v1/completions", _completions(site, settings, turns), methods=["POST"]),
        Route("/v1/chat/completions", _chat(site, settings, turns), methods=["POST"]),
        Route("/v1/embeddings", embeddings_endpoint(site, settings.body), methods=["POST"]),
        Route("/v1/responses", responses_endpoint(site, settings.body, turns), methods=["POST"]),
        Route("/tokenize", tokenize_endpoint(site, settings.body), methods=["POST"]),
        Route("/detokenize", detokenize_endpoint(site, settings.body), methods=["POST"]),
    ]
    # Without a key: the page, which asks for the key, and the health check.
    without_key = frozenset({*(route.path for route in page), "/health"})
    errors = {ApiError: on_api_error, HTTPException: on_http_error, Exception: on_defect}
    before = _before(site, settings, frozenset(route.path for route in routes), without_key)
    return Starlette(routes=routes, middleware=before, exception_handlers=errors)


def _before(site: Site, settings: Settings, paths: frozenset[str], without_key: frozenset[str]) -> list[Middleware]:
    """Return the middleware, outermost first."""
    before = [Middleware(Logged, log=settings.log)] if settings.log else []
    before.append(Middleware(Measured, metrics=site.metrics, paths=paths))
    if settings.hosts:
        before.append(Middleware(KnownHost, hosts=settings.hosts))
    if settings.key:
        before.append(Middleware(KeyRequired, key=settings.key, open_paths=without_key))
    return before


def _completions(site: Site, settings: Settings, turns: Turns) -> _Endpoint:
    async def completions(request: Request) -> Response:
        service = site.service()
        asked = request.state.asked = parsed(CompletionRequest, await body_of(request, settings.body))
        tokens = await _token_texts(service, asked, "completion")
        answers = request.state.answers = service.answers(await turns.taken(service.complete, asked))
        writer = Writer(COMPLETION, service.model.name, tokens)
        return await (streamed if asked.stream else whole)(request, asked, answers, writer)

    return completions


def _chat(site: Site, settings: Settings, turns: Turns) -> _Endpoint:
    async def chat(request: Request) -> Response:
        service = site.service()
        asked = request.state.asked = parsed(ChatRequest, await body_of(request, settings.body))
        tokens = await _token_texts(service, asked, "chat")
        answers = request.state.answers = service.answers(await turns.taken(service.chat, asked))
        writer = Writer(CHAT, service.model.name, tokens)
        return await (streamed if asked.stream else whole)(request, asked, answers, writer)

    return chat


async def _token_texts(service: Service, asked: Common, form: Literal["completion", "chat"]) -> TokenTexts | None:
    """Return what writes log probabilities, if they are requested."""
    return None if asked.most_logprobs is None else TokenTexts(await run_sync(service.vocabulary), form)


def _models(site: Site) -> _Endpoint:
    model = site.model
    about = {"id": model.name, "object": "model", "created": model.created, "owned_by": "hipport"}
    about |= {"max_model_len": model.positions}  # as in vLLM

    async def models(request: Request) -> Response:
        name = request.path_params.get("name")
        if name not in (None, model.name):
            raise ApiError(404, f"unknown model {name!r}", code="model_not_found", param="model")
        return JSONResponse(about if name else {"object": "list", "data": [about]})

    return models


def _health(site: Site) -> _Endpoint:
    async def health(request: Request) -> Response:
        state = site.health()
        return JSONResponse(state, 200 if state["status"] == "ok" else 503)

    return health


def _metrics(site: Site) -> _Endpoint:
    async def text(request: Request) -> Response:
        return Response(site.metrics.text(), media_type="text/plain; version=0.0.4")

    return text
