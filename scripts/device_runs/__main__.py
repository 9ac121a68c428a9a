"""Run on this machine's NVIDIA GPU what only a GPU can show, and write all results as JSON.

    python -m scripts.device_runs [--parts right,speed,serving] [--steps NAME,...] [--write FILE] [--seconds N]
                                  [--trial] [--list]

Each step is a process with its own time limit; one that fails or takes too long is recorded, and the next one runs.
FILE is written after every step. All together end within `--seconds`: what is left of them limits each step.
`--trial` runs the same steps with tiny models on the CPU target, to see that they
work before a GPU is available; its times mean nothing. `--list` prints the steps and their limits.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from scripts.device_runs.steps import PARTS, Step, steps

_ROOT = Path(__file__).parents[2]
_SHOWN = 6000
"""How many characters of a step's output are kept, the last ones."""
_AFTER = 10
"""Seconds that a step has to end after it was asked to."""


def main() -> int:
    """Run the steps; return 1 if one has failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--steps", help="only these, by name")
    parser.add_argument("--write", type=Path, default=_ROOT / "build" / "device-runs.json", metavar="FILE")
    parser.add_argument("--seconds", type=float, default=3600.0, metavar="N")
    parser.add_argument("--trial", action="store_true")
    parser.add_argument("--list", action="store_true")
    told = parser.parse_args()
    names = told.steps.split(",") if told.steps else None
    chosen = [
        step
        for step in steps(trial=told.trial)
        if (step.name in names if names else step.part in told.parts.split(","))
    ]
    if told.list:
        for step in chosen:
            print(f"{step.part} {step.name}: {step.limit} s at most: {' '.join(step.command)}")
        return 0
    told.write.parent.mkdir(parents=True, exist_ok=True)
    found: list[dict[str, Any]] = []
    until = time.monotonic() + told.seconds - _AFTER
    for step in chosen:
        print(f"{step.name}...", flush=True)
        found.append(run(step, min(step.limit, until - time.monotonic())))
        told.write.write_text(json.dumps(found, indent=1) + "\n")
        print(f"{step.name}: {found[-1]['state']} after {found[-1]['seconds']:.0f} s", flush=True)
    return int(any(each["state"] != "done" for each in found))


def run(step: Step, limit: float) -> dict[str, Any]:
    """Run a step and return its record."""
    if limit <= 0:
        return {"step": step.name, "state": "not started: no time was left", "seconds": 0}
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, "-m", *(word.replace("{result}", str(result)) for word in step.command)]
        started = time.monotonic()
        state, output = _ended(command, limit)
        seconds = time.monotonic() - started
        text = result.read_text() if result.is_file() else "null"
    return {
        "step": step.name,
        "command": " ".join(step.command),
        "state": state,
        "seconds": round(seconds, 1),
        "output": output[-_SHOWN:],
        "result": json.loads(text),
    }


def _ended(command: list[str], limit: float) -> tuple[str, str]:
    """Return how a command ended, and its output. At its limit its whole process group is ended."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, cwd=_ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            status = process.wait(limit)
            state = "done" if status == 0 else f"exit status {status}"
        except subprocess.TimeoutExpired:
            state = f"stopped at the limit of {limit:.0f} s"
            _end(process, signal.SIGTERM)
        _end(process, signal.SIGKILL)
        log.seek(0)
        return state, log.read().decode(errors="replace")


def _end(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    try:
        os.killpg(process.pid, how)
        process.wait(_AFTER)
    except (ProcessLookupError, subprocess.TimeoutExpired):
        pass


if __name__ == "__main__":
    sys.exit(main())
