"""Functions for devices that end without a value: every form of a function, every statement at its end.

Clang itself is the oracle: it warns of each of them before the translation, and of none afterwards.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from hipport.mappings.choice import NameChoice
from hipport.mappings.loader import load_choice
from hipport.translate.context import Context, Options
from hipport.translate.conversion import Conversion
from hipport.translate.convert import convert_source
from tests.llvm_releases import NEWER

HEAD = """#include <assert.h>
#define DEV __device__ __forceinline__
#define OWN_FUNCTION __host__ __device__
#define STORE(p, x) (*(p) = (x))
#define GIVE(x) return (x)
enum Color { kRed, kBlue };
"""
FORMS = {
    "word": "__device__ TYPE NAME(int* p, int a) { BODY }",
    "macro": "DEV TYPE NAME(int* p, int a) { BODY }",
    "own_macro": "OWN_FUNCTION TYPE NAME(int* p, int a) { BODY }",
    "static": "static __host__ __device__ TYPE NAME(int* p, int a) { BODY }",
    "trailing": "DEV auto NAME(int* p, int a) -> TYPE { BODY }",
    "member": "struct S_NAME { int m; DEV TYPE get(int* p, int a) const { BODY } };",
    "static_member": "struct S_NAME { OWN_FUNCTION static TYPE get(int* p, int a) { BODY } };",
    "operator": "struct S_NAME { int m; __device__ TYPE operator()(int* p, int a) const { BODY } };",
    "outside": "struct S_NAME { DEV TYPE get(int* p, int a); }; DEV TYPE S_NAME::get(int* p, int a) { BODY }",
    "template": "template <typename U> DEV TYPE NAME(int* p, U a) { BODY } template __device__ TYPE NAME(int*, int);",
    "lambda": "__global__ void NAME(int* p, int a) { auto f = [=](int a) -> TYPE { BODY }; f(a); }",
    "device_lambda": "inline void NAME() { auto f = [] __device__(int* p, int a) -> TYPE { BODY }; (void)f; }",
    "macro_lambda": "inline void NAME() { auto f = [] OWN_FUNCTION(int* p, int a) -> TYPE { BODY }; (void)f; }",
}
FALLS = {
    "if": "if (a) return VALUE; *p = a;",
    "else": "if (a) *p = 1; else return VALUE;",
    "chain": "if (a) return VALUE; else if (a > 2) return VALUE;",
    "switch": "switch (a) { case 0: return VALUE; case 1: return VALUE; }",
    "break": "switch (a) { case 0: break; default: return VALUE; }",
    "default": "switch (a) { case 0: return VALUE; default: *p = a; }",
    "for": "for (int i = 0; i < a; ++i) if (p[i]) return VALUE;",
    "while": "while (a < 3) { if (p[a++]) return VALUE; }",
    "do": "do { if (*p) return VALUE; } while (++a < 9);",
    "leaves": "for (;;) { if (a++ > 4) break; if (*p) return VALUE; }",
    "assert": "if (a) return VALUE; assert(false);",
    "macro": "if (a) return VALUE; STORE(p, a);",
    "goto": "if (a) goto end; return VALUE; end: *p = a;",
    "block": "{ if (a) { return VALUE; } }",
    "nothing": "*p = a;",
    "inner": "auto f = [](int b) { return b; }; *p = f(a);",
}
NEVER = {
    "if": "if (a) return VALUE; else return VALUE;",
    "switch": "switch (a) { case 0: return VALUE; default: return VALUE; }",
    "group": "switch (a) { case 0: case 1: default: return VALUE; }",
    "while": "while (true) { if (a++ > 4) return VALUE; }",
    "for": "for (;;) if (a++ > 4) return VALUE;",
    "do": "do { return VALUE; } while (a);",
    "trap": "if (a) return VALUE; __builtin_trap();",
    "unreachable": "if (a) return VALUE; __builtin_unreachable();",
    "goto": "again: if (a++ < 5) goto again; return VALUE;",
}
TYPES = {"int": "a", "unsigned long long": "7", "float*": "(float*)p", "float4": "make_float4(a, a, a, a)"}
CONTEXT = Context(load_choice(NameChoice(rocm="5.2")), Options())


def converted(text: str) -> Conversion:
    return convert_source(text.encode(), "ends.cu", CONTEXT)


def functions(bodies: dict[str, str]) -> dict[str, str]:
    """Return the functions of all forms with all bodies, by name."""
    found = {}
    for form, frame in FORMS.items():
        for end, body in bodies.items():
            for number, (kind, value) in enumerate(TYPES.items()):
                name = f"{form}_{end}_{number}"
                text = frame.replace("BODY", body).replace("TYPE", kind).replace("VALUE", value)
                found[name] = text.replace("NAME", name)
    return found


def warned(text: str, folder: Path) -> set[int]:
    """Return the lines of functions that, for Clang, end without a value."""
    source = folder / "ends.hip"
    source.write_text(text)
    command = [f"clang++-{NEWER}", "-x", "hip", "--rocm-path=/usr", "--hip-version=5.2", "-nogpulib", "-DNDEBUG"]
    command += [
        "--offload-arch=gfx90a",
        "--offload-device-only",
        "-std=c++17",
        "-fsyntax-only",
        "-D__HIP_PLATFORM_AMD__",
    ]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[:2000]
    return {int(line) for line in re.findall(r"ends\.hip:(\d+):\d+: warning: .*-Wreturn-type", done.stderr)}


@pytest.mark.slow
@pytest.mark.toolchain
def test_no_function_ends_without_a_value(tmp_path: Path) -> None:
    found = functions(FALLS)
    head = f"#include <hip/hip_runtime.h>\n{HEAD}"
    lines = head.count("\n")
    before = warned(head + "\n".join(found.values()), tmp_path)
    assert {name for line, name in enumerate(found, lines + 1) if line not in before} == set()
    code = converted(HEAD + "\n".join(found.values())).data.decode()
    assert warned(code, tmp_path) == set()


def test_functions_that_return_stay() -> None:
    text = "\n".join(functions(NEVER).values())
    assert text in converted(HEAD + text).data.decode()


REPORTED = {
    "a struct": "struct Own { int m; }; DEV Own f(int a) { if (a) return Own{a}; }",
    "a reference": "DEV int& f(int& a) { if (a) return a; }",
    "deduced": "DEV auto f(int a) { if (a) return a; }",
    "a lambda": "__global__ void k(int a) { auto f = [](int a) { if (a) return a; }; f(a); }",
    "a template's": "template <class T> DEV typename T::type f(T a) { if (a) return a; }",
}


@pytest.mark.parametrize("text", REPORTED.values(), ids=REPORTED.keys())
def test_others_are_reported(text: str) -> None:
    conversion = converted(HEAD + text)
    assert text in conversion.data.decode()
    assert [each.severity.name for each in conversion.diagnostics if each.code == "HP129"] == ["WARNING"]


def test_template_parameters() -> None:
    code = converted(f"{HEAD}template <class T> DEV T f(T a) {{ if (a) return a; }}").data.decode()
    assert "return a; return T(); }" in code


UNREPORTED = {
    "enumerators": "struct Own {}; DEV Own f(Color c) { switch (c) { case kRed: return {}; case kBlue: return {}; } }",
    "enabled": "template <class T> DEV typename std::enable_if<T::own>::type f(T a) { a.go(); }",
    "void": "DEV void f(int a) { if (a) return; }",
    "auto": "DEV auto f(int a) { if (a) return; }",
    "a lambda": "__global__ void k(int a) { auto f = [](int a) { if (a) return; }; f(a); }",
    "the host": "int f(int a) { if (a) return 1; }",
    "a host's lambda": "inline void h(int a) { auto f = [](int a) -> int { if (a) return 1; }; f(a); }",
    "a constructor": "struct Own { DEV Own(int a) : m(a) { if (a) return; } int m; };",
}


@pytest.mark.parametrize("text", UNREPORTED.values(), ids=UNREPORTED.keys())
def test_others_stay(text: str) -> None:
    conversion = converted(HEAD + text)
    assert text in conversion.data.decode()
    assert [each for each in conversion.diagnostics if each.code == "HP129"] == []
