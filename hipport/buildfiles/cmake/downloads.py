"""Report CUDA libraries that a CMake project downloads: hipport does not see their sources."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.diagnostics import Severity

_COMMANDS = re.compile(r"(?i:fetchcontent_declare|externalproject_add|cpm(add|find|declare)package|cpmusepackagelock)")
_PLACE = re.compile(
    r"(?i)(?:github\.com[:/]|\bgh:)(?P<owner>nvidia|nvlabs|rapidsai)/(?P<name>[\w.-]+?)(?:\.git\b|[/#@\s\"]|$)"
)
_RAPIDS = re.compile(r"rapids_cpm_(?P<name>cccl|cuco|nvbench|nvcomp|nvtx3|raft|rmm|thrust|libcudacxx)")


def run(work: BuildFile) -> Iterator[Found]:
    """Report `FetchContent_Declare` and similar commands with a repository of NVIDIA."""
    for command in work.commands:
        rapids = _RAPIDS.fullmatch(command.name)
        if rapids:
            yield _report(work, command.start, rapids["name"])
        elif _COMMANDS.fullmatch(command.name):
            for argument in command.arguments:
                place = _PLACE.search(argument.text)
                if place:
                    yield _report(work, argument.start, place["name"])
                    break


def _report(work: BuildFile, offset: int, name: str) -> Found:
    advice = work.context.tables.downloads.get(name.lower())
    if advice is None:
        advice = f"Convert a copy of its sources; FETCHCONTENT_SOURCE_DIR_{name.upper()} names the folder."
    return work.report(
        offset, "HP409", Severity.WARNING, f"the project downloads {name}, which is not translated", advice
    )
