from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hipport.builds.project_file import KEYS, needs_mpi, read_targets, request_for
from hipport.builds.request import BuildRequest, CompileSettings, OutputKind
from hipport.errors import HipportError
from hipport.project.settings import find_settings

PROJECT = """\
rocm = "6.2"

[targets.app]
sources = ["src/main.cu", "src/*.cu"]
include-dirs = ["include"]
defines = ["N=4", "FLAG"]
libraries = ["mid", "m"]
std = "c++20"

[targets.base]
kind = "static"
sources = ["src/base.cpp"]
libraries = ["z"]
mpi = true

[targets.mid]
kind = "shared"
sources = ["src/base.cpp"]
libraries = ["base"]
rdc = true
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    for name in ("main.cu", "b.cu", "a.cu", "base.cpp"):
        (tmp_path / "src" / name).touch()
    return tmp_path


def write(folder: Path, text: str, name: str = "hipport.toml") -> Path:
    (folder / name).write_text(text)
    return folder


def test_targets_come_after_what_they_link(folder: Path) -> None:
    targets = read_targets(write(folder, PROJECT))
    assert [target.file for target in targets] == ["libbase.a", "libmid.so", "app"]
    assert [target.rdc for target in targets] == [False, True, False]


def test_what_links_a_target_with_mpi_needs_it_too(folder: Path) -> None:
    targets = read_targets(write(folder, PROJECT + '\n[targets.alone]\nsources = ["src/a.cu"]\n'))
    assert [(target.name, target.mpi, needs_mpi(target, targets)) for target in targets] == [
        ("base", True, True),
        ("alone", False, False),
        ("mid", False, True),
        ("app", False, True),
    ]


def test_sources_are_named_or_found_each_once(folder: Path) -> None:
    app = read_targets(write(folder, PROJECT))[-1]
    assert app.sources == tuple(str(folder / "src" / name) for name in ("main.cu", "a.cu", "b.cu"))


def test_the_build_of_a_target(folder: Path) -> None:
    targets = read_targets(write(folder, PROJECT))
    out = folder / "out"
    base = BuildRequest(
        (), "", (), settings=CompileSettings(include_dirs=("given",), defines=("-DN=5",), link=("-s",)), jobs=3
    )
    request = request_for(targets[-1], targets, base, out)
    assert request.sources[-2:] == (str(out / "libmid.so"), str(out / "libbase.a"))
    assert (request.output, request.kind, request.jobs) == (str(out / "app"), OutputKind.EXECUTABLE, 3)
    settings = request.settings
    assert (settings.std, settings.rdc) == ("c++20", False)
    assert settings.include_dirs == (str(folder / "include"), "given")
    assert settings.defines == ("-DN=4", "-DFLAG", "-DN=5")
    assert settings.link == ("-lm", "-lz", f"-Wl,-rpath,{out}", "-s")


def test_a_table_of_pyproject(folder: Path) -> None:
    write(folder, '[project]\nname = "x"\n[tool.hipport.targets.a]\nsources = ["src/a.cu"]\n', "pyproject.toml")
    assert [target.name for target in read_targets(folder)] == ["a"]


def test_other_commands_read_the_same_file(folder: Path) -> None:
    assert find_settings([str(write(folder, PROJECT))]).rocm == "6.2"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "no sources"),
        ("sources = []", "no sources"),
        ('sources = ["none.cu"]', "no file matches 'none.cu'"),
        ('sources = ["none/*.cu"]', r"no file matches 'none/\*.cu'"),
        ('sources = ["/etc/passwd"]', "is not relative to the folder"),
        ('sources = "src/a.cu"', "expected a list of strings"),
        ('source = ["src/a.cu"]', "unknown key 'source'; did you mean 'sources'"),
        ('flags = ["-fplugin=x.so"]', "unknown key 'flags'"),
        ('sources = ["src/a.cu"]\nkind = "module"', "expected executable, shared, static, not 'module'"),
        ('sources = ["src/a.cu"]\nstd = "-fplugin=x"', "expected a C.. standard"),
        ('sources = ["src/a.cu"]\ndefines = ["A -fplugin=x"]', "invalid value 'A -fplugin=x'"),
        ('sources = ["src/a.cu"]\ndefines = ["A\\u0000B"]', r"defines: invalid value 'A\\x00B'"),
        ('sources = ["src/a.cu"]\nlibraries = ["-x"]', "invalid value '-x'"),
        ('sources = ["src/a.cu"]\nlibraries = ["t"]', "circular dependency of targets: t"),
        ('sources = ["src/a.cu"]\nlibraries = ["u"]\n[targets.u]\nsources = ["src/a.cu"]', "cannot link an executable"),
        ('sources = ["src/a.cu"]\nrdc = "yes"', "expected true or false"),
        ('sources = ["src/a.cu"]\nmpi = "./mpicxx"', "mpi: expected true or false"),
    ],
)
def test_mistakes(folder: Path, table: str, message: str) -> None:
    write(folder, f"[targets.t]\n{table}\n")
    with pytest.raises(HipportError, match=message):
        read_targets(folder)


OUTSIDE = '[targets."../x"]\nsources = ["src/a.cu"]\n'


@pytest.mark.parametrize("text", [None, 'rocm = "6.2"\n', "targets = 3\n", OUTSIDE])
def test_no_targets(folder: Path, text: str | None) -> None:
    if text is not None:
        write(folder, text)
    with pytest.raises(
        HipportError, match=r"no hipport\.toml|no targets|expected tables|a table with the name of a file"
    ):
        read_targets(folder)


_TEXTS = st.lists(st.sampled_from([*"ab*?[]/.~!-= ", "**", "src/", "\t", "\N{SNOWMAN}"]), max_size=8).map("".join)
_VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), _TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "kind"]), inner, max_size=2)
    ),
    max_leaves=5,
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(key=st.sampled_from([*KEYS, "targets"]), value=_VALUES)
def test_any_value_is_taken_or_refused_in_one_line(folder: Path, key: str, value: object) -> None:
    table = {"sources": ["src/main.cu"], key: value}
    target = "".join(f"{name} = {_toml(given)}\n" for name, given in table.items())
    write(folder, f"targets = {_toml(value)}\n" if key == "targets" else f"[targets.x]\n{target}")
    try:
        read_targets(folder)
    except HipportError as error:
        assert str(error).startswith(str(folder))
        assert "\n" not in str(error)


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)
