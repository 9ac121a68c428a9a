"""Output trees over time: what changes, what stays, what is merged, and what an interruption leaves."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hipport.errors import HipportError, UsageError
from hipport.project import run as project_run
from hipport.project.output import Output
from hipport.project.request import Mode, Policy, Report, Verdict
from hipport.project.run import run
from hipport.project.state.folder import StateFolder
from hipport.project.tree.follow import followed
from hipport.translate.context import Context, Options
from hipport.translate.conversion import Conversion
from tests.project import fake
from tests.project.fake import build, codes, mirror, names

LINES = "".join(f"line {number}\n" for number in range(9))
FILES: dict[str, str | bytes] = {"a.cu": LINES + "cudaX", "sub/b.h": LINES, "image": b"\0old", "l": "-> a.cu"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return build(tmp_path / "tree", FILES)


@pytest.fixture
def out(tmp_path: Path, tree: Path) -> Path:
    mirror(tree, tmp_path / "out")
    return tmp_path / "out"


def update(tree: Path, out: Path, **options: object) -> Report:
    request = fake.request(Mode.OUTPUT, tree, folder=str(out), policy=Policy.MERGE, **options)
    return run(followed(request, None), lambda done, total: None, fake.convert)


def verdicts(report: Report) -> dict[str, Verdict]:
    """Return the verdicts of all files except unchanged ones."""
    found = {Path(file.path).name: file.verdict for file in report.verdicts or ()}
    return {name: verdict for name, verdict in found.items() if verdict is not Verdict.SAME}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


class Counted:
    """A converter that records the names of the files that it gets."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def __call__(self, data: bytes, name: str, context: Context) -> Conversion:
        self.given.append(Path(name).name)
        return fake.convert(data, name, context)

    def mirror(self, tree: Path, out: Path, **options: Any) -> Report:
        self.given.clear()
        request = fake.request(Mode.OUTPUT, tree, folder=str(out), jobs=1)
        return run(replace(request, **options), lambda done, total: None, self)


# --- only what changed is done again


def test_only_what_changed_is_translated(tree: Path, tmp_path: Path) -> None:
    build(tree, {"r.cu": "REPORT", "s.hip": "cudaS"})
    counted = Counted()
    first = counted.mirror(tree, tmp_path / "out")
    assert sorted(counted.given) == ["a.cu", "b.h", "r.cu", "s.hip"]
    again = counted.mirror(tree, tmp_path / "out")
    assert counted.given == [] and verdicts(again) == {}
    assert again.diagnostics == first.diagnostics and again.files == first.files and codes(again) == ["HP101"]
    edit(tree / "sub/b.h", "line 1", "line one")
    assert verdicts(counted.mirror(tree, tmp_path / "out")) == {"b.h": Verdict.WRITE}
    assert counted.given == ["b.h"]


def test_findings_name_the_sources_as_this_run_does(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tree, {"r.cu": "REPORT"})
    counted = Counted()
    counted.mirror(tree, tmp_path / "out")
    monkeypatch.chdir(tree)
    assert [found.path for found in counted.mirror(Path(), tmp_path / "out").diagnostics] == ["r.cu"]
    assert counted.given == []


def test_times_do_not_matter(tree: Path, out: Path) -> None:
    counted = Counted()
    counted.mirror(tree, out)
    for folder in (tree, out):
        for name in names(folder):
            os.utime(folder / name, (1, 1), follow_symlinks=False)
    assert verdicts(counted.mirror(tree, out)) == {} and counted.given == []


