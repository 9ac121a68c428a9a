"""Units, headers and failures: `find_meanings`, and the command with `--semantic`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.mappings.loader import Tables
from hipport.project.request import Report, Semantic
from hipport.semantic import libclang, unit
from hipport.semantic.flags import read_flags
from hipport.semantic.stubs import write_stubs
from tests.semantic.trees import CUDA, ROOT, contents, convert, findings, write

OWN = {
    "own.h": "#pragma once\nnamespace own { struct P; int cudaFree(P*); int cudaFree(int*); }\n",
    "a.cu": '#include "own.h"\nvoid f(own::P* p) { cudaFree(p); }\n',
}
PLAIN = "#include <cuda_runtime.h>\nvoid g(void* p) { cudaFree(p); }\n"


def database(folder: Path, *commands: tuple[str, str]) -> str:
    entries = [{"directory": str(folder), "file": file, "command": f"nvcc {flags} {file}"} for file, flags in commands]
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    return str(folder)


def run(tmp_path: Path, semantic: Semantic | None) -> tuple[dict[str, str], Report]:
    report = convert(tmp_path / "in", tmp_path / "out", semantic)
    return contents(tmp_path / "out"), report


@pytest.fixture(autouse=True)
def _headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_HOME", str(CUDA))


def test_options_of_the_database_count(tmp_path: Path) -> None:
    text = "#include <cuda_runtime.h>\n#ifdef OWN\nstruct S { static int cudaFree(void*); void f(); };\n" \
           "using Alias = S;\nvoid Alias::f() { cudaFree(0); }\n#endif\n"  # fmt: skip
    tree = write(tmp_path / "in", {"a.cu": text})
    assert "hipFree(0)" in run(tmp_path, Semantic(database(tmp_path, ("in/a.cu", ""))))[0]["a.hip"]
    assert " cudaFree(0)" in run(tmp_path, Semantic(database(tmp_path, (str(tree / "a.cu"), "-DOWN"))))[0]["a.hip"]
    assert " cudaFree(0)" in run(tmp_path, Semantic(flags=("-DOWN",)))[0]["a.hip"]


def test_a_prototype_is_the_projects_own_where_the_linker_knows_it_from_cudas(tmp_path: Path) -> None:
    files = {
        "own.h": "struct Pool {};\nint cudaFree(Pool&);\n",
        "a.cu": '#include <cuda_runtime.h>\n#include "own.h"\nvoid f(Pool& p, void* q) { cudaFree(p); cudaFree(q); }\n',
        "b.cu": '#include "own.h"\nint cudaFree(Pool&) { return 0; }\n',
        "c.c": "int cudaFree(void*);\nint g(void* p) { return cudaFree(p); }\n",
        "d.cpp": 'extern "C" int cudaFree(void*);\nint h(void* p) { return cudaFree(p); }\n',
    }
    write(tmp_path / "in", files)
    translated, _ = run(tmp_path, Semantic())
    assert translated["own.h"] == files["own.h"] and translated["b.hip"].endswith(files["b.cu"])
    assert "{ cudaFree(p); hipFree(q); }" in translated["a.hip"]
    assert all(translated[name] == files[name].replace("cuda", "hip") for name in ("c.c", "d.cpp"))


def test_headers_anywhere_in_the_tree_are_found(tmp_path: Path) -> None:
    write(tmp_path / "in", {"include/lib/own.h": OWN["own.h"], "src/a.cu": OWN["a.cu"].replace("own.h", "lib/own.h")})
    translated, report = run(tmp_path, Semantic())
    assert " cudaFree(p)" in translated["src/a.hip"]
    assert findings(report) == []


def test_what_no_unit_includes_is_said_where_cuda_is_in_it(tmp_path: Path) -> None:
    write(tmp_path / "in", {"a.cu": PLAIN, "b.cu": PLAIN, "alone.cuh": PLAIN, "plain.h": "int x;\n"})
    found = findings(run(tmp_path, Semantic(database(tmp_path, ("in/a.cu", ""))))[1])
    assert found == [
        f"{name}:1:1: HP506: names resolved by syntax only: no unit of the compilation database includes it"
        for name in ("alone.cuh", "b.cu")
    ]


def test_two_compiles_of_one_file_may_disagree(tmp_path: Path) -> None:
    text = "#include <cuda_runtime.h>\n#include OWN_OR_NOT\nvoid f(int* p) { MAYBE cudaFree(p); }\n"
    files = {"a.cu": text, "own.h": OWN["own.h"]}
    write(tmp_path / "in", files)
    flags = ("-DOWN_OR_NOT=<own.h> -Iin '-DMAYBE=using own::cudaFree;'", "-DOWN_OR_NOT=<stddef.h> -DMAYBE=")
    translated, report = run(tmp_path, Semantic(database(tmp_path, *(("in/a.cu", each) for each in flags))))
    (found,) = findings(report)
    assert found.startswith("a.cu:3:24: HP507: this name refers to CUDA in one compile of a.cu")
    assert "hipFree(p)" in translated["a.hip"]


def test_byte_order_mark_and_utf16(tmp_path: Path) -> None:
    write(tmp_path / "in", {"own.h": OWN["own.h"]})
    for name, encoding in (("bom.cu", "utf-8-sig"), ("wide.cu", "utf-16")):
        (tmp_path / "in" / name).write_bytes(OWN["a.cu"].encode(encoding))
    convert(tmp_path / "in", tmp_path / "out", Semantic())
    assert b" cudaFree(p)" in (tmp_path / "out/bom.hip").read_bytes()
    assert "hipFree(p)" in (tmp_path / "out/wide.hip").read_bytes().decode("utf-16")  # by syntax: clang reads no UTF-16


def test_a_unit_that_never_ends_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit, "_SECONDS", 3)
    write(tmp_path / "in", {**OWN, "hangs.cu": '#include "pipe.h"\n' + PLAIN})
    os.mkfifo(tmp_path / "in/pipe.h")
    translated, report = run(tmp_path, Semantic())
    assert "hipFree(p)" in translated["hangs.hip"]
    assert " cudaFree(p)" in translated["a.hip"]
    assert [line for line in findings(report) if "HP506" in line] == [
        "hangs.cu:1:1: HP506: names resolved by syntax only: libclang crashed or timed out"
    ]


def test_nested_brackets_and_no_text_at_all(tmp_path: Path) -> None:
    deep = "int x = " + "(" * 20_000 + "cudaSuccess" + ")" * 20_000 + ";\n"
    write(tmp_path / "in", {"deep.cu": deep, "junk.cu": "\x01 }}} cudaFree <<< ### \\", **OWN})
    translated, _ = run(tmp_path, Semantic())
    assert "hipSuccess" in translated["deep.hip"] and "hipFree" in translated["junk.hip"]
    assert " cudaFree(p)" in translated["a.hip"]


def test_incremental_runs_follow_the_answers(tmp_path: Path) -> None:
    write(tmp_path / "in", OWN)
    first, _ = run(tmp_path, Semantic())
    header = OWN["own.h"].replace("int cudaFree(P*); int cudaFree(int*);", "")
    (tmp_path / "in/own.h").write_text("#include <cuda_runtime.h>\n" + header)
    second, _ = run(tmp_path, Semantic())
    assert " cudaFree(p)" in first["a.hip"]
    assert "hipFree(p)" in second["a.hip"]  # the file itself is as it was
    assert run(tmp_path, None)[0] != first


def hipport(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hipport", *arguments]
    environment = {**os.environ, "CUDA_HOME": str(CUDA), "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_the_program_with_settings_and_update(tmp_path: Path) -> None:
    write(tmp_path / "in", {**OWN, "hipport.toml": 'compile-commands = "build"\n'})
    (tmp_path / "in/build").mkdir()
    database(tmp_path / "in/build", ("../a.cu", ""))
    done = hipport("convert", "in", "-o", "out", "--rocm", "7.2", cwd=tmp_path)
    assert (done.returncode, "error" in done.stderr) == (0, False), done.stderr
    assert " cudaFree(p)" in (tmp_path / "out/a.hip").read_text()
    assert hipport("update", "in", "out", "--check", cwd=tmp_path).returncode == 0
    (tmp_path / "in/hipport.toml").unlink()
    asked = hipport("update", "in", "out", "--check", cwd=tmp_path)
    assert asked.returncode == 2 and "was made with --semantic" in asked.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["in", "-o", "out", "-p", "nowhere"], "nowhere: cannot read the compilation database"),
        (["in", "-o", "out", "-DX"], "-I and -D need --semantic"),
        (["-", "--semantic"], "standard input cannot be translated with --semantic"),
    ],
)
def test_wrong_use_says_so_and_writes_nothing(arguments: list[str], message: str, tmp_path: Path) -> None:
    write(tmp_path / "in", OWN)
    done = hipport("convert", *arguments, cwd=tmp_path)
    assert done.returncode != 0 and message in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    libclang._library.cache_clear()
    monkeypatch.setitem(sys.modules, "clang.cindex", None)
    write(tmp_path / "in", OWN)
    with pytest.raises(HipportError, match="needs the Python package libclang") as error:
        run(tmp_path, Semantic())
    assert error.value.hint == "pip install 'hipport[semantic]'"
    assert not (tmp_path / "out").exists()


def test_the_core_does_without_libclang(tmp_path: Path) -> None:
    write(tmp_path / "in", OWN)
    code = """
