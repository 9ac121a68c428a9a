"""Every error in a table is reported with file, line and key."""

from __future__ import annotations

import textwrap

import pytest

from hipport.errors import HipportError
from hipport.mappings.entry import ArgChange, HipName, Kind, Life
from hipport.mappings.rows import ArgRule, Library
from hipport.mappings.schema import parse_library


def parse(text: str) -> Library:
    return parse_library(textwrap.dedent(text), "made.yaml")


def test_the_short_and_the_long_notation() -> None:
    library = parse("""\
        library: made
        functions:
          cudaA: hipA 5.2.0
          cudaB:
            cuda: 9.0 removed 12.0
            hip: [hipB_v2 7.0.0, hipB]
            roc: rocB
            note: careful
            ordinary: true
        types:
          cudaC: {reason: no such type, alternative: hipD}
        """)
    first, second, third = library.names
    assert (first.hip, first.kind, first.line) == ((HipName("hipA", Life("5.2.0")),), Kind.FUNCTION, 3)
    assert second.hip == (HipName("hipB_v2", Life("7.0.0")), HipName("hipB"))
    assert (second.cuda, second.roc) == (Life("9.0", removed="12.0"), (HipName("rocB"),))
    assert (second.note, second.ordinary) == ("careful", True)
    assert (third.kind, third.hip, third.reason, third.alternative) == (Kind.TYPE, (), "no such type", "hipD")


def test_words_that_hip_does_without() -> None:
    library = parse("library: made\nmacros:\n  CUDART_A: drop\n  CUDART_B: {cuda: 9.0, drop: true}\n")
    assert [(row.drop, row.hip) for row in library.names] == [(True, ()), (True, ())]


def test_versions_stay_as_they_are_spelled() -> None:
    library = parse("library: made\nfunctions:\n  cudaA: {cuda: 12.10, hip: hipA 6.0}\n")
    assert library.names[0].cuda.added == "12.10"


@pytest.mark.parametrize(
    ("notation", "rule"),
    [
        ("{wrap: 1, with: f(...)}", ArgRule(ArgChange("wrap", at=1, before="f(", after=")"))),
        ("{wrap: 0, with: '&...'}", ArgRule(ArgChange("wrap", before="&"))),
        ("{append: x, arity: 2}", ArgRule(ArgChange("append", text="x", arity=2))),
        ("{insert: x, at: 2, arity: 2}", ArgRule(ArgChange("insert", at=2, text="x", arity=2))),
        ("{remove: 0}", ArgRule(ArgChange("remove"))),
        ("{replace: 1, with: x}", ArgRule(ArgChange("replace", at=1, text="x"))),
        ("{remove: 1, before: 7.0.0}", ArgRule(ArgChange("remove", at=1), before=(7,))),
    ],
)
def test_changes_of_arguments(notation: str, rule: ArgRule) -> None:
    library = parse(f"library: made\nfunctions:\n  cudaA: {{hip: hipA, args: [{notation}]}}\n")
    assert library.names[0].args == (rule,)


def test_a_group_gives_its_reason_to_names_without_one() -> None:
    library = parse("""\
        library: made
        functions:
          cudaA:
          cudaB: {reason: its own}
          cudaZ: hipZ
        members:
          cudaT:
            part:
        groups:
          - {match: cudaT.*, reason: no member, alternative: another}
          - {match: [cudaA, cuda*], reason: shared, alternative: something}
        """)
    assert [(row.reason, row.alternative) for row in library.names] == [
        ("shared", "something"),
        ("its own", "something"),
        ("", ""),
    ]
    assert library.members[0].reason == "no member"


def test_headers() -> None:
    library = parse("""\
        library: made
        headers:
          gone.h: drop
          a.h: [hip/a.h 5.2.0, a_hip.h]
          b/*: {hip: hip/b/*, roc: roc/b.h}
        """)
    gone, a, b = library.headers
    assert gone.hip == ()
    assert gone.drop
    assert [target.name for target in a.hip] == ["hip/a.h", "a_hip.h"]
    assert (b.hip[0].name, b.roc[0].name) == ("hip/b/*", "roc/b.h")


