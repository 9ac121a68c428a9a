"""`hipport llm serve`: serve a model over HTTP."""

from __future__ import annotations

import contextlib
import functools
import re
import socket
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from msgspec import Struct
from msgspec.structs import replace

from hipport.cli.common import takes
from hipport.cli.llm.model import (
    ModelOptions,
    check_packages,
    model_options,
    open_chosen,
    opened_weights,
    shown_progress,
)
from hipport.cli.llm.talk import TalkOptions, chosen_context, chosen_template, talk_options
from hipport.errors import HipportError, UsageError

if TYPE_CHECKING:
    from hipport.llm.runtime.engine import Engine
    from hipport.llm.serving.app import Settings
    from hipport.llm.serving.batch import Speculation
    from hipport.llm.serving.request_log import RequestLog
    from hipport.llm.serving.server import Server
    from hipport.llm.serving.site import Site

_PACKAGES = ("starlette", "uvicorn", "pydantic", "prometheus_client", "jinja2")
_KEY = "HIPPORT_API_KEY"
_DRAFTED = 3
"""Tokens that a draft model guesses: with the one before them, as many as the fastest kernel takes."""


class ServeOptions(Struct, frozen=True):
    """The options of `hipport llm serve`."""

    source: ModelOptions
    talk: TalkOptions
    host: str
    port: int
    api_key: str | None
    api_key_file: Path | None
    name: str | None
    sequences: int
    queue: int
    max_body: int
    grace: int
    log: Path | None
    log_text: bool
    speculate: int
    draft_model: Path | None
    tools: Literal["hermes", "llama3", "mistral"] | None
    pooling: Literal["last", "mean"]


@click.command("serve")
@model_options
@talk_options
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen at. Other than 127.0.0.1 it needs a key."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen at; 0 chooses a free one.",
)
@click.option(
    "--api-key",
    envvar=_KEY,
    metavar="KEY",
    help=f"Key that requests must send. {_KEY} is safer: other users can see options.",
)
@click.option("--api-key-file", type=click.Path(path_type=Path, dir_okay=False), help="File with the key.")
@click.option("--name", metavar="NAME", help="Name of the model in the API. Default: the name of its folder.")
@click.option(
    "--sequences",
    type=click.IntRange(1, 1024),
    default=16,
    show_default=True,
    help="Number of answers to generate concurrently.",
)
@click.option(
    "--queue",
    type=click.IntRange(min=0),
    default=256,
    show_default=True,
    help="Number of answers that may wait; more get status 429.",
)
@click.option(
    "--max-body",
    type=click.IntRange(min=1024),
    default=2**20,
    show_default=True,
    help="Limit on the body of a request, in bytes.",
)
@click.option(
    "--grace",
    type=click.IntRange(min=0),
    default=30,
    show_default=True,
    help="Seconds for answers to finish after SIGTERM.",
)
@click.option(
    "--log",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Append one line of JSON per request to FILE; - prints them on standard output.",
)
@click.option("--log-text", is_flag=True, help="Include prompts and answers in the log.")
@click.option(
    "--speculate",
    type=click.IntRange(0, 7),
    default=0,
    show_default=True,
    metavar="TOKENS",
    help="Guess up to TOKENS tokens of greedy answers from repetitions in the text, and check them in one step.",
)
@click.option(
    "--draft-model",
    type=click.Path(path_type=Path),
    metavar="MODEL",
    help="Guess with this smaller model of the same vocabulary instead; --speculate is 3 unless given.",
)
@click.option(
    "--tools",
    type=click.Choice(["hermes", "llama3", "mistral"]),
    help="Format in which the model calls tools. Default: what its chat template shows.",
)
@click.option(
    "--pooling",
    type=click.Choice(["last", "mean"]),
    default="last",
    show_default=True,
    help="Embedding of a text: the last token's vector, or the mean of all.",
)
@takes(ServeOptions)
def command(options: ServeOptions) -> None:
    """Serve MODEL over HTTP, with the API of OpenAI's clients below /v1, /health, /metrics, and a chat page at /.

    Requests are answered concurrently. Ctrl-C or SIGTERM finishes the running answers, then stops.
    """
    check_packages(*_PACKAGES, extra="serve", purpose="serving models")
    key = _key(options)
    from hipport.llm.serving.app import LOCAL_HOSTS, Settings
    from hipport.llm.serving.server import listening

    with contextlib.ExitStack() as stack:
        log = _log(options, stack)
        found = stack.enter_context(closing(listening(options.host, options.port)))
        _serve(found, Settings(key, frozenset() if key else LOCAL_HOSTS, options.max_body, log), options)


