"""Translate CMake's compile features of the language CUDA, such as `cuda_std_17`."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.source import Replace

_FEATURE = re.compile(r"\bcuda_std_(?P<year>\d\d)\b")
_COMMANDS = {"target_compile_features", "set_property", "set_target_properties"}
_OLDEST = {"03": "98"}
"""CMake's oldest feature of HIP is `hip_std_98`."""


def run(work: BuildFile) -> Iterator[Found]:
    """Replace the features with those of HIP."""
    for command in work.commands:
        if command.name in _COMMANDS:
            for argument in command.arguments:
                for match in _FEATURE.finditer(work.text, argument.start, argument.end):
                    year = _OLDEST.get(match["year"], match["year"])
                    yield Replace(match.start(), match.end(), f"hip_std_{year}")
