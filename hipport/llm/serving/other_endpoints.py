"""Endpoints that generate nothing: embeddings, tokenization."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable

import numpy as np
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hipport.llm.runtime.engine import Logits
from hipport.llm.serving.bodies import parsed
from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.guard import body_of
from hipport.llm.serving.schema import ChatRequest, DetokenizeRequest, EmbeddingRequest, TokenizeRequest
from hipport.llm.serving.service import Service
from hipport.llm.serving.site import Site

Endpoint = Callable[[Request], Awaitable[Response]]


def embeddings_endpoint(site: Site, limit: int) -> Endpoint:
    """Return the endpoint `/v1/embeddings`, for bodies of up to `limit` bytes."""

    async def embeddings(request: Request) -> Response:
        service = site.service()
        asked = parsed(EmbeddingRequest, await body_of(request, limit))
        jobs = await run_sync(service.embed, asked)
        vectors = service.vectors(jobs)
        found = [_cut(vector, asked.dimensions) for vector in await vectors.collected()]
        write = _base64 if asked.encoding_format == "base64" else np.ndarray.tolist
        data = [{"object": "embedding", "index": i, "embedding": write(vector)} for i, vector in enumerate(found)]
        counts = {"prompt_tokens": vectors.tokens, "total_tokens": vectors.tokens}
        return JSONResponse({"object": "list", "data": data, "model": service.model.name, "usage": counts})

    return embeddings


def tokenize_endpoint(site: Site, limit: int) -> Endpoint:
    """Return the endpoint `/tokenize`, in vLLM's form."""

    async def tokenize(request: Request) -> Response:
        service = site.service()
        asked = parsed(TokenizeRequest, await body_of(request, limit))
        tokens = await run_sync(_tokens, service, asked)
        return JSONResponse({"count": len(tokens), "max_model_len": service.model.positions, "tokens": tokens})

    return tokenize


def detokenize_endpoint(site: Site, limit: int) -> Endpoint:
    """Return the endpoint `/detokenize`, in vLLM's form."""

    async def detokenize(request: Request) -> Response:
        service = site.service()
        asked = parsed(DetokenizeRequest, await body_of(request, limit))
        service.expect_model(asked.model)
        service.expect_known(asked.tokens, "tokens")
        return JSONResponse({"prompt": await run_sync(service.text_of, asked.tokens)})

    return detokenize


def _tokens(service: Service, asked: TokenizeRequest) -> list[int]:
    service.expect_model(asked.model)
    if asked.messages is not None:
        return service.chat_tokens(ChatRequest.model_construct(messages=asked.messages))
    return service.model.text.tokens(asked.prompt or "", whole=asked.add_special_tokens)


def _cut(vector: Logits, dimensions: int | None) -> Logits:
    """Return the first dimensions, of length one again. Raises `ApiError` if there are fewer."""
    if dimensions is None:
        return vector
    if dimensions > len(vector):
        raise ApiError(400, f"dimensions: the model's vectors have {len(vector)}", param="dimensions")
    cut = vector[:dimensions]
    length = float(np.linalg.norm(cut))
    return cut / np.float32(length) if length > 0 else cut


def _base64(vector: Logits) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()
