"""Request errors in the format of OpenAI's API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

_KINDS = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}


class ApiError(Exception):
    """Ends a request with an HTTP status and an error object."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param
        self.headers = headers

    def body(self) -> dict[str, Any]:
        """Return the error object."""
        kind = _KINDS.get(self.status, "server_error" if self.status >= 500 else "invalid_request_error")
        return {"error": {"message": str(self), "type": kind, "param": self.param, "code": self.code}}

    def response(self) -> Response:
        """Return the HTTP response."""
        return JSONResponse(self.body(), self.status, headers=self.headers)


async def on_api_error(request: Request, error: Exception) -> Response:
    """Handle an `ApiError`."""
    assert isinstance(error, ApiError)
    return error.response()


async def on_http_error(request: Request, error: Exception) -> Response:
    """Handle unknown paths and methods."""
    assert isinstance(error, HTTPException)
    message = f"{request.method} {request.url.path}: {error.detail}"
    return ApiError(error.status_code, message, headers=error.headers).response()


async def on_defect(request: Request, error: Exception) -> Response:
    """Handle unexpected exceptions, which are logged elsewhere."""
    return ApiError(500, "internal server error; see the server's log").response()
