"""Run the commands shown in a Markdown page and replace the output below them with their real output.

    python scripts/docs_output.py README.md [--check]
    python scripts/docs_output.py docs/port.md --projects FOLDER

A fenced `console` block after a line `<!-- generated -->` is a session: every line `$ command` is run by bash, in a
scratch folder with copies of the fixture programs (those with MPI in `mpi`) and of the tutorial's project. Its output
replaces the text below it. `--check` writes nothing and fails if the output differs in more than digits.

`--projects` runs instead the blocks after `<!-- generated from public projects -->`, with copies of what is in FOLDER:
checkouts of the commits that the page names. Nothing else runs them: it takes minutes, and their build files are run.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"(<!-- generated -->\n```console\n)(.*?)(\n```)", re.DOTALL)
_OF_PROJECTS = re.compile(r"(<!-- generated from public projects -->\n```console\n)(.*?)(\n```)", re.DOTALL)


def run(command: str, folder: Path) -> str:
    """Return what a command prints on both streams, without trailing blanks and this checkout's place."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    shell = ["bash", "-c", command]
    done = subprocess.run(
        shell, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    said = done.stdout.replace(str(ROOT), "/opt/hipport")
    return "\n".join(line.rstrip() for line in said.splitlines())


def session(text: str, folder: Path) -> str:
    """Return the session of a block with fresh output."""
    parts = []
    for line in text.splitlines():
        if line.startswith("$ "):
            output = run(line[2:], folder)
            parts += [line, output] if output else [line]
    return "\n".join(parts)


def render(page: str, projects: Path | None = None) -> str:
    """Return the page with fresh output in all its generated blocks, or those of `projects`.

    The blocks share one scratch folder.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if projects is not None:
            shutil.copytree(projects, folder, dirs_exist_ok=True, symlinks=True)
            return _OF_PROJECTS.sub(lambda match: match[1] + session(match[2], folder) + match[3], page)
        shutil.copytree(ROOT / "fixtures" / "programs", folder, dirs_exist_ok=True)
        shutil.copytree(ROOT / "fixtures" / "mpi", folder / "mpi")
        shutil.copytree(ROOT / "fixtures" / "tutorial", folder, dirs_exist_ok=True)
        return _BLOCK.sub(lambda match: match[1] + session(match[2], folder) + match[3], page)


def differences(old: str, new: str) -> list[str]:
    """Return a diff of the two pages that treats all digits as equal."""
    before, after = ([re.sub(r"[\d.,]*\d", "0", line) for line in text.splitlines()] for text in (old, new))
    return list(difflib.unified_diff(before, after, "page", "commands", lineterm=""))


def main() -> None:
    """Rewrite or check the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--projects", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    failed = False
    for page in arguments.pages:
        old = page.read_text(encoding="utf-8")
        new = render(old, arguments.projects)
        if arguments.check:
            found = differences(old, new)
            print("\n".join(found))
            failed |= bool(found)
        else:
            page.write_text(new, encoding="utf-8")
    sys.exit(failed)


if __name__ == "__main__":
    main()