def _serve(found: socket.socket, settings: Settings, options: ServeOptions) -> None:
    """Serve until a signal comes: the page from the start, answers when the model is open."""
    from hipport.llm.serving.scheduler import Scheduler
    from hipport.llm.serving.server import url

    with contextlib.ExitStack() as stack:
        site, server, engine = _opened(found, settings, options, stack)
        stats, sequences = engine.stats(), options.sequences
        speculation = _speculation(options, engine, stack)
        scheduler = Scheduler(
            engine, sequences=sequences, at_once=stats.max_tokens, queue=options.queue, speculation=speculation
        )
        stack.enter_context(closing(scheduler))
        site.open(scheduler, sequences)
        click.echo(f"{site.model.name} on {stats.device}: {url(found)}", err=True)
        server.wait(give_up=scheduler.close)


def _opened(
    found: socket.socket, settings: Settings, options: ServeOptions, stack: contextlib.ExitStack
) -> tuple[Site, Server, Engine]:
    """Return the site, its running server and the engine, which `stack` closes. The model's files are closed again."""
    from hipport.llm.serving.app import application
    from hipport.llm.serving.server import Server, url
    from hipport.llm.serving.service import Model
    from hipport.llm.serving.site import Site

    source, talk = options.source, options.talk
    with opened_weights(source) as (weights, text), shown_progress() as listener:
        context, name = chosen_context(talk, weights.config), options.name or _name(source)
        template, config = chosen_template(talk, source.model), weights.config
        site = Site(
            Model(
                *(name, text, config.vocabulary, context, template, config.end_tokens),
                tools=options.tools,
                pooling=options.pooling,
            )
        )
        server = stack.enter_context(Server(application(site, settings), found, grace=options.grace))
        click.echo(f"opening {name}; {url(found)} shows the progress", err=True)
        engine = open_chosen(weights, source.device, context, site.listener(listener), options.sequences)
        return site, server, stack.enter_context(engine)


def _speculation(options: ServeOptions, engine: Engine, stack: contextlib.ExitStack) -> Speculation | None:
    """Return what makes drafts, if the options ask for it. `stack` closes a draft model. Raises `HipportError`."""
    from hipport.llm.runtime.speculation import DraftModels, Repetitions

    if options.draft_model is None:
        return Repetitions(options.speculate) if options.speculate else None
    source = replace(options.source, model=options.draft_model, random=None)
    with opened_weights(source) as (weights, _), shown_progress() as listener:
        if weights.config.vocabulary != engine.config.vocabulary:
            message = f"{options.draft_model} has {weights.config.vocabulary} tokens, not {engine.config.vocabulary}"
            raise HipportError(message, hint="A draft model needs the tokenizer of the model.")
        positions = min(engine.positions, weights.config.positions)
        drafts = stack.enter_context(open_chosen(weights, source.device, positions, listener, options.sequences))
    return DraftModels(drafts, options.speculate or _DRAFTED)


def _log(options: ServeOptions, stack: contextlib.ExitStack) -> RequestLog | None:
    """Return the log of requests, which `stack` closes, if the options ask for one. Raises `HipportError`."""
    from hipport.llm.serving.request_log import opened_log

    if options.log is None:
        if options.log_text:
            raise UsageError("--log-text needs --log", hint="Name a file with --log, or - for standard output.")
        return None
    warn = functools.partial(click.echo, err=True)
    return stack.enter_context(opened_log(options.log, text=options.log_text, warn=warn))


def _key(options: ServeOptions) -> str | None:
    """Return the API key that requests need, or None. Raises `HipportError` if it is invalid or missing."""
    from hipport.llm.serving.server import is_loopback

    key, host = options.api_key, options.host
    if options.api_key_file:
        try:
            key = options.api_key_file.read_text("utf-8").strip()
        except OSError as error:
            raise HipportError(f"cannot read {options.api_key_file}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise HipportError(f"cannot read {options.api_key_file}: it is not UTF-8") from None
    if key is not None and not re.fullmatch(r"[!-~]+", key):
        raise UsageError("the key is empty or contains characters other than visible ASCII")
    if key is None and not is_loopback(host):
        hint = f"Set {_KEY} or name a file with --api-key-file. 127.0.0.1 needs no key."
        raise UsageError(f"listening at {host} needs a key: other machines can reach it", hint=hint)
    return key


def _name(options: ModelOptions) -> str:
    return options.random or (options.model.resolve().name.removesuffix(".gguf") if options.model else "")
