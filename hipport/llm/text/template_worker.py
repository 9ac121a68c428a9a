"""Compile and render chat templates in a process of their own, whose time and memory have limits.

A template comes with a model, and may be hostile: Jinja's sandbox keeps it from files and from Python, but not from
`'a' * 3000000000` or loops in loops. Each line of standard input is a JSON object with `source`, `variables` and, to
render it, `messages`; each line of standard output is one with `text`, or `error` and its `kind`.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn

from hipport.llm.workers.loop import answer_requests

if TYPE_CHECKING:
    from jinja2 import Template

_REFUSALS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)


def main() -> None:
    """Answer requests until the input ends."""
    answer_requests(_answer)


def _answer(request: Mapping[str, Any]) -> dict[str, str]:
    from jinja2 import TemplateError

    try:
        template = _compiled(request["source"])
    except MemoryError:
        return {"kind": "memory", "error": ""}
    except (RecursionError, OverflowError):  # from Python's compiler, which compiles Jinja's output
        return {"kind": "deep", "error": ""}
    except SyntaxError as error:  # from there, too
        if "nested" in error.msg:
            return {"kind": "deep", "error": ""}
        return {"kind": "invalid", "error": error.msg}
    except TemplateError as error:
        return {"kind": "invalid", "error": str(error)}
    if "messages" not in request:
        return {"text": ""}
    try:
        return {"text": template.render(messages=request["messages"], **request["variables"])}
    except RecursionError:
        return {"kind": "endless", "error": ""}
    except MemoryError:
        return {"kind": "memory", "error": ""}
    except (*_REFUSALS, TemplateError) as error:
        return {"kind": "rejected", "error": str(error)}


@functools.lru_cache(maxsize=4)
def _compiled(source: str) -> Template:
    """Compile a template in transformers' dialect, in a sandbox."""
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    from hipport.llm.text.template_tags import GenerationTag

    extensions = [loopcontrols, GenerationTag]
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=extensions)
    environment.filters["tojson"] = _json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _now
    return environment.from_string(source)


def _json(value: Any, indent: int | None = None, **options: Any) -> str:
    """Replace Jinja's `tojson` filter, which escapes HTML characters."""
    return json.dumps(value, ensure_ascii=False, indent=indent, **options)


def _refuse(message: str) -> NoReturn:
    from jinja2 import TemplateError

    raise TemplateError(message)


def _now(form: str) -> str:
    return datetime.now().strftime(form)


if __name__ == "__main__":
    main()
