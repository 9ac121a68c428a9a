"""Translate spelled-out paths of the CUDA toolkit."""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.source import Replace

_FOLDER = re.compile(r"/usr/local/cuda(?:-[\d.]+\d)?(?P<lib>/lib64)?(?![\w-]|/samples|/targets|/extras)")
_LIBRARIES = re.compile(r"\$[({]\w*CUDA(?!NN)\w*[)}]/lib(64)(?![\w-])")
"""The libraries in a folder that a variable names: ROCm's are in `lib`."""


def with_rocm_folders(text: str) -> str:
    """Return words with the folders of ROCm in place of CUDA's."""
    text = _FOLDER.sub(lambda match: "/opt/rocm/lib" if match["lib"] else "/opt/rocm", text)
    return _LIBRARIES.sub(lambda match: match[0].removesuffix("64"), text)


def toolkit_folders(work: BuildFile, start: int, end: int) -> Iterator[Found]:
    """Yield edits for `/usr/local/cuda`, and for the `lib64` of a variable's folder, in a range of the text."""
    for match in _FOLDER.finditer(work.text, start, end):
        yield Replace(match.start(), match.end(), "/opt/rocm/lib" if match["lib"] else "/opt/rocm")
    for match in _LIBRARIES.finditer(work.text, start, end):
        yield Replace(*match.span(1), "")
