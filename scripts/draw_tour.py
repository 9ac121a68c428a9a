"""Draw docs/images/tour.svg: a terminal session that converts, builds and inspects a program, with its real output."""

from __future__ import annotations

import io
import os
import pty
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[1]
WIDTH = 100
COMMANDS = (
    "hipport convert stencil2d -o hip",
    "hipport build hip/stencil2d.hip -W no-unused-result -o stencil --offload-arch gfx90a,gfx942,gfx1030,gfx1100",
    "hipport inspect --demangle stencil",
)


def run(command: str, folder: Path) -> str:
    """Return what a command prints on a terminal of `WIDTH` columns; of overwritten lines, the last version."""
    main, side = pty.openpty()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    process = subprocess.Popen(["bash", "-c", command], cwd=folder, stdout=side, stderr=side, env=environment)
    os.close(side)
    output = io.BytesIO()
    while True:
        try:
            output.write(os.read(main, 65536))
        except OSError:
            break
    process.wait()
    lines = output.getvalue().decode().replace("\r\n", "\n").split("\n")
    return "\n".join(line.rsplit("\r", 1)[-1].removeprefix("\x1b[K") for line in lines).rstrip()


def main() -> None:
    """Run the commands and draw their output."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        shutil.copytree(ROOT / "fixtures" / "programs" / "stencil2d", folder / "stencil2d")
        for command in COMMANDS:
            console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
            console.print(Text.from_ansi(run(command, folder)))
            console.print()
    image = ROOT / "docs" / "images" / "tour.svg"
    image.parent.mkdir(exist_ok=True)
    image.write_text(console.export_svg(title="hipport", theme=MONOKAI), encoding="utf-8")


if __name__ == "__main__":
    main()
