"""Write the words of all checks and passes to tables beside them: `python -m scripts.check_words`.

With the tables, a conversion imports the modules that a file may need, instead of all of them to read their words.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from hipport.translate import hazards, passes

CHECKS = Path(hazards.__path__[0]) / "words.py"
PASSES = Path(passes.__path__[0]) / "words_of.py"
_HEAD = '''"""{}, by the name of the {}'s module.

Written by `python -m scripts.check_words`.
"""

from __future__ import annotations

WORDS: dict[str, {}] = {{
'''
_OF_CHECKS = _HEAD.format("The words of which a file must contain one for a check to run", "check", "tuple[str, ...]")
_OF_PASSES = _HEAD.format(
    "The sets of words of which a file must contain one each for a pass to run", "pass", "tuple[tuple[str, ...], ...]"
)

Words = tuple[str, ...]


def tables() -> Mapping[Path, str]:
    """Return the tables as Python, by the path of the file that has each."""
    return {CHECKS: _table(_OF_CHECKS, words()), PASSES: _table(_OF_PASSES, words_of_passes())}


def words() -> Mapping[str, Words]:
    """Return the sorted words of each check, by the name of its module."""
    return {name: tuple(sorted(module.WORDS)) for name, module in _modules(hazards).items()}


def words_of_passes() -> Mapping[str, tuple[Words, ...]]:
    """Return the sorted words of each set of each pass, by the name of its module; () for a pass that always runs."""
    sets = {name: getattr(module, "WORDS", ()) for name, module in _modules(passes).items()}
    return {name: tuple(tuple(sorted(each)) for each in of) for name, of in sets.items()}


def _modules(package: ModuleType) -> Mapping[str, ModuleType]:
    """Return the modules of a package that have a `run`, by name."""
    names = sorted(found.name for found in pkgutil.iter_modules(package.__path__))
    modules = {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}
    return {name: module for name, module in modules.items() if hasattr(module, "run")}


def _table(head: str, found: Mapping[str, object]) -> str:
    rows = (f"    {name!r}: {of!r},\n" for name, of in found.items())
    return head + "".join(rows).replace("'", '"') + "}\n"


if __name__ == "__main__":
    for path, text in tables().items():
        path.write_text(text)
