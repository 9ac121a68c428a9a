from __future__ import annotations

from pathlib import Path

import pytest

from hipport.errors import UsageError
from hipport.toolchain.compilers import _processors, describe, find, named
from hipport.toolchain.places import Surroundings
from tests.toolchain.fakes import compiler, program


def surroundings(root: Path) -> Surroundings:
    return Surroundings({"PATH": ""}, root)


def test_hipcc_and_clang_say_who_they_are(tmp_path: Path) -> None:
    hipcc = describe(compiler(tmp_path / "hipcc", "15.0.6", ["gfx90a"], hip="5.2.21153-0"))
    clang = describe(compiler(tmp_path / "clang++-19", "19.1.7", ["gfx90a", "gfx11-generic"]))
    assert hipcc is not None and clang is not None
    assert (hipcc.kind, hipcc.version, hipcc.clang, hipcc.processors) == ("hipcc", "5.2.21153-0", "15.0.6", {"gfx90a"})
    assert (clang.kind, clang.version, clang.processors) == ("clang++", "19.1.7", {"gfx90a", "gfx11-generic"})
    assert str(hipcc) == f"hipcc 5.2.21153-0, clang 15.0.6 ({tmp_path}/hipcc)"


HIPCC_5_7 = """\
#!/bin/sh
case "$*" in
*--print-supported-cpus*) echo "clang++-17: error: unsupported architecture 'amdgcn'" >&2; exit 1 ;;
*-###*) printf 'InstalledDir: /usr/bin\\n (in-process)\\n "{clang}" "-cc1" "-triple" "x86_64-pc-linux-gnu"\\n' >&2 ;;
*) printf 'HIP version: 5.7.31921-0\\nDebian clang version 17.0.6 (22+b2)\\nInstalledDir: /usr/bin\\n' ;;
esac
"""


def test_the_clang_behind_hipcc_is_asked_for_its_processors(tmp_path: Path) -> None:
    clang = compiler(tmp_path / "usr/lib/llvm-17/bin/clang", "17.0.6", ["gfx90a", "gfx942"])
    hipcc = describe(program(tmp_path / "usr/bin/hipcc", HIPCC_5_7.format(clang=clang)))
    assert hipcc is not None
    assert (hipcc.version, hipcc.clang, hipcc.processors) == ("5.7.31921-0", "17.0.6", {"gfx90a", "gfx942"})
    assert hipcc.clang_folder == clang.parent


def test_what_does_not_answer_is_no_compiler(tmp_path: Path) -> None:
    assert describe(program(tmp_path / "silent")) is None
    assert describe(program(tmp_path / "gcc", "#!/bin/sh\necho gcc version 12\n")) is None
    assert describe(program(tmp_path / "broken", "#!/no/such/interpreter\n")) is None
    assert describe(compiler(tmp_path / "clang++", "15.0.6", [])) is None, "no AMDGPU back end"
    assert describe(compiler(tmp_path / "hipcc", "15.0.6", ["gfx90a"])) is None, "hipcc names its HIP version"


def test_kinds_are_searched_best_first_and_newest_release_first(tmp_path: Path) -> None:
    compiler(tmp_path / "usr/bin/clang++-15", "15.0.6", ["gfx90a"])
    compiler(tmp_path / "usr/bin/clang++-19", "19.1.7", ["gfx90a"])
    compiler(tmp_path / "opt/rocm/llvm/bin/amdclang++", "17.0.0", ["gfx90a"])
    compiler(tmp_path / "usr/bin/hipcc", "15.0.6", ["gfx90a"], hip="5.2.0")
    found = [(c.kind, c.clang) for c in find(surroundings(tmp_path))]
    assert found == [("hipcc", "15.0.6"), ("amdclang++", "17.0.0"), ("clang++", "19.1.7"), ("clang++", "15.0.6")]


def test_a_compiler_is_named_by_kind_path_or_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = compiler(tmp_path / "usr/bin/clang++-19", "19.1.7", ["gfx90a"])
    where = surroundings(tmp_path)
    monkeypatch.chdir(tmp_path)
    for choice in ("clang++", str(path), "./usr/bin/clang++-19", "clang++-19"):
        assert [c.clang for c in named(choice, where)] == ["19.1.7"], choice


def test_a_wrong_name_or_program_is_wrong_use(tmp_path: Path) -> None:
    program(tmp_path / "usr/bin/gcc")
    with pytest.raises(UsageError, match="unknown compiler 'clang--'"):
        list(named("clang--", surroundings(tmp_path)))
    with pytest.raises(UsageError, match="gcc is neither hipcc nor a clang"):
        list(named("gcc", surroundings(tmp_path)))


HIPCC_THAT_COUNTS = """\
#!/bin/sh
echo asked >> {log}
case "$*" in
*-###*) printf ' "{clang}" "-cc1" "-triple"\\n' >&2 ;;
*) printf 'HIP version: %s\\nclang version 17.0.6\\n' "$HIP_RELEASE" ;;
esac
"""


@pytest.mark.parametrize("change", ["nothing", "driver", "clang", "version", "variable", "damage"])
def test_a_compiler_is_asked_again_when_something_changed(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HIP_RELEASE", "6.1.0")
    log = tmp_path / "log"
    clang = compiler(tmp_path / "llvm/bin/clang", "17.0.6", ["gfx90a"])
    hipcc = program(tmp_path / "bin/hipcc", HIPCC_THAT_COUNTS.format(log=log, clang=clang))
    ask = describe.__wrapped__  # without what this process remembers
    first = ask(hipcc)
    assert first is not None and first == ask(hipcc)
    assert log.read_text().count("asked") == 2, "for the version and for the clang behind it"
    if change == "driver":
        program(hipcc, hipcc.read_text().replace("17.0.6", "17.0.99"))
    elif change == "clang":
        compiler(clang, "17.0.6", ["gfx90a", "gfx1201"])
        _processors.cache_clear()
    elif change == "version":
        program(tmp_path / "bin/.hipVersion", "6.1.1")
    elif change == "variable":
        monkeypatch.setenv("HIP_RELEASE", "6.2.0")
    elif change == "damage":
        [kept] = (tmp_path / "cache/hipport").glob("compiler-*")
        kept.write_bytes(kept.read_bytes()[:-1])
    second = ask(hipcc)
    assert second is not None
    assert log.read_text().count("asked") == (2 if change == "nothing" else 4)
    clang_release = "17.0.99" if change == "driver" else "17.0.6"
    processors = {"gfx90a", "gfx1201"} if change == "clang" else {"gfx90a"}
    assert (second.version, second.clang) == ("6.2.0" if change == "variable" else "6.1.0", clang_release)
    assert second.processors == processors


def test_without_a_cache_compilers_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(program(tmp_path / "file")))
    assert describe(compiler(tmp_path / "clang++", "19.1.7", ["gfx90a"])) is not None
