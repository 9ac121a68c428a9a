"""Write the lists of names in `mappings/known/`: what a CUDA or ROCm release declares.

    python -m scripts.known_names cuda INCLUDE... --source "CUDA 13.0 (PyPI: cuda-toolkit 13.0.2)"
    python -m scripts.known_names rocm FOLDER --source "hip-python 7.2.2.562.43" --release 7.2.2

A FOLDER is an include folder, or one with unpacked wheels. For CUDA, names in internal headers and namespaces are
left out unless a table has them, and members are only listed for types in tables.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from hipport.audit import evidence, extract
from hipport.audit.extract import Extract
from hipport.audit.headers import Folder
from hipport.audit.rules import known_folder, rules
from hipport.mappings.loader import load


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("product", choices=list(evidence.PRODUCTS))
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--source", required=True)
    parser.add_argument("--release")
    options = parser.parse_args()
    found = evidence.from_headers(options.product, options.folders, options.release)
    kept = of_public_headers(found) if found.product == "cuda" else found
    path = known_folder() / f"{found.product}-{found.release}.txt"
    path.write_text(extract.write(replace(kept, source=options.source)), encoding="utf-8")
    print(f"{path}: {len(kept.folder.names)} names")


def of_public_headers(found: Extract) -> Extract:
    """Remove names in internal headers and namespaces, and members that no translation needs."""
    hidden, tables = rules(), load()
    names = {
        name: declaration
        for name, declaration in found.folder.names.items()
        if name in tables.names
        or (
            not hidden.internal_headers.match(declaration.header)
            and not hidden.internal_scopes.any_of(declaration.scope.split("::"))
        )
    }
    owners = {owner: members for owner, members in found.folder.members.items() if owner in tables.names}
    headers = frozenset(name for name in found.folder.headers if not hidden.internal_headers.match(name))
    return replace(found, folder=Folder(names, headers, owners))


if __name__ == "__main__":
    main()
