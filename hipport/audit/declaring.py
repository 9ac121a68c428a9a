"""Look up the header that declares a name, in the text of a shipped list of names, without parsing all of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hipport.errors import HipportError
from hipport.files.documents import LARGEST_TABLE, read_text
from hipport.mappings.life import release
from hipport.mappings.loader import tables_folder


@dataclass(frozen=True, slots=True)
class NameList:
    """The text of a list of names, as `hipport.audit.extract` writes it."""

    text: str

    def header_of(self, name: str) -> str:
        """Return the header that declares a name; empty if the list lacks it."""
        scope, _, last = name.rpartition("::")
        found = ""
        for heading in self._headings(last):
            _, header, *scopes = [*heading.split(" "), ""][:3]
            if scopes == [scope]:
                found = header
        return found

    def _headings(self, last: str) -> Iterator[str]:
        """Yield the heading of each group of declarations in which a line is about this name."""
        start = -1
        while last and (start := self.text.find(f"\n{last}", start + 1)) >= 0:
            end = start + 1 + len(last)
            opening = self.text.rfind("\n[", 0, start + 1)
            heading = self.text[opening + 2 : self.text.find("]", opening)]
            if self.text[end : end + 1] in ("\n", " ") and " " in heading:
                yield heading


def newest_cuda() -> NameList:
    """Return the shipped list of names of the newest CUDA release."""
    paths = (tables_folder() / "known").glob("cuda-*.txt")
    last = max(paths, key=lambda path: release(path.stem.partition("-")[2]), default=None)
    if last is None:
        raise HipportError("the list of CUDA names is missing", hint="Reinstall hipport.")
    return NameList(read_text(last, LARGEST_TABLE))
