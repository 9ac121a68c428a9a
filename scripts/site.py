"""Prepare the pages of the documentation's site in `build/docs`: those of `docs`, README.md, and the CLI reference.

    python -m scripts.site && python -m mkdocs build --strict

Links out of `docs` lead to pages of the site where there are such; others become text, as the site has no code.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import click

from hipport.cli import COMMANDS, _hipport

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "build" / "docs"
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Pages outside `docs`, by their paths in the repository, with their names on the site."""
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)#\s]+)((?:#[^)]*)?)\)")


def main() -> None:
    """Write all pages anew."""
    shutil.rmtree(TARGET, ignore_errors=True)
    shutil.copytree(ROOT / "docs", TARGET)
    for source, name in PAGES.items():
        (TARGET / name).write_text(relinked((ROOT / source).read_text("utf-8"), source), encoding="utf-8")
    for path in TARGET.rglob("*.md"):
        inside = path.relative_to(TARGET).as_posix()
        if inside not in PAGES.values():
            path.write_text(relinked(path.read_text("utf-8"), f"docs/{inside}"), encoding="utf-8")
    (TARGET / "cli.md").write_text("\n".join(cli_reference()), encoding="utf-8")


def relinked(text: str, page: str) -> str:
    """Return a page of the repository with its links as they are on the site."""

    def link(match: re.Match[str]) -> str:
        image, words, target, anchor = match.groups()
        found = site_path(posixpath.normpath(posixpath.join(posixpath.dirname(page), target)))
        if found is None:
            return str(words)
        here = posixpath.dirname(site_path(page) or "")
        return f"{image}[{words}]({posixpath.relpath(found, here or '.')}{anchor})"

    return _LINK.sub(link, text)


def site_path(path: str) -> str | None:
    """Return where a file of the repository is on the site; None if it is not there."""
    if path in PAGES:
        return PAGES[path]
    inside = path.removeprefix("docs/")
    return inside if inside != path and (ROOT / path).is_file() else None


def cli_reference() -> Iterator[str]:
    """Yield the lines of the reference of all commands, from what they themselves say."""
    yield "# Command line\n"
    yield "What `hipport COMMAND --help` says. The exit status is 2 for wrong usage and 130 when interrupted.\n"
    context = click.Context(_hipport, info_name="hipport")
    for name in COMMANDS:
        command = _hipport.get_command(context, name)
        if command is not None:
            yield from _command(command, click.Context(command, info_name=name, parent=context))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    depth = context.command_path.count(" ") + 1
    context.max_content_width = 100
    yield f"{'#' * min(depth, 4)} {context.command_path}\n"
    yield f"```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _command(inner, click.Context(inner, info_name=name, parent=context))


if __name__ == "__main__":
    main()
