from __future__ import annotations

import re
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import Tables, load_choice
from hipport.mappings.overlays import read_overlays
from hipport.translate.context import Context
from hipport.translate.convert import convert_source


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)


def overlaid(*paths: Path) -> Tables:
    return load_choice(NameChoice(rocm="6.2", overlays=tuple(map(str, paths))))


def translated(text: str, tables: Tables) -> str:
    return convert_source(text.encode(), "a.h", Context(tables)).data.decode()


def test_names_of_a_project(tmp_path: Path) -> None:
    write(tmp_path, own="functions:\n  my_cuda_copy: my_hip_copy\nmacros:\n  MY_CUDA_CHECK: MY_HIP_CHECK\n")
    tables = overlaid(tmp_path / "own.yaml")
    source = (
        "#define MY_CUDA_CHECK(x) check(x)\n"
        "namespace my { void my_cuda_copy(int n) { MY_CUDA_CHECK(cudaFree(0)); } }\n"
        "void f() { my::my_cuda_copy(1); object.my_cuda_copy(1); } // my_cuda_copy\n"
    )
    assert translated(source, tables) == (
        "#define MY_HIP_CHECK(x) check(x)\n"
        "namespace my { void my_hip_copy(int n) { MY_HIP_CHECK(hipFree(0)); } }\n"
        "void f() { my::my_hip_copy(1); object.my_cuda_copy(1); } // my_cuda_copy\n"
    )


def test_arguments_change_in_calls_and_not_in_definitions(tmp_path: Path) -> None:
    write(tmp_path, own="functions:\n  my_alloc: {hip: my_alloc, args: [{append: my_default, arity: 2}]}\n")
    source = "void my_alloc(void** p, int n);\nvoid my_alloc(void** p, int) {}\nvoid f(void** p) { my_alloc(p, 1); }\n"
    assert translated(source, overlaid(tmp_path / "own.yaml")) == source.replace("p, 1)", "p, 1, my_default)")


def test_a_name_of_cuda_that_the_project_defines_stays_its_own(tmp_path: Path) -> None:
    write(tmp_path, own="functions:\n  cudaFree: myFree\n")
    tables = overlaid(tmp_path / "own.yaml")
    assert translated("int f() { return cudaFree(0); }\n", tables) == "int f() { return myFree(0); }\n"
    defined = "int cudaFree(int) { return 0; }\n"
    assert translated(defined, tables) == defined


def test_later_files_stand_above_earlier_and_above_what_they_extend(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    write(tmp_path / "sub", base="functions:\n  a: from_base\n  b: from_base\n  c: from_base\n")
    write(tmp_path, own="extends: sub/base.yaml\nfunctions:\n  b: from_own\n  c: from_own\n")
    write(tmp_path, last="extends: [own.yaml, sub/base.yaml]\nfunctions:\n  c: from_last\n")
    names = overlaid(tmp_path / "own.yaml", tmp_path / "last.yaml").names
    assert [names[name].hip and names[name].hip.name for name in "abc"] == ["from_base", "from_own", "from_last"]


def test_a_change_to_an_extended_file_counts(tmp_path: Path) -> None:
    write(tmp_path, base="functions:\n  a: old\n", own="extends: base.yaml\n")
    assert overlaid(tmp_path / "own.yaml").names["a"].hip.name == "old"  # type: ignore[union-attr]
    write(tmp_path, base="functions:\n  a: fresh\n")
    assert overlaid(tmp_path / "own.yaml").names["a"].hip.name == "fresh"  # type: ignore[union-attr]
    (tmp_path / "base.yaml").unlink()
    with pytest.raises(HipportError, match=r"own\.yaml:1: extends: cannot read the mappings file"):
        overlaid(tmp_path / "own.yaml")


def test_the_same_relative_path_in_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, own=f"functions:\n  a: from_{name}\n")
        monkeypatch.chdir(tmp_path / name)
        assert overlaid(Path("own.yaml")).names["a"].hip.name == f"from_{name}"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a": "extends: a.yaml\n"}, "a.yaml:1: extends: a cycle of overlays: a.yaml -> a.yaml"),
        (
            {"a": "library: a\nextends:\n  - b.yaml\n", "b": "extends: [c.yaml]\n", "c": "extends: b.yaml\n"},
            "c.yaml:1: extends: a cycle of overlays: b.yaml -> c.yaml -> b.yaml",
        ),
        ({"a": "functions:\n  x: y z\n"}, "a.yaml:2: functions.x: 'z' is not a version"),
        ({"a": "function:\n  x: y\n"}, "a.yaml:1: function: unknown key; did you mean 'functions'?"),
        ({"a": "functions:\n  x:\n"}, "a.yaml:2: x: no counterpart, and no reason"),
        ({"a": "functions: [x]\n"}, "a.yaml:1: functions: expected a mapping"),
        ({"a": "functions:\n  x: y\n  x: z\n"}, "a.yaml:3: functions.x: duplicate; first given in line 2"),
        ({"a": "functions: {\n"}, "a.yaml:2: not valid YAML"),
        ({"a": ""}, "a.yaml:1: the file is empty"),
        ({"a": "extends: [gone.yaml]\n"}, "a.yaml:1: extends[0]: cannot read the mappings file"),
    ],
)
def test_mistakes(files: dict[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, **files)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HipportError, match=rf"^{re.escape(message)}"):
        read_overlays(("a.yaml",))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(HipportError, match=r"^cannot read the mappings file '.*gone\.yaml': No such file"):
        read_overlays((str(tmp_path / "gone.yaml"),))


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"library: \xff\n")
    with pytest.raises(HipportError, match="not UTF-8 at byte 9"):
        read_overlays((str(tmp_path / "a.yaml"),))
