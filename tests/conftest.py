"""Fixtures and options for all tests."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from hipport.mappings.loader import Tables, load

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A submission is not judged by examples that no earlier run had: each run generates the same ones for the same test.
# `--hypothesis-profile=random` generates others (`make explore`). No example has a deadline: machines may be busy.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("random", derandomize=False, print_blob=True, deadline=None)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-pairs", action="store_true", help="rewrite the expectations in fixtures/pairs/")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests recorded with `record_property("shown", text)`, also in pytest-xdist's workers."""
    for report in terminalreporter.stats.get("passed", []):
        for name, text in report.user_properties:
            if name == "shown":
                terminalreporter.section(report.nodeid)
                terminalreporter.write_line(text)


@pytest.fixture(scope="session")
def tables() -> Tables:
    """The tables for the newest ROCm release that they cover."""
    return load()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of a file. While it is open no other event loop can run in this thread.

    Playwright's synchronous interface keeps its own event loop running between calls, so that `asyncio.run` fails: a
    browser that stayed open for later files would break their tests, depending on which worker runs what.
    """
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        message = "there is no chromium; scripts/install_tools.sh test installs it"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture(scope="session", autouse=True)
def _temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the tests' own compilers a TMPDIR that is deleted: hipcc leaves an empty folder there for each target."""
    folder = tmp_path_factory.mktemp("tmp")
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        yield
    tempfile.tempdir = before
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def _interrupts() -> None:
    """Restore Ctrl-C: a shell that runs the tests in the background disables it, also for child processes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _byte_code() -> Iterator[None]:
    """Let the commands that tests start write byte code: without it each compiles hundreds of modules again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield
