"""Write the words of all checks to `hipport/translate/hazards/words.py`: `python -m scripts.check_words`.

With the table, a conversion imports the checks that a file may need, instead of all of them to read their words.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from pathlib import Path

from hipport.translate import hazards

PATH = Path(hazards.__path__[0]) / "words.py"
_HEAD = '''"""The words of which a file must contain one for a check to run, by the name of the check's module.

Written by `python -m scripts.check_words`.
"""

from __future__ import annotations

WORDS: dict[str, tuple[str, ...]] = {
'''


def text() -> str:
    """Return the table as Python."""
    rows = (f"    {name!r}: {found!r},\n" for name, found in words().items())
    return _HEAD + "".join(rows).replace("'", '"') + "}\n"


def words() -> Mapping[str, tuple[str, ...]]:
    """Return the sorted words of each check, by the name of its module."""
    names = sorted(found.name for found in pkgutil.iter_modules(hazards.__path__))
    modules = {name: importlib.import_module(f"{hazards.__name__}.{name}") for name in names}
    return {name: tuple(sorted(module.WORDS)) for name, module in modules.items() if hasattr(module, "run")}


if __name__ == "__main__":
    PATH.write_text(text())
