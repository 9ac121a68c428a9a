"""Predict the speed of `hipport llm` on AMD GPUs, and write docs/amd-prediction.md.

    python -m scripts.amd_prediction [--machines NAME,...] [--models NAME,...] [--jobs N] [--write] [--page]

Each kernel of a token and of a prompt of 512 tokens is run in the emulator at the size of a few work-groups, for counts
and for a trace; the trace is then timed on a model of each GPU. `--write` stores the results and writes the page;
`--page` only writes the page from stored results. Without either, results are printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed

from hipport.files.locks import locked
from scripts.amd_prediction import page, results, workload
from scripts.amd_prediction.machine import Machine, machines
from scripts.amd_prediction.observe import see
from scripts.amd_prediction.predict import predict, seconds
from scripts.amd_prediction.results import Results, Row
from scripts.amd_prediction.workload import Launch


def main() -> int:
    """Predict what the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", help="only these, for example 'RX 7900 XTX'")
    parser.add_argument("--models", default=",".join(workload.SHAPES))
    parser.add_argument("--kinds", default=",".join(workload.KINDS))
    parser.add_argument("--jobs", type=int, default=1, help="launches to emulate at a time")
    parser.add_argument("--write", action="store_true", help="store the results and write the page")
    parser.add_argument("--page", action="store_true", help="only write the page, from stored results")
    arguments = parser.parse_args()
    if arguments.page:
        page.write(results.read())
        return 0
    names = arguments.machines.split(",") if arguments.machines else [one.shown for one in machines()]
    chosen = [one for one in machines() if one.shown in names]
    tasks = list(_tasks(chosen, arguments.models.split(","), arguments.kinds.split(",")))
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for done in as_completed([pool.submit(_predicted, *task) for task in tasks]):
            _report(done.result())
            if arguments.write:
                _store(done.result())
    if arguments.write:
        page.write(results.read())
    return 0


def _tasks(chosen: list[Machine], models: list[str], kinds: list[str]) -> Iterator[tuple[Machine, str, str, Launch]]:
    for model in models:
        config = workload.shapes()[model]
        for machine in chosen:
            for kind in kinds:
                yield from ((machine, model, kind, launch) for launch in workload.KINDS[kind](config, machine))


def _predicted(machine: Machine, model: str, kind: str, launch: Launch) -> Row:
    seen = see(launch, machine.code)
    found = predict(launch, seen, machine)
    return Row(
        machine.shown,
        model,
        kind,
        launch.name,
        launch.kernel,
        launch.times,
        found.seconds,
        found.waits,
        found.bounds,
        found.bound,
        found.reached,
        found.waves,
        len(seen.trace),
        seconds(launch, seen, machine.with_latency(0.5)),
        seconds(launch, seen, machine.with_latency(2.0)),
    )


def _report(row: Row) -> None:
    most = max(row.bounds, key=lambda each: row.bounds[each])
    said = f"{row.seconds * 1e6:.1f} us, {most} is busy for {row.reached:.0%} of it"
    print(f"{', '.join(row.key)}: {said}", flush=True)


def _store(row: Row) -> None:
    """Add a launch to the stored ones, or replace it."""
    folder = results.ROOT / "build"
    folder.mkdir(exist_ok=True)
    with locked(folder / "amd-prediction.lock", wait=True):
        _replace(row)


def _replace(row: Row) -> None:
    rows = {one.key: one for one in results.read().rows} | {row.key: row}
    results.write(Results(tuple(sorted(rows.values(), key=_order))))


def _order(row: Row) -> tuple[int, int, str, str]:
    shown = [machine.shown for machine in machines()]
    return shown.index(row.machine), workload.SHAPES.index(row.model), row.kind, row.name


if __name__ == "__main__":
    sys.exit(main())
