"""Report CUDA libraries that a CMake project downloads: hipport does not see their sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from msgspec import Struct

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.tables import DownloadNames
from hipport.diagnostics import Severity

_COMMANDS = re.compile(r"(?i:fetchcontent_declare|externalproject_add|cpm(add|find|declare)package|cpmusepackagelock)")
_ADDRESS = re.compile(r"(?i)(?:\w+://(?:[^/@\s]*@)?[^/\s\"]+/|git@[^:\s]+:|\b(?:gh|gl|bb):)(?P<path>[^\s\"?]+)")
_HOSTED = re.compile(r"(?:GITHUB|GITLAB|BITBUCKET)_REPOSITORY")
_ARCHIVE = re.compile(r"(?i)(?:\.git|\.zip|\.7z|\.tar(?:\.\w+)?|\.tgz)$|[#@].*$")
_VERSION = re.compile(r"(?i)v?\d[\w.-]*")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+[0-9]*")
_RAPIDS = re.compile(r"rapids_cpm_(?P<name>cccl|cuco|nvbench|nvcomp|nvtx3|raft|rmm|thrust|libcudacxx)")


class _Download(Struct, frozen=True):
    """An address that a command downloads: the parts of its path behind the host, and its place in the file."""

    start: int
    path: tuple[str, ...]


def run(work: BuildFile) -> Iterator[Found]:
    """Report `FetchContent_Declare` and similar commands with a repository of NVIDIA, or one whose name says CUDA."""
    for command in work.commands:
        rapids = _RAPIDS.fullmatch(command.name)
        if rapids:
            yield _report(work, command.start, rapids["name"])
        elif _COMMANDS.fullmatch(command.name) and command.arguments:
            texts = [(argument.text.strip('"'), argument.start) for argument in command.arguments]
            found = next(_downloads(texts), _Download(texts[0][1], (texts[0][0],)))
            name = _cuda_name(found.path, work.context.tables.named)
            if name is not None:
                yield _report(work, found.start, name)


def _downloads(texts: list[tuple[str, int]]) -> Iterator[_Download]:
    """Yield the repositories and archives that the arguments of a command name."""
    previous = ""
    for text, start in texts:
        address = _ADDRESS.search(text)
        path = address["path"] if address else text if _HOSTED.fullmatch(previous) else ""
        if parts := tuple(_ARCHIVE.sub("", part) for part in path.split("/") if part):
            yield _Download(start, parts)
        previous = text


def _cuda_name(path: tuple[str, ...], names: DownloadNames) -> str | None:
    """Return the name of what is downloaded if that is CUDA, by its owner or by a word of its name."""
    owner, parts = path[0].lower(), [part for part in path[1:] or path if not _VERSION.fullmatch(part)]
    if not parts or _fits(owner, names.other_owners):
        return None
    if len(path) > 1 and _fits(owner, names.owners):
        return parts[0]
    for part in parts:
        words = [word.lower() for word in _PARTS.findall(part)]
        other = any(_fits(word, names.other_words) for word in (*words, part.lower()))
        if not other and any(_fits(word, names.words) for word in words):
            return part
    return None


def _fits(word: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(word, pattern) for pattern in patterns)


def _report(work: BuildFile, offset: int, name: str) -> Found:
    advice = work.context.tables.downloads.get(name.lower())
    if advice is None:
        folder = re.sub(r"\W", "_", name).upper()
        advice = f"Convert a copy of its sources; FETCHCONTENT_SOURCE_DIR_{folder} names the folder."
    return work.report(
        offset, "HP409", Severity.WARNING, f"the project downloads {name}, which is not translated", advice
    )
