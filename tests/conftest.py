"""Fixtures and options for all tests."""

from __future__ import annotations

import signal

import pytest

from hipport.mappings.loader import Tables, load


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-pairs", action="store_true", help="rewrite the expectations in fixtures/pairs/")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests left to be read with `record_property("shown", text)`, workers' too."""
    for report in terminalreporter.stats.get("passed", []):
        for name, text in report.user_properties:
            if name == "shown":
                terminalreporter.section(report.nodeid)
                terminalreporter.write_line(text)


@pytest.fixture(scope="session")
def tables() -> Tables:
    """The tables for the newest ROCm release they know."""
    return load()


@pytest.fixture(scope="session", autouse=True)
def _interrupts() -> None:
    """A shell that starts the tests in the background has them ignore Ctrl-C, which they send to their children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
