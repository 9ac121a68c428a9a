"""Braces that initialize the parameters of a kernel node, whose members HIP has in a different order.

In C++ they initialize a struct with CUDA's order that converts to HIP's; in C, values get their members' names.
"""

from __future__ import annotations

from collections.abc import Iterator

from hipport import lazy_re as re
from hipport.diagnostics import Diagnostic, Severity
from hipport.source import Edit, Replace, Span
from hipport.translate.passes import c_sources, insertion
from hipport.translate.passes.cross_lane import is_hip
from hipport.translate.syntax.brackets import (
    matching_close,
    skip_blanks,
    skip_blanks_back,
    split_arguments,
    word_before,
)
from hipport.translate.syntax.platforms import Platform, platform_at
from hipport.translate.work import Work

_HEADER = "hipport/compat/kernel_nodes.h"
_ORDERS = {
    "cudaKernelNodeParams": "hipport::compat::kernel_node_params",
    **dict.fromkeys(
        ("CUDA_KERNEL_NODE_PARAMS", "CUDA_KERNEL_NODE_PARAMS_st", "CUDA_KERNEL_NODE_PARAMS_v1"),
        "hipport::compat::driver_kernel_node_params",
    ),
}
_GRIDS = ("gridDim", "blockDim")
_C_MEMBERS = {
    "cudaKernelNodeParams": ("func", *_GRIDS, "sharedMemBytes", "kernelParams", "extra"),
    "CUDA_KERNEL_NODE_PARAMS": (
        "func",
        *(f"{each}.{axis}" for each in _GRIDS for axis in "xyz"),
        *("sharedMemBytes", "kernelParams", "extra"),
    ),
}
WORDS = (frozenset(_ORDERS),)
_TYPE = re.compile(rf"\b({'|'.join(_ORDERS)})\b")
_DECLARATOR = re.compile(r"[\s&*]*(?:const\b\s*)?([A-Za-z_]\w*)\s*((?:\[[^][]*\]\s*)*)(=?)\s*")
_HARMLESS = re.compile(r"\{\s*(?:(?:0|nullptr|NULL)\s*)?\}")
_NAMED = re.compile(r"\{\s*\.")
_RETURN = re.compile(r"\breturn\s*(?=\{)")
_FUNCTION = re.compile(r"[\s&*]*(?:\w+\s*::\s*)*([A-Za-z_]\w*)\s*(\()")
_CONTAINER = re.compile(r"(?:\s*,[^<>;(){}]*)?\s*>\s*&?\s*([A-Za-z_]\w*)?\s*(=?)\s*")
_GROWING = r"\b{}\s*(?:\.|->)\s*(?:push_back|push|insert|push_front)\s*\(\s*(?=\{{)"
_ASSIGNED = r"\b{}\s*(?:\[[^][]*\]\s*)?=\s*(?=\{{)"
_ADVICE = "Initialize the members by name."

Found = Iterator[Edit | Diagnostic]


def run(work: Work) -> Found:
    """Keep CUDA's order where a list in braces initializes such a struct; report lists that cannot be followed."""
    places = {} if is_hip(work) else dict(_places(work.unit.code))
    edits = [
        edit
        for at, place in places.items()
        if platform_at(work.unit, at) is not Platform.NVIDIA
        for edit in _ordered(work, at, *place)
    ]
    yield from edits
    if any(isinstance(edit, Replace) for edit in edits) and not c_sources.is_c(work):
        yield from insertion.include(work, {_HEADER}, min(places))


def _ordered(work: Work, at: int, type_: str, front: str, behind: str) -> Found:
    """Put the struct with CUDA's order in front of the list at an offset, in C the members' names into the list."""
    code = work.unit.code
    if not code.startswith("{", at):
        message = f"{type_}: values without braces of their own, which HIP's struct has in a different order"
        yield work.report(Span(at, at + 1), "HP108", Severity.ERROR, message, _ADVICE)
        return
    close = matching_close(code, at)
    if close is None or _HARMLESS.fullmatch(code, at, close + 1):
        return
    named, values = _NAMED.match(code, at) is not None, split_arguments(code, at + 1, close)
    members = _C_MEMBERS[type_.partition("_st")[0].partition("_v1")[0]]
    if c_sources.is_c(work):
        for member, value in zip(members, values, strict=False):
            if not named and value.end > value.start:
                start = skip_blanks(code, value.start)
                yield Replace(start, start, f".{member} = ")
    elif not named or type_ == "cudaKernelNodeParams":
        yield Replace(at, at, f"{front}{_ORDERS[type_]}")
        if behind:
            yield Replace(close + 1, close + 1, behind)


