"""Translate sources and folders in Makefiles."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.files import source_names, unknown_names
from hipport.buildfiles.folders import toolkit_folders
from hipport.files.sources import RENAMED
from hipport.source import Replace

_SUFFIX_RULE = re.compile(r"\s*(\.cu)(?=\.\w+[ \t]*:(?!=))")
_USED = re.compile(r"\$[({]([\w.-]+)[)}]")
_MATCHED = re.compile(
    r"\$[({](?P<name>[\w.-]+):%?\.cu="
    r"|\$[({](?:patsubst|filter|filter-out|subst)[ \t][^,\n]{0,500}\.cu[ \t]{0,9},(?P<rest>[^\n]*)"
)


def run(work: BuildFile) -> Iterator[Found]:
    """Update names and patterns of sources, also in suffix rules (`.cu.o:`)."""
    invented = _invented(work)
    for line in work.lines:
        rule = None if line.variable else _SUFFIX_RULE.match(work.text, line.start, line.end)
        if rule and work.context.renamed:
            yield Replace(rule.start(1), rule.end(1), RENAMED[".cu"])
        yield from source_names(work, line.start, line.end, invented)
        yield from toolkit_folders(work, line.start, line.end)


def _invented(work: BuildFile) -> frozenset[str]:
    """Return names of no file in lists that a pattern turns into those of objects: `sgemm.cu` for `Xgemm.cu`.

    The pattern becomes `%.hip`, so these have to match it.
    """
    if not work.context.renamed:
        return frozenset()
    waiting = [
        name
        for match in _MATCHED.finditer(work.text)
        for name in ([match["name"]] if match["name"] else _USED.findall(match["rest"]))
    ]
    seen: set[str] = set()
    found: set[str] = set()
    while waiting:
        variable = waiting.pop()
        if variable in seen:
            continue
        seen.add(variable)
        for line in work.lines:
            if line.variable == variable:
                waiting += _USED.findall(work.text, line.start, line.end)
                found.update(unknown_names(work, line.start, line.end))
    return frozenset(found)
