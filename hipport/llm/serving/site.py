"""The state that request handlers share: the model's data from the start, its service once the model is open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hipport.llm.runtime.opening import Listener
from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.metrics import Metrics
from hipport.llm.serving.scheduler import Scheduler
from hipport.llm.serving.service import Model, Service

_RETRY = "2"
"""Seconds after which clients should try again while the model opens."""


@dataclass(frozen=True, slots=True)
class _Progress:
    said: str = ""
    done: int = 0
    total: int = 0


class Site:
    """A model being opened in one thread, and its service, used in the event loop's."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.metrics = Metrics()
        self._progress = _Progress()
        self._opened: tuple[Service, Scheduler] | None = None

    def listener(self, other: Listener) -> Listener:
        """Return a listener for opening the model that also passes all on to another one."""

        def say(line: str) -> None:
            self._progress = _Progress(line)
            other.say(line)

        def loaded(done: int, total: int) -> None:
            self._progress = _Progress("loading weights", done, total)
            other.loaded(done, total)

        return Listener(say, loaded)

    def open(self, scheduler: Scheduler, sequences: int) -> None:
        """Begin to answer requests."""
        self.metrics.watch(scheduler)
        self._opened = Service(self.model, scheduler, sequences, self.metrics.first_token.observe), scheduler

    def service(self) -> Service:
        """Return the service. Raises `ApiError` while the model is being opened."""
        if self._opened is None:
            message = f"{self.model.name} is still being opened; try again in a while"
            raise ApiError(503, message, code="model_opening", headers={"Retry-After": _RETRY})
        return self._opened[0]

    def health(self) -> dict[str, Any]:
        """Return the state: `ok`; `failing` if the engine's last call failed; `opening` with the progress."""
        if self._opened is None:
            told = self._progress
            loaded = {"loaded": round(told.done / told.total, 3)} if told.total else {}
            return {"status": "opening", "step": told.said} | loaded
        scheduler = self._opened[1]
        failure = scheduler.counts.failure
        status = {"status": "failing" if failure else "ok", "running": scheduler.running, "waiting": scheduler.waiting}
        return status | ({"error": failure} if failure else {})
