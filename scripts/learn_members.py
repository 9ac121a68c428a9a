"""Find members of CUDA types that are missing in HIP, or in some releases, and add them to the tables.

    python -m scripts.learn_members --cuda INCLUDE... --hip 5.2.0=INCLUDE 6.0.0=INCLUDE ...

The headers are compiled with `clang` or the program named in CLANG. Existing entries for a member are kept.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hipport.mappings.life import parse_target, release
from scripts import tablefile
from scripts.import_facts import MAPPINGS
from scripts.tablefile import TableFile

Records = dict[str, frozenset[str]]
"""Members by the name of a struct or union, and by each typedef name for it."""

Declaration = dict[str, Any]
_ABI = "R0600"
"""Suffix that a macro in HIP 6 headers adds to `hipDeviceProp_t`."""
CUDA = "#include <cuda.h>\n#include <cuda_runtime_api.h>\n"
HIP = "#include <hip/hip_runtime_api.h>\n"


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuda", type=Path, nargs="+", required=True)
    parser.add_argument("--hip", nargs="+", required=True, metavar="VERSION=FOLDER")
    options = parser.parse_args()
    cuda: Records = {}
    for folder in options.cuda:
        for name, members in records(CUDA, folder).items():
            cuda[name] = cuda.get(name, frozenset()) | members
    pairs = sorted((pair.split("=", 1) for pair in options.hip), key=lambda pair: release(pair[0]))
    hip = {version: records(HIP, Path(folder)) for version, folder in pairs}
    for library in ("runtime", "driver"):
        path = MAPPINGS / f"{library}.yaml"
        table = tablefile.load(path)
        learn(table, cuda, hip)
        path.write_text(tablefile.dump(table))


def records(source: str, folder: Path) -> Records:
    """Return the types that a source declares, with their members."""
    compiler = os.environ.get("CLANG", "clang")
    flags = ["-x", "c", "-D__HIP_PLATFORM_AMD__", "-I", str(folder), "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json"]
    done = subprocess.run([compiler, *flags, "-"], input=source, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{folder}: {done.stderr.strip()}")
    found: Records = {}
    last: frozenset[str] = frozenset()
    for node in json.loads(done.stdout)["inner"]:
        if node["kind"] == "RecordDecl" and node.get("completeDefinition"):
            last = frozenset(_members(node))
            if "name" in node:
                found[node["name"].removesuffix(_ABI)] = last
        elif node["kind"] == "TypedefDecl":
            target = node["type"]["qualType"].removeprefix("struct ").removeprefix("union ")
            if target in found or target == node["name"]:
                found.setdefault(node["name"], found.get(target, last))
    return found


def _members(record: Declaration) -> Iterator[str]:
    """Yield the names of the members, including those of anonymous inner structs, but not padding."""
    for node in record.get("inner", ()):
        name = node.get("name", "")
        if (
            node["kind"] in ("FieldDecl", "IndirectFieldDecl")
            and name
            and not name.startswith(("reserved", "pad", "unused"))
        ):
            yield name


def learn(table: TableFile, cuda: Records, hip: Mapping[str, Records]) -> None:
    """Add the members that are missing in some release to a table."""
    for owner, spec in table.sections["types"].items():
        counterpart = spec.get("hip")
        if not counterpart or isinstance(counterpart, list) or owner not in cuda:
            continue
        name = parse_target(counterpart).name
        releases = {version: types[name] for version, types in hip.items() if name in types}
        for member in sorted(cuda[owner]):
            have = [version for version, members in releases.items() if member in members]
            if releases and len(have) < len(releases):
                known = table.rest.setdefault("members", {}).setdefault(owner, {})
                known.setdefault(member, f"{member} {have[0]}" if have else {})


if __name__ == "__main__":
    main()
