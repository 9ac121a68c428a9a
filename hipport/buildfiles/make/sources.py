"""Translate sources and folders in Makefiles."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.files import source_names
from hipport.buildfiles.folders import toolkit_folders
from hipport.files.sources import RENAMED
from hipport.source import Replace

_SUFFIX_RULE = re.compile(r"\s*(\.cu)(?=\.\w+[ \t]*:(?!=))")


def run(work: BuildFile) -> Iterator[Found]:
    """Update names and patterns of sources, also in suffix rules (`.cu.o:`)."""
    for line in work.lines:
        rule = None if line.variable else _SUFFIX_RULE.match(work.text, line.start, line.end)
        if rule and work.context.renamed:
            yield Replace(rule.start(1), rule.end(1), RENAMED[".cu"])
        yield from source_names(work, line.start, line.end)
        yield from toolkit_folders(work, line.start, line.end)
