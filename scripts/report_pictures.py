"""Draw the HTML report for `docs/images`, in three widths, light and dark: `python -m scripts.report_pictures`.

The report is that of the fixture programs. Chromium and playwright draw it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
_IMAGES = ROOT / "docs" / "images"
_WIDTHS = {"": 1280, "-medium": 800, "-narrow": 400}
"""Columns of pixels, by what they add to a picture's name."""
_SCHEMES: dict[str, Literal["light", "dark"]] = {"": "light", "-dark": "dark"}
_HEIGHT = 1000


def main() -> None:
    """Convert the programs and draw their report."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("there is no chromium; scripts/install_tools.sh test installs it")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = _report(Path(folder))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for width_name, width in _WIDTHS.items():
            for scheme_name, scheme in _SCHEMES.items():
                _draw(browser, page, width, scheme, _IMAGES / f"report{width_name}{scheme_name}.png")
        browser.close()


def _report(folder: Path) -> Path:
    """Return the report on the programs, with the date of the last commit so that it only changes with them."""
    shutil.copytree(ROOT / "fixtures" / "programs", folder / "programs")
    date = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=True)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": date.stdout.strip(), "PYTHONPATH": str(ROOT)}
    command = [
        sys.executable,
        "-m",
        "hipport",
        "convert",
        "programs",
        "-o",
        "programs-hip",
        "--report",
        "programs.html",
    ]
    subprocess.run([*command, "--quiet"], cwd=folder, env=environment, check=False)
    return folder / "programs.html"


def _draw(browser: Browser, page: Path, width: int, scheme: Literal["light", "dark"], picture: Path) -> None:
    tab = browser.new_page(viewport={"width": width, "height": _HEIGHT}, color_scheme=scheme)
    tab.goto(page.as_uri())
    tab.screenshot(path=picture)
    tab.close()


if __name__ == "__main__":
    main()