def _places(code: str) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Yield the offsets of lists: for each the type, and the text in front of the struct and behind the list."""
    for match in _TYPE.finditer(code):
        type_, end = match[1], match.end()
        at = skip_blanks(code, end)
        if code.startswith("{", at):
            if word_before(code, match.start()) != "struct":
                yield at, (type_, "(", ")")
        elif code.startswith(")", at) and code.startswith("{", skip_blanks(code, at + 1)):  # of C
            yield skip_blanks(code, at + 1), (type_, "", "")
        elif (container := _CONTAINER.match(code, end)) is not None:
            yield from _of_container(code, type_, container)
        else:
            yield from _of_declarators(code, type_, end)
            yield from _of_function(code, type_, match.start(), end)


def _of_declarators(code: str, type_: str, at: int) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Follow `T a = {...}, b[2] = {{...}, {...}}, c;`, and the assignments to each of the names."""
    while (declared := _DECLARATOR.match(code, at)) is not None:
        at = declared.end()
        if code.startswith("{", at):
            if declared[2]:
                yield from _inner(code, type_, at)
            else:
                yield at, (type_, "" if declared[3] else "= ", "")
            at = (matching_close(code, at) or len(code)) + 1
        for assigned in re.build(_ASSIGNED.format(declared[1])).finditer(code, at):
            if not _declares(code, assigned.start()):
                yield assigned.end(), (type_, "", "")
        at = skip_blanks(code, at)
        if not code.startswith(",", at):
            return
        at += 1


def _declares(code: str, start: int) -> bool:
    """Return whether a type stands in front of a name."""
    end = skip_blanks_back(code, start)
    return bool(word_before(code, end)) or (code[end - 1 : end] == ">" and code[end - 2 : end] != "->")


def _inner(code: str, type_: str, at: int) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Yield the lists in a list of an array or a container; one of plain values cannot be followed."""
    close = matching_close(code, at) or at
    for value in split_arguments(code, at + 1, close):
        start = skip_blanks(code, value.start)
        if code.startswith("{", start) or "," in code[value.end : close]:
            yield start, (type_, "", "")


def _of_container(code: str, type_: str, match: re.Match[str]) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Yield the lists in `vector<T> v{{...}, {...}};` and `v.push_back({...})`."""
    if code.startswith("{", match.end()):
        yield from _inner(code, type_, match.end())
    if match[1]:
        for grown in re.build(_GROWING.format(match[1])).finditer(code, match.end()):
            yield grown.end(), (type_, "", "")


def _of_function(code: str, type_: str, start: int, end: int) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Yield the lists that a function of the type returns, and those given to a function with such a parameter."""
    function = _FUNCTION.match(code, end)
    if function is not None and (close := matching_close(code, function.start(2))) is not None:
        body = code.find("{", close)
        if body >= 0 and ";" not in code[close:body] and (last := matching_close(code, body)) is not None:
            for returned in _RETURN.finditer(code, body, last):
                yield returned.end(), (type_, "", "")
    yield from _of_calls(code, type_, start)


def _of_calls(code: str, type_: str, start: int) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Yield the lists in the place of a parameter of the type in calls of a function that the file declares."""
    open_ = max(code.rfind("(", 0, start), 0)
    close, name = matching_close(code, open_), word_before(code, open_)
    if close is None or close < start or not name or "{" in code[open_:start]:
        return
    index = sum(span.end <= start for span in split_arguments(code, open_ + 1, close))
    for call in re.build(rf"\b{name}\s*\(").finditer(code, close):
        last = matching_close(code, call.end() - 1)
        given = split_arguments(code, call.end(), last) if last is not None else ()
        at = skip_blanks(code, given[index].start) if index < len(given) else -1
        if at >= 0 and code.startswith("{", at):
            yield at, (type_, "", "")
