"""Prometheus metrics."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Receive, Scope, Send

from hipport.llm.serving.observed import observe
from hipport.llm.serving.scheduler import Scheduler

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class Metrics:
    """The metrics of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "hipport_requests",
            "Requests by path and status; 499: client disconnected.",
            ("path", "status"),
            registry=self._registry,
        )
        self.seconds = Histogram(
            "hipport_request_seconds", "Duration of requests.", ("path",), buckets=_SECONDS, registry=self._registry
        )
        self.first_token = Histogram(
            "hipport_first_token_seconds", "Time to the first token.", buckets=_SECONDS, registry=self._registry
        )

    def watch(self, scheduler: Scheduler) -> None:
        """Include what a scheduler counts."""
        self._registry.register(_OfScheduler(scheduler))

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)


class _OfScheduler(Collector):
    """Metrics that the scheduler counts itself."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def collect(self) -> Iterator[Metric]:
        """Yield the current values."""
        scheduler, counts = self._scheduler, self._scheduler.counts
        yield GaugeMetricFamily("hipport_waiting", "Answers in the queue.", scheduler.waiting)
        yield GaugeMetricFamily("hipport_running", "Answers being generated.", scheduler.running)
        yield CounterMetricFamily("hipport_prompt_tokens", "Prompt tokens processed.", counts.prompt_tokens)
        yield CounterMetricFamily(
            "hipport_reused_prompt_tokens", "Prompt tokens taken from the cache.", counts.reused_tokens
        )
        yield CounterMetricFamily("hipport_drafted_tokens", "Tokens guessed by drafts.", counts.drafted_tokens)
        yield CounterMetricFamily(
            "hipport_accepted_tokens", "Tokens of drafts that were right.", counts.accepted_tokens
        )
        yield CounterMetricFamily("hipport_tokens", "Tokens generated.", counts.tokens)
        yield CounterMetricFamily("hipport_steps", "Decoding steps.", counts.steps)


class Measured:
    """ASGI middleware that counts requests by path, all unknown paths together."""

    def __init__(self, app: ASGIApp, metrics: Metrics, paths: frozenset[str]) -> None:
        self._app = app
        self._metrics = metrics
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"] if scope["path"] in self._paths else "other"

        def ended(status: int, seconds: float) -> None:
            self._metrics.requests.labels(path, str(status)).inc()
            self._metrics.seconds.labels(path).observe(seconds)

        await observe(self._app, scope, receive, send, ended)
