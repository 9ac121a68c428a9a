"""Compare random kernels as emulated machine code with the CPU target.

    python -m scripts.random_kernels [--first SEED] [--minutes 30] [--kernels 8] [--targets gfx90a,gfx1100]
                                     [--levels 0,1,2,3] [--compiler COMMAND]...

Each seed makes a source with some kernels. `hipport build` compiles it for the CPU target and for each target, with the
compiler that it chooses or with each `--compiler`, such as `clang++-19`. A compiler of several words, such as
`chroot DIR clang++-21`, is a command that compiles its standard input. Optimization levels take turns. Sources and what
was built are kept in build/random_kernels if something differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from scripts.random_kernels.running import builds, differences, drivers

FOLDER = Path(__file__).parents[2] / "build" / "random_kernels"


def main() -> int:
    """Run seeds until the time is over; return the number of differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1_000_000)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--kernels", type=int, default=8)
    parser.add_argument("--targets", default="gfx90a,gfx942,gfx1030,gfx1100,gfx1201")
    parser.add_argument("--levels", default="0,1,2,3")
    parser.add_argument("--compiler", action="append", default=[], help="of the code that is compared; several")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    drivers(FOLDER)
    targets, levels = arguments.targets.split(","), [int(one) for one in arguments.levels.split(",")]
    end, found, seed, compared = time.monotonic() + 60 * arguments.minutes, 0, arguments.first, 0
    while time.monotonic() < end and seed < arguments.first + arguments.seeds:
        wanted = list(builds(seed, targets, levels, arguments.compiler))
        before = found
        for one in differences(seed, arguments.kernels, wanted, FOLDER):
            found += 1
            print(f"seed {one.seed}, {one.kernel} on {one.build}: {one.values}", flush=True)
        compared += arguments.kernels * len(wanted)
        if found == before:
            _remove(seed)
        seed += 1
    print(f"{seed - arguments.first} sources, {compared} comparisons, {found} differences")
    return found


def _remove(seed: int) -> None:
    for path in FOLDER.glob(f"{seed}[-.]*"):
        if path.is_file():
            path.unlink()


if __name__ == "__main__":
    sys.exit(min(main(), 1))
