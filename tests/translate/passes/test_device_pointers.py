"""Arithmetic on `CUdeviceptr`: translated expressions compute with pointers what CUDA computes with integers."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

_OPERANDS = ("d", "copy", "b.p", "bp->p", "arr[1]", "list[0]", "*pd", "make(64)", "(d)", "(CUdeviceptr)n", "seen")
_VALUES = (
    *("{} + off", "off + {}", "{} - off", "{} - e", "{} + 4 + off", "({} + 255) & ~255ull", "{} % 256", "{} & 15"),
    *("{} == 0", "{} != 0 && !({})", "{} < e", "{} <= e + off", "{} > 0", "{} == n", "{} >> 3", "p ? {} : e"),
    *("static_cast<size_t>({})", "reinterpret_cast<CUdeviceptr>(host) + {} - {}", "(unsigned long long)({} + off)"),
    *("static_cast<CUdeviceptr>(n) + ({} - e)", "use({} + 8)", "(CUdeviceptr)((float*)({}) + 2)"),
)
_PLACES = ("v", "b.p", "bp->p", "arr[1]", "list[0]", "*pd")
_CHANGES = (
    *("{0} += off", "{0} -= off + 4", "{0} += p ? 4 : 8", "{0}++", "--{0}", "{0} = {0} + off", "{0} = 0", "{0} = n"),
    *(
        "{0} &= ~255ull",
        "{0} = ({0} + 255) & ~255ull",
        "for ({0} = d; {0} < e; {0} += 4096) seen = {0}",
        "{0} = nullptr",
    ),
    *("n = {0}", "uint64_t u = {0}; n = u + 1", "CUdeviceptr w{{{0} + 1}}; {0} = w", "const size_t s = {0} - d; n = s"),
    "auto f = [=](CUdeviceptr k) {{ return k + 1; }}; {0} = f({0})",
)
_REST = _CHANGES.index("{0} = nullptr")  # no integer in CUDA: only the translation would compile

_HEAD = """#include <cuda.h>
#include <cstdint>
#include <cstdio>
#include <vector>
struct Buffer { CUdeviceptr p; size_t n; };
CUdeviceptr make(size_t n) { return (CUdeviceptr)(uintptr_t)(4096 + n); }
unsigned long long use(CUdeviceptr p) { return (unsigned long long)p; }
struct State {
  CUdeviceptr seen = (CUdeviceptr)777;
  void values(CUdeviceptr d, CUdeviceptr e, size_t off, size_t n, bool p, float* host, FILE* out) {
    CUdeviceptr copy = d + 3;
    Buffer b{d + 1024, 5}, *bp = &b;
    CUdeviceptr arr[2] = {0, e};
    std::vector<CUdeviceptr> list{d};
    CUdeviceptr* pd = &copy;
    CUdeviceptr v = d;
"""


def program() -> str:
    """Return a program that prints the value of each form, one a line."""
    lines = [
        f'    fprintf(out, "%llu\\n", (unsigned long long)({form.format(*[operand] * 3)}));'
        for form, operand in itertools.product(_VALUES, _OPERANDS)
    ]
    for number, form in enumerate(_CHANGES):
        for place in _PLACES:
            if number != _REST:
                changed = f"{{ {form.format(place)}; }}"
                lines.append(f'    {changed} fprintf(out, "%llu %llu\\n", use({place}), (unsigned long long)n);')
    main = "int main() { State().values(make(8), make(99999), 24, 4104, true, (float*)640, stdout); }\n"
    return _HEAD + "\n".join(lines) + "\n  }\n};\n" + main


def printed(folder: Path, source: bytes, kind: str) -> str:
    """Compile a program against headers that define the type only, and return what it prints."""
    for header, name in (("cuda.h", "CUdeviceptr"), ("hip/hip_runtime.h", "hipDeviceptr_t")):
        (folder / header).parent.mkdir(exist_ok=True)
        (folder / header).write_text(f"#pragma once\ntypedef {kind} {name};\n", "utf-8")
    path = folder / "forms.cpp"
    path.write_bytes(source)
    command = ["g++", "-std=c++17", "-fpermissive", "-w", f"-I{folder}", str(path), "-o", str(folder / "forms")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]
    return subprocess.run([str(folder / "forms")], capture_output=True, text=True, check=True).stdout


def test_forms_compute_what_integers_do(tables: Tables, tmp_path: Path) -> None:
    made = convert_source(program().encode(), "forms.cu", Context(tables))
    assert not made.diagnostics
    expected = printed(tmp_path, program().encode(), "unsigned long long")
    assert len(expected.splitlines()) > 300
    assert printed(tmp_path, made.data, "void*") == expected


@pytest.mark.parametrize(
    "statement",
    [
        "use(d);",
        "CUdeviceptr* q = &d; q += 2;",
        "arr += 1;",
        "unsigned long long n = size + 1; n += 4; n++;",
        "float* f = (float*)d; f += 4;",
        "if (d == 0 || !d || d == e) return;",
        "other.p += 4;",
    ],
)
def test_what_is_valid_for_pointers_stays(statement: str, tables: Tables) -> None:
    head = "#include <cuda.h>\nvoid use(CUdeviceptr p);\nstruct Other {{ long p; }};\n"
    text = (
        head + f"void f(CUdeviceptr d, CUdeviceptr e, CUdeviceptr* arr, size_t size, Other other) {{ {statement} }}\n"
    )
    data = convert_source(text.encode(), "a.cu", Context(tables)).data.decode()
    assert data.splitlines()[-1].endswith(statement.replace("CUdeviceptr", "hipDeviceptr_t") + " }")


def test_a_value_before_the_change_is_reported(tables: Tables) -> None:
    text = "#include <cuda.h>\nvoid use(CUdeviceptr p);\nvoid f(CUdeviceptr d) { use(d++); }\n"
    made = convert_source(text.encode(), "a.cu", Context(tables))
    assert [found.code for found in made.diagnostics] == ["HP125"]


@pytest.mark.parametrize("call", ["base()", "this->base()", "other.base()", "many[1]->base()", "Range::base()"])
def test_a_sum_with_what_a_member_function_returns(call: str, tables: Tables) -> None:
    source = (
        "#include <cuda.h>\nstruct Range {\n  [[nodiscard]] CUdeviceptr base() const { return 0; }\n"
        f"  void f(Range other, Range** many, size_t n) {{ auto p = {call} + n; }}\n}};\n"
    )
    text = convert_source(source.encode(), "a.cu", Context(tables)).data.decode()
    assert f"(char*){call} + n" in text
