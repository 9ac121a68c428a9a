"""Run the project's programs as machine code of each target, and write the table of docs/emulation.md.

    python -m scripts.emulated [--targets gfx90a,gfx1100] [--programs NAME,...] [--slow] [--write]

Programs are built in build/emulated, and built again only if something changed. Results are kept there, too: `--write`
shows the newest of each program and target, and what the table has of others.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from scripts.emulated.programs import TARGETS, all_programs
from scripts.emulated.results import rendered, results, shown
from scripts.emulated.running import run

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "emulated"
PAGE = ROOT / "docs" / "emulation.md"


def main() -> int:
    """Run what the arguments name; return the number of failures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--programs", help="only these")
    parser.add_argument("--slow", action="store_true", help="also those that run for minutes")
    parser.add_argument("--write", action="store_true", help="write the table of docs/emulation.md")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    kept = FOLDER / "results.json"
    known = shown(PAGE.read_text("utf-8"))
    known |= results(json.loads(kept.read_text())) if kept.exists() else {}
    failures = 0
    for program in all_programs():
        if program.name not in (arguments.programs or program.name).split(",") or (
            program.is_slow and not arguments.slow
        ):
            continue
        for target in arguments.targets.split(","):
            result = run(program, target, FOLDER)
            known[program.name, target] = result
            failures += result.state == "failed"
            print(f"{program.name} on {target}: {result}", flush=True)
            kept.write_text(json.dumps([one.as_json() for one in known.values()], indent=1) + "\n")
    if arguments.write:
        PAGE.write_text(rendered(PAGE.read_text("utf-8"), list(all_programs()), known), "utf-8")
    return failures


if __name__ == "__main__":
    sys.exit(main())
