"""Extensions of PyTorch in setup.py: include folders, macros that `BuildExtension` renames, the release of PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.setup_py.tree import nodes, strings
from hipport.diagnostics import Severity
from hipport.mappings.choice import Origin
from hipport.source import Replace

if TYPE_CHECKING:
    from tree_sitter import Node

_CUDA = "CUDAExtension"
_FOR_NVCC = re.compile(r"nvcc(?:_\w+)?|cuda_?(?:c?flags|args)", re.IGNORECASE)
_MACRO = re.compile(r"-([DU])(\w*CUDA\w*(?:=.*)?)\Z", re.DOTALL)
_NO_OPERATORS = "__CUDA_NO_"
_IMPORTS_OS = re.compile(r"^import (?:[\w., ]+, *)?os\b", re.MULTILINE)
_FIRST_IMPORT = re.compile(r"^(?:import|from(?! __future__)) ", re.MULTILINE)


def run(work: BuildFile) -> Iterator[Found]:
    """Adapt a setup.py that builds with `CUDAExtension`, which PyTorch for ROCm accepts."""
    if _CUDA not in work.text:
        return
    yield from _macros(work)
    calls = _extensions(work)
    if work.context.support is not None:
        yield from include_folder(work, _CUDA, work.context.support)
    named = next((node for node in calls if _function(work, node).endswith(_CUDA)), None)
    yield from _release(work, named.start_byte if named is not None else work.text.index(_CUDA))


def _macros(work: BuildFile) -> Iterator[Found]:
    """Write `-DMY_CUDA` as two words: `BuildExtension` on ROCm renames it to `-DMY_HIP`, unknown to the sources."""
    for group in strings(work):
        for word in group.words if _FOR_NVCC.fullmatch(group.name) and len(group.words) > 0 else ():
            match = _MACRO.match(word.text)
            if match is None:
                continue
            quote = work.text[word.end - 1]
            if match[2].startswith(_NO_OPERATORS):
                hip = match[2].replace("CUDA", "HIP", 1)
                yield Replace(word.start, word.end, f"{quote}-{match[1]}{hip}{quote}")
            elif group.is_list:
                yield Replace(word.start, word.end, f"{quote}-{match[1]}{quote}, {quote}{match[2]}{quote}")
                message = (
                    f"-{match[1]}{match[2]} is written as two words: BuildExtension on ROCm would rename the macro"
                )
                yield work.report(word.start, "HP123", Severity.NOTE, message)


def include_folder(work: BuildFile, function: str, support: str) -> Iterator[Found]:
    """Add the folder with hipport's headers to the include folders of every extension, which `function` makes."""
    folder = f'os.path.abspath("{support}")'
    calls = _extensions(work)
    for call in calls:
        yield _with_folder(work, call, folder)
    if not calls:
        message = f"the sources include hipport's headers, and no call of {function} was found to add their folder to"
        yield work.report(
            max(work.text.find(function), 0), "HP123", Severity.WARNING, message, f"Add {folder} to include_dirs."
        )
    elif not _IMPORTS_OS.search(work.text):
        first = _FIRST_IMPORT.search(work.text)
        yield Replace(first.start() if first else 0, first.start() if first else 0, "import os\n")


def _with_folder(work: BuildFile, call: Node, folder: str) -> Replace:
    arguments = call.child_by_field_name("arguments")
    assert arguments is not None, "a call has arguments"
    for argument in arguments.named_children:
        name = argument.child_by_field_name("name") if argument.type == "keyword_argument" else None
        value = argument.child_by_field_name("value")
        if name is None or value is None or work.text[name.start_byte : name.end_byte] != "include_dirs":
            continue
        if value.type == "list":
            comma = ", " if value.named_children else ""
            return Replace(value.start_byte + 1, value.start_byte + 1, folder + comma)
        return Replace(value.start_byte, value.start_byte, f"[{folder}] + ")
    last = arguments.named_children[-1]
    return Replace(last.end_byte, last.end_byte, f", include_dirs=[{folder}]")


def _release(work: BuildFile, offset: int) -> Iterator[Found]:
    """Say which release of PyTorch the sources are translated for, unless it was asked for."""
    releases = work.context.releases
    if releases is None or releases.torch is None or releases.torch_origin is Origin.ASKED:
        return
    message = f"the sources are translated for PyTorch {releases.torch} ({releases.torch_origin.value})"
    advice = "Name the release with --torch; the names of PyTorch's headers changed with 2.13."
    yield work.report(offset, "HP122", Severity.NOTE, message, advice)


def _extensions(work: BuildFile) -> list[Node]:
    return [node for node in nodes(work, "call") if _is_extension(work, node)]


def _is_extension(work: BuildFile, call: Node) -> bool:
    """Return whether a call makes an extension: by PyTorch's classes, or by a variable for one of them."""
    name = _function(work, call)
    return name.rpartition(".")[2] in (_CUDA, "Extension", "CppExtension")


def _function(work: BuildFile, call: Node) -> str:
    node = call.child_by_field_name("function")
    return work.text[node.start_byte : node.end_byte] if node is not None else ""