MISTAKES = {
    "unknown key of the file": ("library: made\nfunction: {}\n", "made.yaml:2: function: unknown key; did you mean"),
    "unknown key of a name": (
        "library: made\nfunctions:\n  cudaA: {hpi: hipA}\n",
        "made.yaml:3: functions.cudaA.hpi: unknown key; did you mean 'hip'?",
    ),
    "key that is no word": ("library: made\n? {a: 1}\n: 2\n", "made.yaml:2: expected a plain word as the key"),
    "duplicate key": (
        "library: made\nfunctions:\n  cudaA: hipA\n  cudaA: hipB\n",
        "made.yaml:4: functions.cudaA: duplicate; first given in line 3",
    ),
    "one name of two kinds": (
        "library: made\nfunctions:\n  cudaA: hipA\ntypes:\n  cudaA: hipA\n",
        "made.yaml:5: cudaA: duplicate; first given in line 3",
    ),
    "bad version": (
        "library: made\nfunctions:\n  cudaA: hipA six\n",
        "made.yaml:3: functions.cudaA: 'six' is not a version",
    ),
    "bad event": (
        "library: made\nfunctions:\n  cudaA: {cuda: 9.0 gone 12.0, hip: hipA}\n",
        "made.yaml:3: functions.cudaA.cuda: 'gone': expected deprecated",
    ),
    "no C++ name": ("library: made\nfunctions:\n  cuda-A: hipA\n", "made.yaml:3: functions.cuda-A: 'cuda-A' is not"),
    "no name of a counterpart": (
        "library: made\nfunctions:\n  cudaA: void*\n",
        "made.yaml:3: functions.cudaA: 'void*' cannot be the name",
    ),
    "no reason": ("library: made\nfunctions:\n  cudaA:\n", "made.yaml:3: cudaA: no counterpart, and no reason"),
    "no alternative": ("library: made\nfunctions:\n  cudaA: {reason: x}\n", "made.yaml:3: cudaA: no counterpart"),
    "useless group": (
        "library: made\ngroups:\n  - {match: cudaX*, reason: x, alternative: y}\n",
        "made.yaml:3: groups: no name without a counterpart matches cudaX*",
    ),
    "group without alternative": (
        "library: made\ngroups:\n  - {match: cudaX*, reason: x}\n",
        "made.yaml:3: groups[0]: the key 'alternative' is missing",
    ),
    "no library": ("functions: {}\n", "made.yaml:1: the key 'library' is missing"),
    "empty": ("", "made.yaml:1: the file is empty"),
    "list for mapping": ("library: made\nfunctions: [a]\n", "made.yaml:2: functions: expected a mapping"),
    "empty text": (
        "library: made\nfunctions:\n  cudaA: {hip: ''}\n",
        "made.yaml:3: functions.cudaA.hip: expected a string",
    ),
    "no flag": (
        "library: made\nfunctions:\n  cudaA: {hip: hipA, ordinary: yes}\n",
        "made.yaml:3: functions.cudaA.ordinary: 'yes' is not true or false",
    ),
    "broken YAML": ("library: made\nfunctions: {a\n", "made.yaml:3: not valid YAML"),
    "bad header": ("library: made\nheaders:\n  '<a.h>': b.h\n", "made.yaml:3: headers.<a.h>: '<a.h>' is not a header"),
    "dropped and mapped": (
        "library: made\nheaders:\n  a.h: {hip: b.h, drop: true}\n",
        "made.yaml:3: headers.a.h: both",
    ),
}


@pytest.mark.parametrize(("text", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named_by_file_line_and_key(text: str, message: str) -> None:
    with pytest.raises(HipportError) as caught:
        parse_library(text, "made.yaml")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "notation",
    [
        "{}",
        "{wrap: 0}",
        "{wrap: 0, with: f()}",
        "{wrap: 0, with: f(..., ...)}",
        "{wrap: 0, append: x, with: f(...)}",
        "{append: x, at: 1}",
        "{insert: x}",
        "{insert: x, at: 3, arity: 2}",
        "{remove: -1}",
        "{remove: two}",
        "{remove: 2, arity: 2}",
        "{rename: x}",
        "{remove: 0, before: soon}",
    ],
)
def test_a_bad_change_of_arguments_is_refused(notation: str) -> None:
    with pytest.raises(HipportError, match=r"^made\.yaml:3: functions\.cudaA\.args"):
        parse_library(f"library: made\nfunctions:\n  cudaA: {{hip: hipA, args: [{notation}]}}\n", "made.yaml")