import sys
from hipport.cli import main
sys.argv = ["hipport", "convert", "in", "-o", "out"]
try:
    main()
except SystemExit:
    print(sorted(name for name in sys.modules if "clang" in name))
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", ["all.cu", "all.c"])
def test_headers_made_of_the_tables_go_together(name: str, tables: Tables, tmp_path: Path) -> None:
    headers = sorted(name for name in tables.headers.all() if name.endswith(".h") and "/" not in name)
    write_stubs(tmp_path / "stubs", tables, (), headers)
    lines = [f"#include <{header}>\n" for header in headers]
    write(tmp_path, {name: "#include <cuda_runtime.h>\n" + "".join(lines)})
    setup = unit.Setup(tables, frozenset(), (), (str(tmp_path / "stubs"),))
    flags = read_flags((), name, "/")
    parsed = libclang.parse(str(tmp_path / name), unit.arguments(setup, flags))
    assert [str(each) for each in parsed.diagnostics if each.severity >= 3] == []
    assert len(headers) > 50


def test_unknown_types_go_with_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Common code with the headers generated from the tables compiles without an error."""
    monkeypatch.setattr("hipport.semantic.run.cuda_include_dirs", lambda where: ())
    text = """#include <cublas_v2.h>
#include <iostream>
#include <string>
bool use(cublasHandle_t h, cudaStream_t stream, std::string text) {
  if (cublasCreate(&h) != CUBLAS_STATUS_SUCCESS || !h) return false;
  cublasStatus_t status = cublasSetStream(h, stream), other = status;
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: break;
    case CUBLAS_STATUS_NOT_INITIALIZED: return false;
    default: std::cout << status << cudaGetErrorString(cudaGetLastError()) << 1 << std::endl;
  }
  void* p = h;
  h = nullptr;
  text += "a";
  return cudaFree(p) == cudaSuccess && status == other && text == "a";
}
__global__ void k(float* x) {
  float sum = x[threadIdx.x];
  sum += __shfl_xor_sync(0xffffffffu, sum, 1) * 2 + atomicAdd(x, 1.0f);
  x[0] = __expf(sum) - 1 + __ldg(x);
}
"""
    write(tmp_path / "in", {"a.cu": text})
    assert [line for line in findings(run(tmp_path, Semantic())[1]) if "HP506" in line] == []
