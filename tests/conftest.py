"""Fixtures and options for all tests."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

from hipport.mappings.loader import Tables, load

# A submission is not judged by examples that no earlier run had: each run generates the same ones for the same test.
# `--hypothesis-profile=random` generates others (`make explore`).
settings.register_profile("repeatable", derandomize=True)
settings.register_profile("random", derandomize=False, print_blob=True)
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


@pytest.fixture(scope="session", autouse=True)
def _interrupts() -> None:
    """Restore Ctrl-C: a shell that runs the tests in the background disables it, also for child processes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
