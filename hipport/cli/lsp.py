"""`hipport lsp`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Literal

import click
from msgspec import Struct

from hipport.cli.common import takes
from hipport.cli.device import DeviceOptions, wave_size_option
from hipport.cli.name_options import NameOptions, chosen_names, name_options
from hipport.cli.project_settings import chosen_lanes
from hipport.cli.semantic import SemanticOptions, chosen_semantic
from hipport.errors import HipportError, UsageError

if TYPE_CHECKING:
    from typing import BinaryIO

    from hipport.lsp.server import Server
    from hipport.project.request import ConvertRequest


class LspOptions(Struct, frozen=True):
    """The options of `hipport lsp`."""

    names: NameOptions
    wave_size: Literal["auto", "32", "64"] | None
    tcp: str | None


@click.command("lsp")
@name_options
@wave_size_option
@click.option("--tcp", metavar="HOST:PORT", help="Listen there for one editor, instead of on standard input.")
@takes(LspOptions)
def command(options: LspOptions) -> None:
    """Check CUDA sources in an editor: a server for the Language Server Protocol, which editors start.

    The findings are those of `hipport check FILE` with the same options and settings, for the text as it is typed.
    """
    address = _address(options.tcp) if options.tcp is not None else None
    server = _server(options)
    if address is not None:
        click.echo(f"hipport: waiting for an editor at {options.tcp}", err=True)
        try:
            server.start_tcp(*address)
        except OSError as error:
            raise HipportError(f"cannot listen at {options.tcp}: {error.strerror}") from None
    else:
        if sys.stdin.isatty():
            click.echo("hipport: waiting for an editor on standard input; Ctrl-C ends", err=True)
        server.start_io(*_own_streams())
    sys.exit(0 if server.ended_well else 1)


def _address(tcp: str) -> tuple[str, int]:
    host, _, port = tcp.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise UsageError(f"--tcp {tcp!r} is not an address", hint="Give a host and a port: --tcp 127.0.0.1:8123")
    return host.strip("[]"), int(port)


def _server(options: LspOptions) -> Server:
    try:
        from hipport.lsp.server import make_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol", "cattrs", "attrs"):
            raise
        hint = "Install it: pip install 'hipport[lsp]'"
        raise HipportError("the language server needs the package pygls", hint=hint) from None
    return make_server(lambda path: _request(options, path))


def _request(options: LspOptions, path: str) -> ConvertRequest:
    """Return what `hipport check PATH` would check, with the settings as they are now."""
    from hipport.project.request import ConvertRequest, Mode
    from hipport.translate.context import Options

    chosen = Options(wave_size=chosen_lanes(DeviceOptions(options.wave_size, fix=False), [path]))
    semantic = chosen_semantic(SemanticOptions(False, None, (), ()), [path])
    names = chosen_names(options.names, [path])
    return ConvertRequest((path,), Mode.CHECK, chosen, names, support=False, semantic=semantic, rehearsal=True, jobs=1)


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return the streams of the protocol, out of reach of anything else that reads or prints.

    What is printed by mistake, or by a program that is run, goes to standard error.
    """
    streams = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return streams
