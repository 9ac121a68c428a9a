"""Ctrl-C ends every command with exit status 130 and one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PAUSE = """
import time
import click
import hipport.cli.{module} as module

def wait(*arguments, **options):
    print("here", flush=True)
    time.sleep(60)

module.command.callback = wait
from hipport.cli import main
main()
"""


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("inspect", ["inspect", "a.out"]),
        ("doctor", ["doctor"]),
        ("verify", ["verify", "a.cu"]),
        ("mappings.query", ["mappings", "query", "cudaMalloc"]),
        ("llm.generate", ["llm", "generate", "--random-weights", "tiny"]),
    ],
)
def test_ctrl_c(tmp_path: Path, module: str, arguments: list[str]) -> None:
    for name in ("a.out", "a.cu"):
        (tmp_path / name).touch()
    command = [sys.executable, "-c", PAUSE.format(module=module), *arguments]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.strip() == "hipport: interrupted"