def test_a_definition_in_a_header_reaches_who_includes_it(tree: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(tree, {"h.h": "", "m.h": '#include "h.h"\n', "u.cu": '#include "m.h"\ncudaOwn', "v.cu": "cudaOwn"})
    counted = Counted()
    counted.mirror(tree, out)
    assert (out / "u.hip").read_text().endswith("hipOwn")
    (tree / "h.h").write_text("define cudaOwn")
    counted.mirror(tree, out)
    assert sorted(counted.given) == ["h.h", "u.cu"]
    assert (out / "u.hip").read_text().endswith("cudaOwn") and (out / "v.hip").read_text() == "hipOwn"
    (tree / "h.h").write_text("")
    counted.mirror(tree, out)
    assert sorted(counted.given) == ["h.h", "u.cu"] and (out / "u.hip").read_text().endswith("hipOwn")


def test_a_renamed_file_reaches_who_includes_or_reads_it(tree: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(tree, {"k.cu": "", "k.hip": "", "u.cu": '#include "k.cu"\n', "v.cu": "", "w.cu": 'open("k.cu")'})
    counted = Counted()
    counted.mirror(tree, out)
    assert (out / "u.hip").read_text() == '#include "k.cu"\n'
    (tree / "k.hip").unlink()
    counted.mirror(tree, out)
    assert {"u.cu", "w.cu"} <= set(counted.given) and "v.cu" not in counted.given
    assert (out / "u.hip").read_text() == '#include "k.hip"\n' and names(out).count("k.cu") == 0


@pytest.mark.parametrize(
    "options", [{"options": Options(launch="chevron")}, {"keep_names": True}, {"convert_ported": True}]
)
def test_other_options_are_a_change(tree: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    counted = Counted()
    counted.mirror(tree, tmp_path / "out")
    counted.mirror(tree, tmp_path / "out", **options)
    assert sorted(counted.given) == ["a.cu", "b.h"]


def test_a_lost_memory_costs_time_only(tree: Path, out: Path) -> None:
    (out / ".hipport/memory.json").write_text("{")
    counted = Counted()
    assert verdicts(counted.mirror(tree, out)) == {} and sorted(counted.given) == ["a.cu", "b.h"]


CMAKE = "project(a LANGUAGES CXX CUDA)\nadd_executable(a a.cu)\n"


def test_build_files_are_translated_when_anything_about_them_changes(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    build(tree, {"CMakeLists.txt": CMAKE, "sub/CMakeLists.txt": CMAKE})
    first, before = mirror(tree, out), (out / "CMakeLists.txt").read_text()
    assert before != CMAKE
    calls: list[int] = []
    translate = project_run.translate_build_files
    monkeypatch.setattr(project_run, "translate_build_files", lambda *args: calls.append(1) or translate(*args))
    assert mirror(tree, out).diagnostics == first.diagnostics and not calls
    edit(tree / "a.cu", "line 1", "changed")
    assert verdicts(mirror(tree, out)) == {"a.hip": Verdict.WRITE} and not calls
    edit(tree / "sub/CMakeLists.txt", "project(a", "project(b")
    assert verdicts(mirror(tree, out)) == {"CMakeLists.txt": Verdict.WRITE} and len(calls) == 1
    build(tree, {"a.hip": "taken"})
    mirror(tree, out)
    assert len(calls) == 2 and "a.cu" in (out / "CMakeLists.txt").read_text()


EDITS = st.lists(
    st.tuples(st.sampled_from(["a.cu", "b.cu", "s/a.h", "s/c.h", "d"]), st.sampled_from(range(6))), max_size=5
)
CONTENTS = ["", "cudaX", "define cudaX", '#include "a.h"\ncudaX', '#include "b.cu"\ncudaX']


@settings(max_examples=20, deadline=None)
@given(st.lists(EDITS, min_size=1, max_size=3))
def test_any_history_gives_what_one_run_gives(tmp_path_factory: pytest.TempPathFactory, history: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("history")
    tree = build(folder / "tree", {"always.cu": "cudaZ"})
    for edits in history:
        for name, content in edits:
            if content < len(CONTENTS):
                build(tree, {name: CONTENTS[content]})
            else:
                (tree / name).unlink(missing_ok=True)
        mirror(tree, folder / "out", jobs=1)
    mirror(tree, folder / "fresh", jobs=1)
    assert _files(folder / "out") == _files(folder / "fresh")
    assert (folder / "out/.hipport/manifest.json").read_text() == (folder / "fresh/.hipport/manifest.json").read_text()


def _files(folder: Path) -> dict[str, bytes]:
    return {name: _content(folder / name) for name in names(folder)}


def _content(path: Path) -> bytes:
    return os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()


# --- what is gone from the input


def test_what_is_gone_goes_with_its_folder(tree: Path, out: Path) -> None:
    (out / "mine").write_text("mine")
    shutil.rmtree(tree / "sub")
    (tree / "image").unlink()
    assert verdicts(mirror(tree, out)) == {"b.h": Verdict.REMOVE, "image": Verdict.REMOVE}
    assert names(out) == ["a.hip", "l", "mine"] and not (out / "sub").exists()


def test_a_file_becomes_a_folder_and_back(tree: Path, out: Path) -> None:
    (tree / "image").unlink()
    build(tree, {"image/x": "x"})
    mirror(tree, out)
    assert (out / "image/x").read_text() == "x"
    shutil.rmtree(tree / "image")
    build(tree, {"image": "file"})
    mirror(tree, out)
    assert (out / "image").read_text() == "file"


def test_nothing_goes_while_a_part_cannot_be_read(tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = os.scandir

    def refuse(path: str) -> Any:
        if str(path).endswith("tree/sub"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert codes(mirror(tree, out)) == ["HP901"] and "sub/b.h" in names(out)


def test_another_tree_is_refused(tree: Path, out: Path, tmp_path: Path) -> None:
    other = build(tmp_path / "other", {"x.cu": "cudaX"})
    with pytest.raises(UsageError, match="contains the translation of another tree"):
        mirror(other, out)
    assert "a.hip" in names(out)
    mirror(other, out, policy=Policy.FORCE)
    assert names(out) == ["x.hip"]


def test_single_files_beside_a_tree(tree: Path, out: Path, tmp_path: Path) -> None:
    build(tmp_path, {"one.cu": "cudaOne"})
    fake.carry_out(Mode.OUTPUT, tmp_path / "one.cu", folder=str(out))
    assert names(out) == ["a.hip", "image", "l", "one.hip", "sub/b.h"]
    assert verdicts(mirror(tree, out)) == {} and "one.hip" in names(out)


def test_several_trees_each_keep_to_themselves(tree: Path, tmp_path: Path) -> None:
    other = build(tmp_path / "other", {"x.cu": "cudaX", "y": "y"})
    fake.carry_out(Mode.OUTPUT, tree, other, folder=str(tmp_path / "both"))
    (other / "y").unlink()
    fake.carry_out(Mode.OUTPUT, tree, other, folder=str(tmp_path / "both"))
    assert names(tmp_path / "both") == ["other/x.hip", "tree/a.hip", "tree/image", "tree/l", "tree/sub/b.h"]


def test_a_single_file_alone_is_not_remembered(tree: Path, tmp_path: Path) -> None:
    fake.carry_out(Mode.OUTPUT, tree / "a.cu", folder=str(tmp_path / "single"))
    assert [path.name for path in (tmp_path / "single").iterdir()] == ["a.hip"]


def test_an_output_tree_as_input_leaves_the_state_behind(out: Path, tmp_path: Path) -> None:
    mirror(out, tmp_path / "second")
    assert names(tmp_path / "second") == names(out)
    assert list((tmp_path / "second").rglob("manifest.json")) == [tmp_path / "second/.hipport/manifest.json"]


# --- edits by hand


def test_convert_leaves_edits_alone(tree: Path, out: Path) -> None:
    edit(out / "a.hip", "line 2", "edited")
    report = mirror(tree, out)
    assert verdicts(report) == {"a.hip": Verdict.EDITED} and report.exit_status == 0
    edit(tree / "a.cu", "line 7", "changed")
    report = mirror(tree, out)
    assert verdicts(report) == {"a.hip": Verdict.BLOCKED} and codes(report) == ["HP909"] and report.exit_status == 1
    assert "edited" in (out / "a.hip").read_text() and "changed" not in (out / "a.hip").read_text()
    mirror(tree, out, policy=Policy.FORCE)
    assert (out / "a.hip").read_bytes() == (tree / "a.cu").read_bytes().replace(b"cuda", b"hip")


def test_convert_leaves_what_it_has_not_written(tree: Path, tmp_path: Path) -> None:
    build(tmp_path / "out", {"a.hip": "mine", "image": b"\0old"})
    report = mirror(tree, tmp_path / "out")
    assert codes(report) == ["HP909"] and (tmp_path / "out/a.hip").read_text() == "mine"
    assert [file.path for file in report.verdicts or ()] == []
    assert codes(mirror(tree, tmp_path / "out")) == ["HP909"]


def test_update_merges(tree: Path, out: Path) -> None:
    edit(out / "a.hip", "line 2", "edited")
    (out / "a.hip").chmod(0o755)
    edit(tree / "a.cu", "line 7", "changed cudaY")
    assert verdicts(update(tree, out)) == {"a.hip": Verdict.MERGE}
    text = (out / "a.hip").read_text()
    assert text == LINES.replace("line 2", "edited").replace("line 7", "changed hipY") + "hipX"
    assert (out / "a.hip").stat().st_mode & 0o777 == 0o755
    assert verdicts(update(tree, out)) == {"a.hip": Verdict.EDITED}
    edit(tree / "a.cu", "line 5", "cudaZ")
    update(tree, out)
    assert (out / "a.hip").read_text() == text.replace("line 5", "hipZ")


def test_a_conflict_stays_until_it_is_resolved(tree: Path, out: Path) -> None:
    edit(out / "a.hip", "line 2", "edited")
    edit(tree / "a.cu", "line 2", "changed")
    report = update(tree, out)
    assert verdicts(report) == {"a.hip": Verdict.CONFLICT} and codes(report) == ["HP910"]
    marked = (out / "a.hip").read_text()
    assert "<<<<<<< edited here\nedited\n" in marked and "=======\nchanged\n" in marked
    assert codes(update(tree, out)) == ["HP910"] and (out / "a.hip").read_text() == marked
    edit(tree / "a.cu", "line 7", "later")
    assert codes(update(tree, out)) == ["HP910"] and (out / "a.hip").read_text() == marked
    (out / "a.hip").write_text(LINES.replace("line 2", "both") + "hipX")
    report = update(tree, out)
    assert verdicts(report) == {"a.hip": Verdict.MERGE} and codes(report) == []
    assert (out / "a.hip").read_text() == LINES.replace("line 2", "both").replace("line 7", "later") + "hipX"


def test_a_conflict_resolved_to_what_is_new(tree: Path, out: Path) -> None:
    edit(out / "a.hip", "line 2", "edited")
    edit(tree / "a.cu", "line 2", "changed")
    update(tree, out)
    (out / "a.hip").write_text(LINES.replace("line 2", "changed") + "hipX")
    assert verdicts(update(tree, out)) == {}
    assert '"conflict"' not in (out / ".hipport/manifest.json").read_text()


@pytest.mark.parametrize("lose_base", [False, True])
def test_what_cannot_be_merged_is_reported_until_it_is_accepted(tree: Path, out: Path, lose_base: bool) -> None:
    name, source = ("a.hip", "a.cu") if lose_base else ("image", "image")
    (out / name).write_bytes(b"\0mine")
    (tree / source).write_bytes(b"\0new" if source == "image" else b"new")
    if lose_base:
        shutil.rmtree(out / ".hipport/bases")
    report = update(tree, out)
    assert verdicts(report) == {name: Verdict.CONFLICT} and codes(report) == ["HP910"]
    assert (out / name).read_bytes() == b"\0mine"
    assert codes(update(tree, out)) == ["HP910"]
    assert codes(update(tree, out, accepted=frozenset({name}))) == [] and (out / name).read_bytes() == b"\0mine"
    assert verdicts(update(tree, out)) == {name: Verdict.EDITED}


def test_removed_here(tree: Path, out: Path) -> None:
    (out / "a.hip").unlink()
    assert verdicts(update(tree, out)) == {"a.hip": Verdict.ABSENT} and "a.hip" not in names(out)
    edit(tree / "a.cu", "line 2", "changed")
    report = update(tree, out)
    assert verdicts(report) == {"a.hip": Verdict.CONFLICT} and "a.hip" not in names(out)
    assert codes(update(tree, out)) == ["HP910"] and "a.hip" not in names(out)
    assert codes(update(tree, out, accepted=frozenset({"a.hip"}))) == []
    assert verdicts(update(tree, out)) == {"a.hip": Verdict.ABSENT}
    mirror(tree, out)
    assert "a.hip" in names(out)


def test_edited_here_and_gone_there(tree: Path, out: Path) -> None:
    edit(out / "sub/b.h", "line 2", "edited")
    (tree / "sub/b.h").unlink()
    assert codes(mirror(tree, out)) == ["HP909"]
    assert codes(update(tree, out)) == ["HP910"] and "edited" in (out / "sub/b.h").read_text()
    assert codes(update(tree, out)) == ["HP910"] and "edited" in (out / "sub/b.h").read_text()
    with pytest.raises(UsageError, match="no such file"):
        update(tree, out, accepted=frozenset({"b.h"}))
    assert codes(update(tree, out, accepted=frozenset({"sub/b.h"}))) == []
    assert verdicts(update(tree, out)) == {} and "edited" in (out / "sub/b.h").read_text()


def test_removing_a_file_whose_source_is_gone_settles_its_conflict(tree: Path, out: Path) -> None:
    edit(out / "sub/b.h", "line 2", "edited")
    (tree / "sub/b.h").unlink()
    assert codes(update(tree, out)) == ["HP910"]
    (out / "sub/b.h").unlink()
    assert verdicts(update(tree, out)) == {} == verdicts(update(tree, out))


def test_edits_that_cannot_follow_a_new_name_stay_and_are_reported(tree: Path, out: Path) -> None:
    edit(out / "a.hip", "line 2", "edited")
    (tree / "a.cu").rename(tree / "renamed.cu")
    shutil.rmtree(out / ".hipport/bases")
    report = update(tree, out)
    assert codes(report) == ["HP910"] == codes(update(tree, out))
    assert "edited" in (out / "a.hip").read_text() and "edited" not in (out / "renamed.hip").read_text()


def test_edits_follow_a_source_that_gets_another_name(tree: Path, out: Path) -> None:
    edit(out / "a.hip", "line 2", "edited")
    (tree / "a.cu").rename(tree / "sub/renamed.cu")
    (tree / "l").unlink()
    report = update(tree, out)
    assert verdicts(report) == {"renamed.hip": Verdict.MERGE, "l": Verdict.REMOVE} and codes(report) == []
    assert names(out) == ["image", "sub/b.h", "sub/renamed.hip"] and "edited" in (out / "sub/renamed.hip").read_text()
    assert verdicts(update(tree, out)) == {"renamed.hip": Verdict.EDITED}


def test_an_edited_link(tree: Path, out: Path) -> None:
    (out / "l").unlink()
    (out / "l").symlink_to("image")
    (tree / "l").unlink()
    (tree / "l").symlink_to("sub/b.h")
    assert codes(update(tree, out)) == ["HP910"] and (out / "l").readlink() == Path("image")


def test_update_takes_the_options_of_the_tree(tree: Path, tmp_path: Path) -> None:
    mirror(tree, tmp_path / "out", keep_names=True)
    update(tree, tmp_path / "out")
    assert "a.cu" in names(tmp_path / "out")


def test_a_dry_run_writes_nothing(tree: Path, out: Path) -> None:
    edit(out / "a.hip", "line 2", "edited")
    edit(tree / "a.cu", "line 2", "changed")
    (tree / "image").unlink()
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    report = update(tree, out, dry=True)
    assert verdicts(report) == {"a.hip": Verdict.CONFLICT, "image": Verdict.REMOVE} and report.stale
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_update_wants_a_tree_that_is_followed(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(HipportError, match="not an output tree of hipport"):
        update(tree, tmp_path / "nothing")
    with pytest.raises(UsageError, match="is not a folder"):
        update(tree / "a.cu", tmp_path / "nothing")


# --- interruptions


class Interrupted(BaseException):
    """Stands for Ctrl-C."""


def _interrupting(monkeypatch: pytest.MonkeyPatch, count: int, error: BaseException) -> Callable[[], None]:
    """Make the write number `count` and all later ones raise; return a function that undoes this."""
    write, done = Output.write, [0]

    def failing(self: Output, path: str, content: BinaryIO, mode: int) -> bool:
        done[0] += 1
        if done[0] > count:
            raise error
        return write(self, path, content, mode)

    monkeypatch.setattr(Output, "write", failing)
    return lambda: monkeypatch.setattr(Output, "write", write)


ERRORS: list[BaseException] = [Interrupted(), OSError(errno.ENOSPC, "No space left on device")]


@pytest.mark.parametrize("error", ERRORS, ids=["interrupted", "disk full"])
@pytest.mark.parametrize("count", range(0, 12, 1))
def test_the_next_run_mends(
    tree: Path, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, error: BaseException
) -> None:
    """An update is interrupted, the sources change again, and the next update gives the result of two full ones."""
    edit(out / "a.hip", "line 2", "edited")
    shutil.copytree(out, tmp_path / "whole", symlinks=True)
    edit(tree / "a.cu", "line 7", "changed")
    edit(tree / "sub/b.h", "line 1", "changed")
    build(tree, {"new.cu": "cudaNew"})
    update(tree, tmp_path / "whole")
    mend = _interrupting(monkeypatch, count, error)
    with contextlib.suppress(Interrupted, HipportError):
        update(tree, out)
    mend()
    assert not list(out.rglob("*.tmp"))
    edit(tree / "sub/b.h", "changed", "later")
    edit(tree / "new.cu", "New", "Newer")
    for folder in (out, tmp_path / "whole"):
        assert codes(update(tree, folder)) == []
    assert _files(out) == _files(tmp_path / "whole")
    assert StateFolder(str(out)).interrupted() is False
    manifests = [(folder / ".hipport/manifest.json").read_text() for folder in (out, tmp_path / "whole")]
    assert manifests[0] == manifests[1]


def test_a_conflict_is_not_marked_twice_after_an_interruption(
    tree: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(out / "a.hip", "line 2", "edited")
    edit(tree / "a.cu", "line 2", "changed")
    mend = _interrupting(monkeypatch, 4, Interrupted())
    with pytest.raises(Interrupted):
        update(tree, out)
    mend()
    assert codes(update(tree, out)) == ["HP910"]
    assert (out / "a.hip").read_text().count("<<<<<<<") == 1
