"""Chat templates, which turn a conversation into a model's prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hipport.errors import HipportError
from hipport.files.documents import read_text
from hipport.llm.text.template_process import TemplateProcess

Message = Mapping[str, Any]

PLAIN = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant: "
"""Template for random weights, which were trained with no other."""

_ASKED: Mapping[str, Any] = {"add_generation_prompt": True, "tools": None, "documents": None}
"""Variables that transformers passes to every template besides the messages."""

_LARGEST = 1 << 20
_MISSING = "Give a template with --chat-template."
_PROBLEMS = {
    "invalid": "is not a valid template: {}",
    "rejected": "rejects these messages: {}",
    "deep": "is nested too deeply",
    "endless": "recurses endlessly",
    "memory": "needs too much memory",
    "time": "takes too long",
    "ended": "made the process end that renders it",
}
"""By the kind of error that the process reports."""


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """A template and the special tokens it may refer to: bos_token, eos_token and others."""

    source: str
    process: TemplateProcess
    tokens: Mapping[str, str] = field(default_factory=dict)

    def render(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()) -> str:
        """Return the prompt, up to where the assistant's answer begins. Raises `HipportError` if rendering fails.

        `tools` have the form of OpenAI's API.
        """
        variables = {**_ASKED, **self.tokens, "tools": list(tools) or None}
        answer = self.process.ask({"source": self.source, "variables": variables, "messages": list(messages)})
        if "error" in answer:
            raise _error("the model's chat template", answer)
        return answer["text"]


def compile_template(source: str, tokens: Mapping[str, str] | None = None, origin: str = "") -> ChatTemplate:
    """Compile a template in transformers' dialect, in a sandbox. Raises `HipportError`."""
    process = TemplateProcess()
    answer = process.ask({"source": source})
    if "error" in answer:
        raise _error(origin or "the chat template", answer)
    return ChatTemplate(source, process, tokens or {})


def _error(template: str, answer: Mapping[str, str]) -> HipportError:
    problem = _PROBLEMS[answer["kind"]].format(answer["error"])
    return HipportError(f"{template} {problem}", hint=None if answer["error"] else _MISSING)


def read_source(path: Path) -> str:
    """Return the text of a file with a template. Raises `HipportError`."""
    try:
        return read_text(path, _LARGEST)
    except OSError as error:
        raise HipportError(f"cannot read {path}: {error.strerror}") from None


def needed(template: ChatTemplate | None, model: str) -> ChatTemplate:
    """Return the template. Raises `HipportError` if it is None."""
    if template is None:
        raise HipportError(f"{model} has no chat template", hint=_MISSING)
    return template
