"""Compare the signatures of CUDA's functions with those of their counterparts in HIP.

    python -m scripts.compare_signatures read cuda 11.8=FOLDER[:FOLDER...] 13.0=... --resources CLANG
    python -m scripts.compare_signatures read rocm 5.2=FOLDER[:FOLDER...] 6.4=... --resources CLANG
    python -m scripts.compare_signatures compare [--cuda 13.0] [--rocm 6.4]

`read` writes `mappings/known/signatures/` from headers; CLANG is clang's resource directory (`clang
-print-resource-dir`). `compare` prints what differs.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from hipport.audit.signatures import data
from hipport.audit.signatures.compare import Difference, compare
from hipport.audit.signatures.fit import Fit
from hipport.audit.signatures.model import Declarations, write
from hipport.audit.signatures.outcomes import Outcome, outcomes
from hipport.mappings.entry import Kind
from hipport.mappings.loader import NameChoice, load, load_choice
from hipport.support import include_dir
from scripts.clang_signatures import declarations


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    reading = commands.add_parser("read")
    reading.add_argument("product", choices=["cuda", "rocm"])
    reading.add_argument("releases", nargs="+", metavar="VERSION=FOLDER[:FOLDER...]")
    reading.add_argument("--resources", type=Path, required=True)
    comparing = commands.add_parser("compare")
    comparing.add_argument("--cuda")
    comparing.add_argument("--rocm")
    options = parser.parse_args()
    if options.command == "read":
        read(options.product, options.releases, options.resources)
    else:
        show(options.cuda, options.rocm)


def read(product: str, releases: list[str], resources: Path) -> None:
    """Write the signatures of these releases."""
    found: dict[str, Declarations] = {}
    for pair in releases:
        version, _, folders = pair.partition("=")
        found[version] = of_headers(product, [Path(folder) for folder in folders.split(":")], resources)
        print(f"{product} {version}: {len(found[version].functions)} functions")
    path = data.path(product)
    path.parent.mkdir(exist_ok=True)
    path.write_text(write(found), encoding="utf-8")


def of_headers(product: str, folders: list[Path], resources: Path) -> Declarations:
    """Return what the headers of one release declare of the functions in the tables."""
    if product == "cuda":
        return declarations(product, folders, resources, cuda_names())
    own = sorted(f"hipport/compat/{path.name}" for path in (include_dir() / "hipport/compat").glob("*.h"))
    return declarations(product, [*folders, include_dir()], resources, hip_names(), hip_types(), own)


def cuda_names() -> frozenset[str]:
    """Return the CUDA functions that some ROCm release has."""
    return frozenset(
        name
        for rocm in data.RELEASES
        for name, entry in load(rocm=rocm).names.items()
        if entry.hip is not None and entry.kind in (Kind.FUNCTION, Kind.MACRO)
    )


def hip_names() -> frozenset[str]:
    """Return the counterparts of CUDA's functions in all releases."""
    entries = [entry for rocm in data.RELEASES for entry in load(rocm=rocm).names.values() if entry.hip is not None]
    names = {entry.hip.name for entry in entries if entry.hip and entry.kind in (Kind.FUNCTION, Kind.MACRO)}
    return frozenset(names | {change.text for entry in entries for change in entry.args if change.op == "rename"})


def hip_types() -> frozenset[str]:
    """Return the counterparts of CUDA's types in all releases."""
    entries = (entry for rocm in data.RELEASES for entry in load(rocm=rocm).names.values() if entry.kind is Kind.TYPE)
    return frozenset(entry.hip.name for entry in entries if entry.hip is not None)


def unexplained(differences: Iterable[Difference], known: Iterable[Outcome]) -> list[Difference]:
    """Return the differences that break calls or lose values and that nothing explains."""
    entries = tuple(known)
    serious = (found for found in differences if found.fit >= Fit.NARROWER)
    return [found for found in serious if not any(entry.covers(found) for entry in entries)]


def show(cuda: str | None, rocm: str | None) -> None:
    """Print the differences for each pair of releases."""
    for cuda_release, cuda_declared in data.shipped("cuda").items():
        for rocm_release, hip_declared in data.shipped("rocm").items():
            if cuda not in (None, cuda_release) or rocm not in (None, rocm_release):
                continue
            result = compare(load_choice(NameChoice(rocm=rocm_release, cuda=cuda_release)), cuda_declared, hip_declared)
            counts = Counter(found.fit for found in result.differences)
            numbers = ", ".join(f"{kind.name.lower()} {counts[kind]}" for kind in Fit)
            print(f"CUDA {cuda_release}, ROCm {rocm_release}: {len(result.compared)} functions, {numbers}")
            open_ = unexplained(result.differences, outcomes())
            print(f"  refused calls: {len(result.refused)}; without an outcome: {len(open_)}")
            print(f"  undeclared: {' '.join(sorted(result.undeclared))}")
            for found in sorted(result.differences, key=lambda one: (-one.fit, one.name, one.count)):
                print(f"  {found.fit.name} {found.name}({found.count}) {found.hip}: {found.what}")


if __name__ == "__main__":
    main()
