"""Implement `hipport update`: a run with the options that the output tree was made with, and its exit status."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from hipport.errors import HipportError, UsageError
from hipport.files.hashes import Hasher
from hipport.mappings.choice import Flavour
from hipport.project.request import ConvertRequest, Report, Verdict
from hipport.project.state.folder import StateFolder
from hipport.translate.context import Options

_OF_THE_TREE = frozenset({"HP901", "HP908", "HP909", "HP910"})
"""Codes of findings about the state of the trees; all others are about the sources."""


def followed(request: ConvertRequest, flavour: Flavour | None) -> ConvertRequest:
    """Return the request with the options of the tree's manifest; releases and flavor given explicitly take precedence.

    Raises UsageError for invalid paths, HipportError for a tree without a manifest.
    """
    (source,), folder = request.paths, request.folder
    if not os.path.isdir(source):
        raise UsageError(f"{source!r} is not a folder", hint="Name the CUDA tree, then the HIP tree.")
    if folder is None or not StateFolder(folder).exists():
        hint = f"Create one with `hipport convert {source} -o {folder}`; existing files are left unchanged."
        raise HipportError(f"{folder!r} is not an output tree of hipport: it has no .hipport/manifest.json", hint=hint)
    setup = StateFolder(folder).manifest(Hasher({})).setup
    try:
        return _with_setup(request, setup, flavour)
    except (KeyError, TypeError) as error:
        raise HipportError(f"the manifest of {folder!r} is damaged: {error!r} is missing from its setup") from None


def _with_setup(request: ConvertRequest, setup: Mapping[str, Any], flavour: Flavour | None) -> ConvertRequest:
    if not setup:  # a tree without sources
        return request
    if setup.get("semantic") and request.semantic is None:
        hint = "Give the same --semantic or -p, or set it in hipport.toml."
        raise UsageError(f"{request.folder!r} was made with --semantic", hint=hint)
    names = replace(
        request.names,
        rocm=request.names.rocm or setup["rocm"],
        cuda=request.names.cuda or setup["cuda"],
        torch=request.names.torch or setup.get("torch"),
        flavour=flavour or setup["libs"],
    )
    return replace(
        request,
        options=Options(setup["launch"], setup["wave_size"], setup["fix"]),
        names=names,
        keep_names=setup["keep_names"],
        convert_ported=setup.get("convert_ported", False),
        gitignore=setup["gitignore"],
        support=setup["support"],
        build_files=setup["build_files"],
        targets=tuple(setup["targets"]),
    )


def of_the_tree(report: Report) -> Report:
    """Return the report without findings about the sources."""
    return replace(report, diagnostics=tuple(found for found in report.diagnostics if found.code in _OF_THE_TREE))


def exit_status(report: Report, *, check: bool, exact: bool) -> int:
    """Return 0 if the tree is up to date, or was made so.

    `check`: nothing had to be done; `exact`: nor were there any hand edits.
    """
    edited = any(file.verdict in (Verdict.EDITED, Verdict.ABSENT) for file in report.verdicts or ())
    if check:
        return int(report.stale or (exact and edited))
    return int(bool(of_the_tree(report).diagnostics))
