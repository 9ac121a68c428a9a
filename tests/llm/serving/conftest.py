"""A server in this process, with the fake engine."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx2 as httpx
import pytest
import uvicorn

from hipport.llm.serving.app import Settings, application
from hipport.llm.serving.connections import Limits
from hipport.llm.serving.scheduler import Scheduler
from hipport.llm.serving.server import listening, server_config, url
from hipport.llm.serving.service import Model
from hipport.llm.serving.site import Site as Served
from hipport.llm.text.chat_template import PLAIN, compile_template
from tests.llm.serving.fake import CONFIG, FakeEngine, Letters, Scripted

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SEQUENCES, AT_ONCE, QUEUE = 3, 2, 4


@dataclass(frozen=True, slots=True)
class Site:
    """A server, with its scheduler and engine."""

    url: str
    engine: FakeEngine
    scheduler: Scheduler
    served: Served

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=20)

    def idle(self) -> bool:
        """Wait up to five seconds for the engine to become idle; return whether it did."""
        until = time.monotonic() + 5
        while self.scheduler.running or self.scheduler.waiting:
            if time.monotonic() > until:
                return False
            time.sleep(0.01)
        return True


StartSite = Callable[..., Site]


@pytest.fixture
def start_site() -> Iterator[StartSite]:
    """A function that starts servers, which end with the test."""
    running: list[tuple[uvicorn.Server, threading.Thread, Scheduler]] = []

    def start(
        settings: Settings | None = None,
        *,
        template: str | None = PLAIN,
        seconds: float = 0.0,
        limits: Limits | None = None,
        opened: bool = True,
        answers: Mapping[str, str] | None = None,
        positions: int = 512,
    ) -> Site:
        engine = FakeEngine(SEQUENCES, AT_ONCE, seconds=seconds)
        if answers is not None:
            engine = Scripted(SEQUENCES, AT_ONCE, answers, seconds=seconds)
        scheduler = Scheduler(engine, sequences=SEQUENCES, at_once=AT_ONCE, queue=QUEUE)
        compiled = compile_template(template) if template else None
        model = Model("fake", Letters(), CONFIG.vocabulary, positions, compiled, CONFIG.end_tokens)
        served = Served(model)
        if opened:
            served.open(scheduler, SEQUENCES)
        app = application(served, settings or Settings())
        config = server_config(app, limits or Limits(), grace=0)
        config.timeout_graceful_shutdown = 1
        server = uvicorn.Server(config)
        found = listening("127.0.0.1", 0)
        where = url(found)
        thread = threading.Thread(target=server.run, args=([found],))
        thread.start()
        running.append((server, thread, scheduler))
        while not server.started:
            time.sleep(0.01)
        return Site(where, engine, scheduler, served)

    yield start
    for server, thread, scheduler in running:
        server.should_exit = True
        scheduler.close()
        thread.join(20)
        assert not thread.is_alive()


@pytest.fixture
def site(start_site: StartSite) -> Site:
    """A server with default options."""
    return start_site()


@pytest.fixture
def http(site: Site) -> Iterator[httpx.Client]:
    """A client of `site`."""
    with site.client() as client:
        yield client


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page; the test fails if it logs an error."""
    said: list[str] = []
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    opened = context.new_page()
    opened.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: said.append(str(error)))
    yield opened
    context.close()
    assert [text for text in said if "status of" not in text and "ERR_" not in text] == []
