"""Find what `#include` lines mean that differ from a file's name by case only: `"util/Vector.h"` for `Util/vector.h`.

File systems of Windows and macOS take both for one name; those of Linux do not.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping

from hipport.files.paths import slashed


def respelled(includes: Mapping[str, Collection[str]]) -> dict[str, dict[str, str]]:
    """Return by file the operands that mean a file of the tree by another case only, with their right spellings.

    `includes`: the operands of each file. An operand in small letters without a folder is left out: it may name a
    header of the system, `"time.h"` beside `Time.h`. So is one for which the tree has several files.
    """
    named: dict[str, list[str]] = {}
    for path in includes:
        named.setdefault(os.path.basename(path).lower(), []).append(path)
    found = ((path, {**dict(_of_file(path, operands, named))}) for path, operands in includes.items())
    return {path: spelled for path, spelled in found if spelled}


def _of_file(path: str, operands: Collection[str], named: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    for operand in operands:
        folder, slash, name = operand.rpartition("/")
        candidates = named.get(name.lower(), ()) if slash or name != name.lower() else ()
        kept = [part for part in operand.split("/") if part not in ("", ".", "..")]
        ending = "/" + "/".join(kept)
        fitting = [each for each in candidates if slashed(each).lower().endswith(ending.lower())]
        if len(fitting) != 1 or slashed(fitting[0]).endswith(ending) or operand.startswith("/"):
            continue
        right = "/".join(slashed(fitting[0]).split("/")[-len(kept) :])
        if ".." not in folder.split("/") or _beside(path, operand) == slashed(fitting[0]).lower():
            yield operand, operand[: len(operand) - len(ending) + 1] + right


def _beside(path: str, operand: str) -> str:
    return slashed(os.path.normpath(os.path.join(os.path.dirname(path), operand))).lower()
