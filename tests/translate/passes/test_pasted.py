"""Names of CUDA that macros paste together from arguments: `CAT(cuda, HostAlloc)`."""

from __future__ import annotations

import re

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import Conversion, convert_source

_PREFIXES = ("cublas", "cufft", "curand", "cusparse", "cusolverDn", "cudnn", "cuda")
_ONE = "#define CAT(a, b) a##b\n"
_TWO = "#define JOIN(a, b) a ## b\n#define CAT(x, y) JOIN(x, y)\n"


def converted(source: str, tables: Tables) -> Conversion:
    return convert_source(source.encode(), "a.cu", Context(tables))


@pytest.mark.parametrize("macros", [_ONE, _TWO], ids=["one", "two"])
def test_all_names_are_translated_or_reported(macros: str, tables: Tables) -> None:
    parts = {}
    for name, entry in tables.names.items():
        prefix = next((each for each in _PREFIXES if re.fullmatch(rf"{each}[A-Z]\w*", name)), None)
        if prefix is not None and not entry.ordinary:
            parts[f"CAT({prefix}, {name.removeprefix(prefix)})"] = entry
    assert len(parts) > 2000
    above = macros.count("\n")
    result = converted(macros + "".join(f"auto v{i} = {part};\n" for i, part in enumerate(parts)), tables)
    made = [line for line in result.data.decode().splitlines() if line.startswith("auto v")]
    reported = {each.line for each in result.diagnostics if each.code == "HP112"}
    for number, ((part, entry), line) in enumerate(zip(parts.items(), made, strict=True)):
        value = re.sub(r"CAT\((\w+), (\w+)\)", r"\1\2", line.partition("= ")[2])
        if entry.hip is None:
            assert above + number + 1 in reported, part
        else:
            assert value == f"{entry.hip.name};", part


@pytest.mark.parametrize(
    ("macro", "line", "severity"),
    [
        ("#define CAT(a, b) #a #b\n", "auto text = CAT(cuda, HostAlloc);", None),
        ("#define CAT(a, b) check(a##b, 1)\n", "CAT(cuda, HostAlloc);", "warning"),
        ("", "CAT(cuda, HostAlloc);", "warning"),
        (_ONE, "f(CAT(cuda, OwnName));", None),
        (_ONE, "f(CAT(cuda, Malloc)(&p, 4));", None),
    ],
)
def test_near_misses(macro: str, line: str, severity: str | None, tables: Tables) -> None:
    result = converted(f"{macro}{line}\n", tables)
    found = [each.severity.value for each in result.diagnostics if each.code == "HP112"]
    assert found == ([severity] if severity else [])
    assert ("HostAlloc)" in result.data.decode()) is ("HostAlloc" in line)


_UPPER = ("CUBLAS", "CUFFT", "CURAND", "CUSPARSE", "CUSOLVER")


