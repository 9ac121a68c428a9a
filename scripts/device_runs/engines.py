"""Build all engines that the other steps use, at the same time: as HIP, and the CUDA original."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hipport.builds.shipped import Target, cache_folder, choose_target
from hipport.errors import HipportError
from hipport.llm.harness.binding import open_device
from hipport.llm.runtime.library import library
from hipport.llm.weights.formats import Formats
from hipport.toolchain.places import Surroundings
from scripts.device_runs.original import original

_VARIANTS = (("q4f16_32", 0), ("native", 0), ("q4f16_32", 64), ("q4f16_32", 128), ("q4f16_32", 256), ("q4f16_32", 80))
"""Formats of weights, and the heads' width of engines for models that differ from Llama."""


def main() -> int:
    """Build; print and write what each took or why it failed; return 1 if one has failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", required=True)
    parser.add_argument("--json", type=Path, required=True)
    told = parser.parse_args()
    where = Surroundings()
    target = choose_target(where, told.target)
    with ThreadPoolExecutor(len(_VARIANTS) + 2) as pool:
        found = dict(pool.map(_timed, _jobs(target, where).items()))
    told.json.write_text(json.dumps(found, indent=1))
    return int(any(isinstance(each, str) for each in found.values()))


def _jobs(target: Target, where: Surroundings) -> dict[str, Callable[[], object]]:
    """Return what is built, by name."""
    jobs: dict[str, Callable[[], object]] = {
        f"HIP, {weights}, general {general}": lambda weights=weights, general=general: library(  # type: ignore[misc]
            target, where, lambda line: None, None, Formats(weights), general
        )
        for weights, general in _VARIANTS
    }
    jobs["kernels"] = lambda: open_device(target, where, lambda line: None)
    if target.name == "nvidia":
        jobs["CUDA, q4f16_32"] = lambda: original(target, where, Formats("q4f16_32"), cache_folder("original"))
    return jobs


def _timed(job: tuple[str, Callable[[], object]]) -> tuple[str, float | str]:
    """Do a job; return its name with the seconds that it took, or with its error."""
    name, build = job
    started = time.monotonic()
    try:
        build()
        taken: float | str = round(time.monotonic() - started, 1)
    except (HipportError, OSError) as error:
        taken = str(error)
    print(f"{name}: {taken}", flush=True)
    return name, taken


if __name__ == "__main__":
    sys.exit(main())
