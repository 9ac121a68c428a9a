"""Translate how a setup.py without PyTorch runs nvcc and finds CUDA: program, headers, the variable with its folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hipport import lazy_re as re
from hipport.buildfiles.build_file import BuildFile, Found
from hipport.buildfiles.setup_py.extensions import include_folder
from hipport.buildfiles.setup_py.tree import nodes
from hipport.source import Replace

if TYPE_CHECKING:
    from tree_sitter import Node

_OF_TORCH = ("CUDAExtension", "torch.utils.cpp_extension")
_SEARCHING = re.compile(
    r"(?:\w+\.)*(?:p?join|which|find\w*|exists|isfile|run|call|check_\w+|Popen|spawn|set_executable\w*)"
)
_PROGRAM = re.compile(r"(?P<folder>.*/)?(?P<name>nvcc)(?: --?[\w-]+)*")
_FOLDERS = {"CUDAHOME", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR"}
_LIBRARIES = "lib64"


def run(work: BuildFile) -> Iterator[Found]:
    """Translate these strings where they are the program, the environment's variable or a folder, and not a key."""
    if any(word in work.text for word in _OF_TORCH) or "nvcc" not in work.text:
        return
    if work.context.support is not None:
        yield from include_folder(work, "Extension", work.context.support)
    for part in nodes(work, "string_content"):
        text = work.text[part.start_byte : part.end_byte]
        program = _PROGRAM.fullmatch(text)
        if program is not None and (program["folder"] or _is_searched(work, part)):
            start, end = (part.start_byte + each for each in program.span("name"))
            yield Replace(start, end, "hipcc")
        elif text in _FOLDERS and _is_of_environment(work, part):
            yield Replace(part.start_byte, part.end_byte, "ROCM_PATH")
        elif text == _LIBRARIES and _is_searched(work, part):
            yield Replace(part.start_byte, part.end_byte, "lib")


def _is_searched(work: BuildFile, part: Node) -> bool:
    """Return whether a string is an argument, or in a list that is one, of a function that finds or runs programs."""
    arguments = _around(part, 1)
    if arguments is not None and arguments.type == "list":
        arguments = arguments.parent
    call = arguments.parent if arguments is not None and arguments.type == "argument_list" else None
    function = call.child_by_field_name("function") if call is not None else None
    return function is not None and bool(_SEARCHING.fullmatch(work.text[function.start_byte : function.end_byte]))


def _is_of_environment(work: BuildFile, part: Node) -> bool:
    """Return whether a string is in `os.environ[...]`, `os.getenv(...)`, `... in os.environ`."""
    for steps in (1, 2):
        around = _around(part, steps)
        if around is not None and around.type in ("subscript", "call", "comparison_operator"):
            return "environ" in (text := work.text[around.start_byte : around.end_byte]) or "getenv" in text
    return False


def _around(part: Node, steps: int) -> Node | None:
    """Return what is around a string, whose content `part` is."""
    node: Node | None = part.parent
    for _ in range(steps):
        node = node.parent if node is not None else None
    return node