def test_all_names_that_begin_with_an_argument_are_translated_or_reported(tables: Tables) -> None:
    parts = {}
    for name, entry in tables.names.items():
        prefix = next((each for each in (*_PREFIXES, *_UPPER) if re.fullmatch(rf"{each}_?[A-Z]\w*", name)), None)
        if prefix is not None and not entry.ordinary:
            parts[prefix, name.removeprefix(prefix)] = entry
    names = sorted(parts)[::9]
    assert len(names) > 300
    for chunk in (names[i : i + 100] for i in range(0, len(names), 100)):
        lines = "".join(
            f"#define MAKE{i}(n) n##{rest}\nauto v{i} = MAKE{i}({p});\n" for i, (p, rest) in enumerate(chunk)
        )
        result = converted(lines, tables)
        made = [line for line in result.data.decode().splitlines() if line.startswith("auto v")]
        reported = {each.line for each in result.diagnostics if each.code == "HP112"}
        for number, (key, line) in enumerate(zip(chunk, made, strict=True)):
            entry, text = parts[key], line.partition("(")[2].removesuffix(");") + key[1]
            if entry.hip is None or text != entry.hip.name:
                assert 2 * number + 1 in reported, key


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("#define H(n) n##Handle_t\nH(cublas) a; H(cusparse) b;", "H(hipblas) a; H(hipsparse) b;"),
        ("#define H(n, v) n##Handle_t v\nH(cublas, a);", "H(hipblas, a);"),
        ("#define C(n, h) n##Create(&h)\nC(cublas, a);", "C(hipblas, a);"),
        ("#define G(n, t) n##t##gemm\nG(cublas, S)(a); G(cublas, D)(a);", "G(hipblas, S)(a); G(hipblas, D)(a);"),
        ("#define G(n) n##gemm\nG(cublasS)(a);", "G(hipblasS)(a);"),
        ("#define S(L) L##_STATUS_SUCCESS\nS(CUBLAS);", "S(HIPBLAS);"),
        ("#define H(n) n##Handle_t\n#define MINE H(cublas)\nMINE a;", "#define MINE H(hipblas)\nMINE a;"),
        (
            "#ifdef A\n#define H(n) n##Handle_t\n#else\n#define H(n) n##Handle_t*\n#endif\nH(cublas) a;",
            "H(hipblas) a;",
        ),
        ("#define H(n) n##Handle_t\nnamespace own { struct myHandle_t; }\nH(my) a;", "H(my) a;"),
        ("#define H(n) n##_handle\nH(cublas) a;", "H(cublas) a;"),
    ],
)
def test_arguments_that_begin_names(source: str, expected: str, tables: Tables) -> None:
    result = converted(f"{source}\n", tables)
    assert result.data.decode().rstrip().endswith(expected)
    assert not [each for each in result.diagnostics if each.code == "HP112"]


@pytest.mark.parametrize(
    ("source", "severity"),
    [
        ("#define H(n) n##Handle_t a##n\nH(cublas);", "error"),
        ("#define H(n) n##Handle_t a = #n;\nH(cublas);", "error"),
        ("#define H(n) n##DnHandle_t\nH(cusolver) a;", "error"),
        ("#define H(n) n##Handle_t\n#define ALL(X) X(cublas) X(cusparse)\nALL(H)", "error"),
        ("#define H(n) n##Handle_t\n#define OF(n) H(n)\nOF(cublas) a;", "error"),
        ("H(cublas) a;", "warning"),
        ("#if A\n#define H(n) n##Status_t\n#else\n#define H(n) n##DnHandle_t\n#endif\nH(cusolver) a;", "error"),
        ("h(cublas);", None),
        ("H(cublas, 1);", None),
    ],
)
def test_other_beginnings_are_reported(source: str, severity: str | None, tables: Tables) -> None:
    result = converted(f"{source}\n", tables)
    found = {each.severity.value for each in result.diagnostics if each.code == "HP112"}
    assert found == ({severity} if severity else set())
    assert "hip" not in result.data.decode() or source.startswith("#if")


def test_names_that_macros_make_of_fixed_words_are_translated_or_reported(tables: Tables) -> None:
    """`#define OK cuda##Success`, split at any letter, beside parameters that are not pasted."""
    entries = [entry for name, entry in tables.names.items() if re.fullmatch(r"cuda[A-Z][A-Za-z]{6,11}", name)]
    for entry in (entry for entry in entries if not entry.ordinary):
        for at in {4, len(entry.name) - 1}:
            result = converted(f"#define MADE(other) other {entry.name[:at]} ## {entry.name[at:]}\n", tables)
            reported = [each for each in result.diagnostics if each.code == "HP112"]
            whole = entry.hip is not None and not entry.args and not entry.support
            assert bool(reported) != whole, entry.name
            if entry.hip is not None and whole:
                body = result.data.decode().split("MADE(other) other ")[1].strip()
                assert body.replace(" ## ", "") == entry.hip.name, entry.name
