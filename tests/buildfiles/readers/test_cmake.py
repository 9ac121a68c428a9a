"""Compare the reader of CMake files with tree-sitter-cmake and with CMake."""

from __future__ import annotations

import functools
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.buildfiles.convert import convert_build_file
from hipport.buildfiles.readers.cmake import Argument, Command, read_commands
from tests.buildfiles.test_pairs import context

ROOT = Path(__file__).parents[3]
FILES = sorted(
    path
    for folder in ("fixtures", "cmake")
    for path in (ROOT / folder).rglob("*")
    if (path.name == "CMakeLists.txt" or path.suffix == ".cmake") and path.name != "broken.cmake"
)
Plain = tuple[str, int, int, tuple[Argument, ...]]


def plain(commands: tuple[Command, ...]) -> list[Plain]:
    """Return the commands to compare. tree-sitter-cmake drops arguments of `endforeach` and `endwhile`."""
    return [
        (one.name, one.start, one.end, () if one.name in ("endforeach", "endwhile") else one.arguments)
        for one in commands
    ]


@functools.cache
def tree_sitter_parser():  # type: ignore[no-untyped-def]
    import tree_sitter
    import tree_sitter_cmake

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cmake.language()))


def by_tree_sitter(text: str) -> tuple[Command, ...]:
    found = []
    waiting = [tree_sitter_parser().parse(text.encode("ascii", "surrogateescape")).root_node]
    assert not waiting[0].has_error
    while waiting:
        node = waiting.pop()
        if node.type.endswith("_command"):
            name = text[node.start_byte : node.end_byte].partition("(")[0].strip(" \t").lower()
            found.append(Command(name, node.start_byte, node.end_byte, tuple(arguments_of(text, node))))
        else:
            waiting += reversed(node.children)
    return tuple(found)


def arguments_of(text: str, node) -> Iterator[Argument]:  # type: ignore[no-untyped-def]
    for group in node.children:
        for child in group.children if group.type == "argument_list" else ():
            inner = child.children[0] if child.type == "argument" else None
            if inner is not None and inner.type != "bracket_argument":
                quotes = int(inner.type == "quoted_argument")
                start, end = inner.start_byte + quotes, inner.end_byte - quotes
                yield Argument(start, end, text[start:end], bool(quotes))


def test_there_are_files() -> None:
    assert len(FILES) > 12


@pytest.mark.parametrize("file", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_files_of_this_repository(file: Path) -> None:
    text = file.read_bytes().decode("ascii", "surrogateescape")
    assert plain(read_commands(text)) == plain(by_tree_sitter(text))


NAMES = st.sampled_from(["set", "SET", "message", "_a9", "target_link_libraries"])
ARGUMENTS = st.sampled_from([
    "a", "${A}", "$ENV{B}", "${A_${B}}c", "-O3", "$<COMPILE_LANGUAGE:CUDA>", "$<$<CONFIG:Debug>:-g>", "a;b", "a\\;b",
    "a\\ b", "\\(", "\\#x", "\\\"x", "a=b", "=", "x]", "a]]b", "1.0", "é", "@A@", "a/b.cu",
    '""', '"a b"', '"(;#"', '"a\\"b"', '"\n"', '"\\\n"', '"${A}"', '"[["', "[[a]]", "[[]]", "[[\n)]]",
    "[=[ ]] ]=]", "[==[\"]==]", "(a b)", "(AND (NOT b))", "()",
])  # fmt: skip
SPACES = st.sampled_from(
    [" ", "\n", "\t", "  \r\n  ", " #c\n", " # set(a)\n", " #[[ ) ]] ", " #[=[\n]] ]=]\n", "\n#\n"]
)
BETWEEN = st.sampled_from(["\n", "\n\n", " # x(\n", "\n#[[ set(a b) ]]\n", "\n  #[==[\n)]==] ", '\n# "\n'])
COMMANDS = st.builds(
    lambda name, gap, parts: f"{name}{gap}({''.join(text + space for text, space in parts)})",
    NAMES,
    st.sampled_from(["", " ", "\t "]),
    st.lists(st.tuples(ARGUMENTS, SPACES), max_size=6),
)
TEXTS = st.lists(st.tuples(COMMANDS, BETWEEN), max_size=5).map(lambda parts: "".join(map("".join, parts)))


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_generated_files(text: str) -> None:
    text = text.encode().decode("ascii", "surrogateescape")
    assert plain(read_commands(text)) == plain(by_tree_sitter(text))


LEGACY = ('-DA="b c"', 'a"b"c', '"a"b', "$(VAR)", "-I$(A)/x", 'a"(b)"', "[", "[=", "[=a", "a[[b]]", '${A}"-O3 -g"')


@pytest.mark.toolchain
@pytest.mark.parametrize("argument", LEGACY)
def test_old_arguments_are_what_cmake_takes(argument: str, tmp_path: Path) -> None:
    script = tmp_path / "a.cmake"
    script.write_text(f"set(x {argument} y)\n")
    trace = ["cmake", "--trace", "--trace-format=json-v1", f"--trace-redirect={tmp_path / 'trace'}", "-P", script]
    subprocess.run(trace, capture_output=True, check=True)
    traced = [json.loads(line) for line in (tmp_path / "trace").read_text().splitlines()[1:]]
    command = read_commands(script.read_text())[0]
    assert command.texts() == traced[0]["args"]


def test_flags_with_quotes_inside_become_one_string() -> None:
    text = b'set(CUDA_NVCC_FLAGS ${CUDA_NVCC_FLAGS}"-O3 -g")\n'
    found = convert_build_file(text, "CMakeLists.txt", context()).data
    assert found == b'set(CMAKE_HIP_FLAGS "${CMAKE_HIP_FLAGS}-O3 -g")\n'


@pytest.mark.parametrize(
    "text",
    [
        "a(" * 100_000,
        "a(" + "(" * 100_000 + ")" * 100_000 + ")",
        "a" * 100_000,
        "a " * 100_000,
        "a" + " " * 100_000,
        'a("' + '\\"' * 100_000,
        "a(" + '"$(x)' * 40_000,
        "a(" + "[[" * 100_000,
        "#[[" * 100_000,
        "a(" + "[=" * 100_000,
        "a(" + '[="' * 70_000 + ")",
        "a(x)" * 50_000,
        "a(\n" + "$(" * 100_000,
    ],
    ids=lambda text: text[:12].strip() + str(len(text)),
)
def test_hostile_files_take_time_that_grows_with_their_size(text: str) -> None:
    started = time.process_time()
    read_commands(text)
    assert time.process_time() - started < 3  # seconds; linear: 0.1 to 0.5
