"""The files of the chat page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_FOLDER = Path(__file__).parent / "page"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
"""The page runs only its own files, so that HTML in a model's answer would run nothing even if it were not escaped."""
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def page_routes() -> list[Route]:
    """Return the routes of the page, `/`, and of its files, below `/page/`."""
    files = sorted(path for path in _FOLDER.iterdir() if path.suffix in _TYPES)
    return [Route("/" if path.name == "index.html" else f"/page/{path.name}", _served(path)) for path in files]


def _served(path: Path) -> Callable[[Request], Awaitable[Response]]:
    data, kind = path.read_bytes(), _TYPES[path.suffix]

    async def file(request: Request) -> Response:
        return Response(data, media_type=kind, headers=_HEADERS)

    return file
