"""Chat templates, which turn a conversation into a model's prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from hipport.errors import HipportError
from hipport.files.documents import read_text

if TYPE_CHECKING:
    from jinja2 import Template

Message = Mapping[str, str]

PLAIN = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant: "
"""Template for random weights, which were trained with no other."""

_ASKED: Mapping[str, Any] = {"add_generation_prompt": True, "tools": None, "documents": None}
"""Variables that transformers passes to every template besides the messages."""

_LARGEST = 1 << 20
_REFUSALS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, MemoryError)
_MISSING = "Give a template with --chat-template."


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """A compiled template and the special tokens it may refer to: bos_token, eos_token and others."""

    template: Template
    tokens: Mapping[str, str] = field(default_factory=dict)

    def render(self, messages: Sequence[Message]) -> str:
        """Return the prompt, up to where the assistant's answer begins. Raises `HipportError` if rendering fails."""
        from jinja2 import TemplateError

        try:
            return self.template.render(messages=messages, **_ASKED, **self.tokens)
        except RecursionError:
            raise HipportError("the model's chat template recurses endlessly", hint=_MISSING) from None
        except (*_REFUSALS, TemplateError) as error:
            raise HipportError(f"the model's chat template rejects these messages: {error}") from None


def compile_template(source: str, tokens: Mapping[str, str] | None = None, origin: str = "") -> ChatTemplate:
    """Compile a template in transformers' dialect, in a sandbox. Raises `HipportError`."""
    from jinja2 import TemplateError
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    from hipport.llm.text.template_tags import GenerationTag

    extensions = [loopcontrols, GenerationTag]
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=extensions)
    environment.filters["tojson"] = _json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _now
    try:
        return ChatTemplate(environment.from_string(source), tokens or {})
    except (RecursionError, MemoryError, SyntaxError):  # from Python's compiler, which compiles Jinja's output
        raise HipportError(f"{origin or 'the chat template'} is nested too deeply", hint=_MISSING) from None
    except TemplateError as error:
        raise HipportError(f"{origin or 'the chat template'} is not a valid template: {error}") from None


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


def _json(value: Any, indent: int | None = None, **options: Any) -> str:
    """Replace Jinja's `tojson` filter, which escapes HTML characters."""
    return json.dumps(value, ensure_ascii=False, indent=indent, **options)


def _refuse(message: str) -> NoReturn:
    from jinja2 import TemplateError

    raise TemplateError(message)


def _now(form: str) -> str:
    return datetime.now().strftime(form)
