"""Update the counterparts in `mappings/*.yaml` from the headers of HIP releases.

    python -m scripts.learn_hip 6.3.0=FOLDER 6.4.0=FOLDER 7.0.0=FOLDER [--cuda FOLDER]

A FOLDER holds one release's declarations: C headers, or the `.pxd` files of a hip-python wheel. All folders of a run
must be of one kind, and are only compared with each other:
- a counterpart that is in one release and not in the following ones gets `removed`;
- one marked `experimental` that a release has loses the mark;
- a name without counterpart and without a reason of its own gets the HIP name that follows from its spelling, from
  the first release that has it; with `--cuda`, only if both functions take the same number of arguments.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from hipport.mappings.entry import Life
from hipport.mappings.life import format_target, parse_target, release
from scripts import tablefile
from scripts.import_facts import MAPPINGS
from scripts.tablefile import Spec, TableFile

SPELLINGS = (
    ("cudaGraph", "hipGraph"),
    ("cuda", "hip"),
    ("cublas", "hipblas"),
    ("CUBLAS_", "HIPBLAS_"),
    ("CUBLASLT_", "HIPBLASLT_"),
    ("cufft", "hipfft"),
    ("CUFFT_", "HIPFFT_"),
    ("curand", "hiprand"),
    ("CURAND_", "HIPRAND_"),
    ("cusparse", "hipsparse"),
    ("CUSPARSE_", "HIPSPARSE_"),
    ("CUSPARSELT_", "HIPSPARSELT_"),
    ("cutensor", "hiptensor"),
    ("CUTENSOR_", "HIPTENSOR_"),
    ("nccl", "nccl"),
    ("NCCL_", "NCCL_"),
    ("cusolver", "hipsolver"),
    ("CUSOLVER_", "HIPSOLVER_"),
    ("nvrtc", "hiprtc"),
    ("NVRTC_", "HIPRTC_"),
    ("CUDA_R_", "HIP_R_"),
    ("CUDA_C_", "HIP_C_"),
    ("cu", "hip"),
    ("CU", "hip"),
)
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Release:
    """The declarations of one release: all names, and the number of parameters of functions."""

    version: str
    names: frozenset[str]
    arity: dict[str, int]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", nargs="+", metavar="VERSION=FOLDER")
    parser.add_argument("--cuda", type=Path, help="CUDA's include folder")
    options = parser.parse_args()
    pairs = [pair.partition("=") for pair in options.releases]
    releases = sorted((read(version, Path(folder)) for version, _, folder in pairs), key=lambda r: release(r.version))
    cuda = read("cuda", options.cuda).arity if options.cuda else {}
    for path in sorted(MAPPINGS.glob("*.yaml")):
        if path.name != "releases.yaml":
            table = tablefile.load(path)
            for sentence in learn(table, releases, cuda):
                print(f"{path.name}: {sentence}", file=sys.stderr)
            path.write_text(tablefile.dump(table))


def read(version: str, folder: Path) -> Release:
    """Read the declarations below a folder."""
    texts = [path.read_text(errors="replace") for path in folder.rglob("*") if path.suffix in {".h", ".hpp", ".pxd"}]
    code = "\n".join(re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S) for text in texts)
    arity = {name: _count(parameters) for name, parameters in re.findall(r"\b(\w+)\s*\(([^()]*)\)", code)}
    return Release(version, frozenset(_WORD.findall(code)), arity)


def learn(table: TableFile, releases: list[Release], cuda: dict[str, int]) -> Iterator[str]:
    """Update a table; yield the changes as sentences."""
    for names in table.sections.values():
        for name, spec in names.items():
            before = dict(spec)
            if "hip" in spec:
                spec["hip"] = _updated(spec["hip"], releases)
            elif "reason" not in spec:
                _add(name, spec, releases, cuda)
            if spec != before:
                yield f"{name}: {before.get('hip', 'nothing')} -> {spec['hip']}"


def _updated(hip: list[str] | str, releases: list[Release]) -> list[str] | str:
    if isinstance(hip, list):
        return [str(_updated(item, releases)) for item in hip]
    target = parse_target(hip)
    have = [target.name in r.names for r in releases]
    if target.experimental and any(have):
        target = replace(target, experimental=False)
    if any(have) and not have[-1] and not target.life.removed:
        last = max(number for number, has in enumerate(have) if has)
        target = replace(target, life=replace(target.life, removed=releases[last + 1].version))
    return format_target(target)


def _add(name: str, spec: Spec, releases: list[Release], cuda: dict[str, int]) -> None:
    for hip in _spellings(name):
        first = next((r for r in releases if hip in r.names and hip in releases[-1].names), None)
        if first is None:
            continue
        if name in cuda and hip in first.arity and cuda[name] != first.arity[hip]:
            continue
        spec["hip"] = f"{hip} {Life(first.version).added}"
        return


def _spellings(name: str) -> Iterator[str]:
    for cuda, hip in SPELLINGS:
        if name.startswith(cuda):
            yield hip + name[len(cuda) :]


def _count(parameters: str) -> int:
    """Return the number of parameters in a list without parentheses."""
    parameters = parameters.strip()
    return 0 if parameters in ("", "void") else parameters.count(",") + 1


if __name__ == "__main__":
    main()
