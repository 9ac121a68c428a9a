"""The process that renders a model's chat template."""

from __future__ import annotations

from hipport.llm.workers.process import Worker

SECONDS = 10.0
"""The time that one request may take, the start of the process included."""


class TemplateProcess(Worker):
    """Renders templates; see `template_worker` for requests and answers."""

    def __init__(self, seconds: float = SECONDS) -> None:
        super().__init__("hipport.llm.text.template_worker", "chat templates", seconds)
