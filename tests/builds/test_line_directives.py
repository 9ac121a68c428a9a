from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.builds.line_directives import with_line_directives

PIECES = [
    *("int a;\n", "/* one\ntwo\nthree */\n", "// open \\\nstill\n", "#define M(x) x + \\\n  1\n", "\n", "#if 0\n"),
    *('char c = R"(raw\nline\n)";\n', "#else\n", "#endif\n", "#elif 1\n", '"s\\\nt"\n', "f(1,\r\n2);\r\n", "x"),
]


def marked(text: str, line_map: list[tuple[int, int]]) -> str:
    return with_line_directives(text.encode(), "a.cu", line_map).decode()


def numbered(text: str) -> list[tuple[int, str]]:
    """Return each line that is not a directive, with the line number that a compiler would report."""
    number, found = 0, []
    for line in text.split("\n"):
        if line.startswith("#line "):
            number = int(line.split()[1]) - 1
        else:
            number += 1
            found.append((number, line))
    return found


def test_an_unchanged_file_gets_its_name_only() -> None:
    assert marked("int a;\nint b;\n", [(1, 1)]) == '#line 1 "a.cu"\nint a;\nint b;\n'


def test_a_removed_line_is_made_up_for() -> None:
    assert marked("a\nc\n", [(1, 1), (2, 3)]) == '#line 1 "a.cu"\na\n#line 3 "a.cu"\nc\n'


def test_an_inserted_line_is_made_up_for() -> None:
    assert marked("new\na\n", [(1, 1), (2, 1)]) == '#line 1 "a.cu"\nnew\n#line 1 "a.cu"\na\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n/* b\nc */\nd\n", 4),
        ("a\n// b \\\nc\nd\n", 4),
        ("a\n#define b \\\nc\nd\n", 4),
        ('a\nR"(b\nc)";\nd\n', 4),
        ('a\nR"(b \\\r\nc)";\nd\n', 4),
    ],
)
def test_a_directive_waits_for_the_end_of_comments_literals_and_continued_lines(text: str, expected: int) -> None:
    lines = marked(text, [(1, 1), (3, 13)]).split("\n")
    assert lines[expected] == f'#line {expected + 10} "a.cu"'
    assert "\n".join(line for line in lines if not line.startswith("#line")) == text


def test_a_directive_that_may_be_skipped_is_repeated_after_the_branches() -> None:
    text = "#ifdef A\nb\n#else\nc\n#endif\nd\n"
    assert numbered(marked(text, [(1, 1), (2, 3)]))[-4:-1] == [(5, "c"), (6, "#endif"), (7, "d")]
    assert marked(text, [(1, 1), (2, 3)]).count("#line") == 4


def test_names_are_quoted_and_the_byte_order_mark_goes() -> None:
    data = with_line_directives(b"\xef\xbb\xbfint a;", 'a"b\\c.cu', [(1, 1)])
    assert data == b'#line 1 "a\\"b\\\\c.cu"\nint a;'


def test_utf16_becomes_utf8() -> None:
    assert with_line_directives("é\n".encode("utf-16"), "a.cu", [(1, 1)]) == '#line 1 "a.cu"\né\n'.encode()


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.data())
@settings(max_examples=300, deadline=None)
def test_directives_only_add_lines(text: str, data: st.DataObject) -> None:
    count = text.count("\n") + 1
    at = sorted(data.draw(st.sets(st.integers(2, count), max_size=3))) if count > 1 else []
    line_map = [(1, 1), *((line, line + 10 * n) for n, line in enumerate(at, 1))]
    result = marked(text, line_map)
    assert "\n".join(line for line in result.split("\n") if not line.startswith("#line ")) == text
    for source, (number, line) in enumerate(numbered(result), 1):
        if not at or source < at[0]:
            assert (number, line) == (source, text.split("\n")[source - 1])


@pytest.mark.toolchain
def test_the_preprocessor_sees_the_lines_of_the_source(tmp_path: Path) -> None:
    text = "#ifdef NO\nx\n#endif\n/* a\nb */ int c = __LINE__;\nint d = __LINE__; const char *f = __FILE__;\n"
    (tmp_path / "a.c").write_bytes(with_line_directives(text.encode(), "dir/a.cu", [(1, 1), (2, 11), (5, 24)]))
    done = subprocess.run(["cc", "-E", "-P", "a.c"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert " ".join(done.stdout.split()) == 'int c = 14; int d = 25; const char *f = "dir/a.cu";'
