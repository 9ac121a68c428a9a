"""Make calls of all algorithms that CUDA's CUB and Thrust declare, translate and compile them, and say what fails.

    python -m scripts.library_calls --rocm 6.4 --compiler 'hipcc --offload-arch=gfx90a' [--include FOLDER]
                                    [--nvcc 'nvcc -std=c++17 -arch=sm_80'] [--family NAME] [--write PAGE]

FOLDER has the headers `cub` and `thrust` of CUDA; default: those of the Python package nvidia-cuda-cccl. With
`--nvcc` the calls that nvcc rejects are found and written to rejected.yaml, which is read otherwise. The compiler needs
HIP, hipCUB and rocThrust of the ROCm release, whose headers it finds by itself or by its options (`-isystem`).
`--write` puts the table into a page.
"""

from __future__ import annotations

import argparse
import shlex
import sysconfig
import tempfile
from pathlib import Path

import yaml

from scripts.library_calls.calls import FAMILIES, Family, families
from scripts.library_calls.measured import Measured, accepted, measure

REJECTED = Path(__file__).with_name("rejected.yaml")
HEADERS = Path(sysconfig.get_path("purelib")) / "nvidia/cu13/include/cccl"
_FIRST, _LAST = "<!-- begin: scripts.library_calls -->\n", "<!-- end: scripts.library_calls -->\n"
_TITLES = {
    "device": "CUB, algorithms for a whole device",
    "threads": "CUB, algorithms of blocks and warps",
    "thrust": "Thrust, algorithms with and without a policy",
}


def main() -> None:
    """Measure the families, print what fails, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", type=Path, default=HEADERS)
    parser.add_argument("--nvcc", type=shlex.split)
    parser.add_argument("--compiler", type=shlex.split, required=True)
    parser.add_argument("--rocm", required=True)
    parser.add_argument("--family", choices=FAMILIES, action="append")
    parser.add_argument("--write", type=Path)
    told = parser.parse_args()
    chosen = [families()[name] for name in told.family or FAMILIES]
    if told.nvcc:
        _find_rejected(chosen, told.include, told.nvcc)
    measured: dict[str, Measured] = {}
    for family in chosen:
        with tempfile.TemporaryDirectory() as folder:
            found = measure(
                family, valid_calls(family, told.include), told.include, Path(folder), told.compiler, told.rocm
            )
        measured[family.name] = found
        print(f"{family.name}: {len(found.calls)} calls, {len(found.failing)} fail, {len(found.unreported)} unreported")
        for number in sorted(found.failing):
            kind = "unreported" if number in found.unreported else "reported"
            print(f"  {kind}: {found.calls[number]}\n    {found.failing[number]}")
    if told.write:
        _write(told.write, table(measured, told.rocm))


def valid_calls(family: Family, include: Path) -> list[str]:
    """Return the calls that nvcc compiles, by what was found before."""
    rejected = yaml.safe_load(REJECTED.read_text(encoding="utf-8"))[family.name]
    return [call for call in family.calls(include) if call not in rejected]


def table(measured: dict[str, Measured], rocm: str) -> str:
    """Return the table in Markdown."""
    lines = [
        f"| generated calls, ROCm {rocm} | calls | compile | fail and are reported | fail and are not |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, found in measured.items():
        fail, silent = len(found.failing), len(found.unreported)
        lines.append(
            f"| {_TITLES[name]} | {len(found.calls)} | {len(found.calls) - fail} | {fail - silent} | {silent} |"
        )
    silent_calls = [found.calls[number] for found in measured.values() for number in found.unreported]
    listed = "".join(f"\n- `{call}`" for call in silent_calls)
    return "\n".join(lines) + ("\n\nNot reported:\n" + listed if listed else "") + "\n"


def _find_rejected(chosen: list[Family], include: Path, nvcc: list[str]) -> None:
    rejected = yaml.safe_load(REJECTED.read_text(encoding="utf-8")) if REJECTED.exists() else {}
    for family in chosen:
        calls = family.calls(include)
        with tempfile.TemporaryDirectory() as folder:
            valid = set(accepted(family, calls, include, Path(folder), nvcc))
        rejected[family.name] = [call for call in calls if call not in valid]
    comment = "# Calls that nvcc rejects; `python -m scripts.library_calls --nvcc ...` writes this file.\n"
    REJECTED.write_text(comment + yaml.safe_dump(rejected, width=10000), encoding="utf-8")


def _write(page: Path, text: str) -> None:
    before, _, rest = page.read_text(encoding="utf-8").partition(_FIRST)
    if not rest:
        raise SystemExit(f"{page} has no line {_FIRST.strip()}")
    page.write_text(f"{before}{_FIRST}\n{text}\n{_LAST}{rest.partition(_LAST)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
