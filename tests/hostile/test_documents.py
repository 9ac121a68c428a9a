"""Hostile documents of all kinds: one clear error or a result, no traceback, crash or hang.

The cases are every way of reaching a parser, times every form of nesting that its language has: one in two of them, or
with `HIPPORT_TEST_ALL=1` all.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.served import served
from tests.shared import sampled

DEEP = 200_000
SECONDS = 100
CODE = b"#include <cuda_runtime.h>\nint main() { return cudaDeviceSynchronize(); }\n"
CONFIG = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}


@dataclass(frozen=True, slots=True)
class Case:
    """Files below the working folder. If `refused` is set, an error that contains it is expected."""

    name: str
    files: dict[str, bytes]
    command: tuple[str, ...]
    refused: str = ""
    before: tuple[str, ...] = field(default=())


def nested(opening: str, closing: str = "", inner: str = "", depth: int = DEEP) -> str:
    return opening * depth + inner + closing * depth


def blocks(line: str, depth: int = 1500) -> str:
    return "".join(f"{' ' * level}{line}\n" for level in range(depth))


def laughs(count: int = 40) -> str:
    return "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" if i else "a0: &a0 [x]\n" for i in range(count))


YAML = {
    "open_lists": nested("["),
    "lists": nested("[", "]"),
    "mappings": nested("{a: ", "}", "1"),
    "open_mappings": nested("{"),
    "mixed": nested("[{a: ", "}]", "1"),
    "keys": nested("? "),
    "dashes": nested("- "),
    "blocks": blocks("a:"),
    "in_a_row": "functions:\n  a: " + nested("[", "]"),
    "laughs": laughs(),
    "itself": "&a [*a]",
    "itself_below": "functions: &a\n  x: *a\n",
    "aliases": "a: &a x\nb: [" + "*a, " * 5000 + "]\n",
    "tags": nested("!!seq [", "]"),
    "anchors": "".join(f"&a{i} [" for i in range(3000)),
    "nul": "a: \0",
    "control": "a: \x01",
    "utf16": "\ufeff\ufeff[",
    "quote": '"' + "a" * DEEP,
    "indicators": "%" * DEEP,
    "scalar": "a" * (17 << 20),
}
TOML = {
    "arrays": "mappings = " + nested("[", "]"),
    "open_arrays": "mappings = " + nested("["),
    "inline": "x = " + nested("{a=", "}", "1"),
    "key": "a" + nested(".a") + " = 1",
    "quoted_key": '"a"' + nested('."a"') + " = 1",
    "table": "[a" + nested(".a") + "]",
    "spread_key": "a" + nested(" . a") + " = 1",
    "string": 'x = "' + "\\" * DEEP,
    "open_text": "x = '''" + "'\n" * DEEP,
    "nul": 'mappings = ["a\\u0000b"]',
    "number": "x = " + "9" * DEEP,
    "large": "#" * (2 << 20),
}
JSON = {
    "lists": nested("[", "]"),
    "open_lists": nested("["),
    "objects": nested('{"a": ', "}", "1"),
    "open_objects": nested('{"a":'),
    "mixed": nested('[{"a": ', "}]", "1"),
    "in_text": '{"a": "]]]' + '", "b": ' + nested("[", "]") + "}",
    "escapes": '["' + '\\"' * 7 + '", ' + nested("[", "]") + "]",
    "quote": '"' + "\\" * DEEP,
    "number": "9" * DEEP,
    "surrogate": '{"architectures": ["\\ud800"], "schema": 1, "files": {"\\ud800": {"input": "\\ud800"}}}',
    "utf16": nested("[", "]"),
}
TEMPLATES = {
    "groups": "{{ " + nested("(", ")", "1", 20_000) + " }}",
    "lists": "{{ " + nested("[", "]", "1", 20_000) + " }}",
    "loops": nested("{% for a in messages %}", "{% endfor %}", "x", 3_000),
    "conditions": nested("{% if true %}", "{% endif %}", "x", 3_000),
    "attributes": "{{ a" + ".b" * 20_000 + " }}",
    "filters": "{{ a" + "|string" * 20_000 + " }}",
    "signs": "{{ " + "-" * 20_000 + "1 }}",
    "negations": "{{ " + "not " * 20_000 + "1 }}",
    "sums": "{{ " + "1+" * 20_000 + "1 }}",
    "macros": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "large": "x" * (2 << 20),
}
SOURCES = {
    "braces": "void f() " + nested("{", "}"),
    "parentheses": "int a = cudaMalloc" + nested("(", ")", "1") + ";",
    "templates": "cudaStream_t s; A" + nested("<A", ">") + " cudaFree;",
    "conditions": nested("#if CUDART_VERSION\n", "#endif\n", "cudaFree(0);\n", 50_000),
    "condition": "#if " + nested("(", ")", "CUDART_VERSION") + "\n#endif\n",
    "negations": "#if " + "!" * DEEP + "CUDART_VERSION\n#endif\n",
    "launches": "void f() { " + nested("k<<<", ">>>(1)", "1", 20_000) + "; }",
    "asm": '__device__ void f() { asm("' + nested("{", "}") + '" :: ); cudaFree(0); }',
    "operands": '__device__ void f() { int a; asm("mov.u32 %0, '
    + nested("(", ")", "1")
    + ';" : "=r"(a)); cudaFree(0); }',
    "size": "__shared__ int a[" + nested("(", ")", "32") + "]; cudaStream_t s;",
    "casts": "int a = " + "(int)" * DEEP + "32; cudaStream_t s;",
    "macros": "".join(f"#define A{i} A{i + 1} A{i + 1}\n" for i in range(3000)) + "int a[A0]; cudaStream_t s;",
    "lambdas": "void f() { " + nested("[&]{", "}", "cudaFree(0);", 30_000) + "; }",
    "namespaces": nested("namespace a {", "}", "cudaStream_t s;", 30_000),
}
BUILD_FILES = {
    "CMakeLists.txt": {
        "groups": "if(CUDA " + nested("(", ")") + ")\nendif()\n",
        "commands": nested("set(CUDA "),
        "variables": "set(CMAKE_CUDA_FLAGS " + nested("${", "}", "A") + ")\n",
        "expressions": "target_compile_options(a PRIVATE " + nested("$<CUDA:", ">", "-O3") + ")\n",
        "brackets": "set(CUDA " + "[[" * DEEP + ")\n",
        "conditions": nested("if(CUDA)\n", "endif()\n", depth=50_000),
    },
    "Makefile": {
        "calls": "A = nvcc " + nested("$(call f,", ")", "nvcc", 50_000),
        "variables": "A = nvcc " + nested("$(", ")", "B"),
        "conditions": nested("ifdef CUDA\n", "endif\n", "A = nvcc\n", 50_000),
    },
    "setup.py": {
        "lists": "libraries = " + nested("[", "]", "'cudart'"),
        "groups": "nvcc = " + nested("(", ")", "1"),
        "calls": "nvcc" + nested("(a", ")"),
        "signs": "nvcc = " + "-" * DEEP + "1",
        "blocks": blocks("if nvcc:"),
    },
}


def cases() -> Iterator[Case]:
    check, source = ("check", "."), {"a.cu": CODE}
    for name, text in YAML.items():
        files = {"m.yaml": encoded(name, text), "hipport.toml": b'mappings = ["m.yaml"]'}
        yield Case(f"mappings-{name}", source | files, check, "m.yaml")
    yield Case("mappings-option", source | {"m.yaml": b"[" * DEEP}, ("check", "--mappings", "m.yaml", "."), "m.yaml")
    chain = {f"m{i}.yaml": f"extends: m{i + 1}.yaml\n".encode() for i in range(3000)}
    yield Case("mappings-chain", source | chain | {"hipport.toml": b'mappings = ["m0.yaml"]'}, check, "yaml")
    for name, text in TOML.items():
        refused = {"nul": "NUL"}.get(name, "hipport.toml")
        yield Case(f"hipport.toml-{name}", source | {"hipport.toml": text.encode()}, check, refused)
        project = f"[tool.hipport]\n{text}".encode()
        refused = {"nul": "NUL"}.get(name, "pyproject.toml")
        yield Case(f"pyproject-{name}", source | {"pyproject.toml": project}, check, refused)
    yield Case("targets", {"hipport.toml": TOML["arrays"].encode()}, ("build", "."), "hipport.toml")
    for name, text in JSON.items():
        data = encoded(name, text)
        yield from json_cases(name, data, source)
    for name, text in TEMPLATES.items():
        yield Case(
            f"template-{name}",
            {"chat_template.jinja": text.encode(), "m/config.json": b"{}"},
            PRINTS_TEMPLATE,
            "templ" if name != "large" else "MiB",
        )
    for name, text in SOURCES.items():
        yield Case(f"source-{name}", {"a.cu": CODE + text.encode()}, check)
    for file, texts in BUILD_FILES.items():
        for name, text in texts.items():
            yield Case(f"{file}-{name}", source | {file: text.encode()}, ("convert", ".", "-o", "out"))


def encoded(name: str, text: str) -> bytes:
    return text.encode("utf-16" if name == "utf16" else "utf-8")


def json_cases(name: str, data: bytes, source: dict[str, bytes]) -> Iterator[Case]:
    database = source | {"compile_commands.json": data}
    yield Case(f"database-{name}", database, ("check", "-p", ".", "."), "compile_commands.json")
    yield Case(f"baseline-{name}", source | {"b.json": data}, ("check", "--baseline", "b.json", "."), "b.json")
    tree = {"in/a.cu": CODE}
    convert = ("convert", "in", "-o", "out")
    yield Case(f"manifest-{name}", tree | {"out/.hipport/manifest.json": data}, convert, "manifest.json")
    yield Case(f"journal-{name}", tree | {"out/.hipport/journal.json": data}, convert, "journal.json")
    yield Case(f"memory-{name}", tree | {"out/.hipport/memory.json": data}, convert)
    yield Case(f"p2p-{name}", {"r.json": data}, ("bench", "p2p", "--from", "r.json"), "r.json")
    told = json.dumps(CONFIG).encode()
    generate = ("llm", "generate", "m", "-p", "a")
    yield Case(f"config-{name}", {"m/config.json": data}, generate, "config.json")
    header = len(data).to_bytes(8, "little") + data
    yield Case(f"safetensors-{name}", {"m/config.json": told, "m/model.safetensors": header}, generate, " ")
    yield Case(f"tokenizer-{name}", {"m/tokenizer.json": data}, PRINTS_TOKENIZER, "tokenizer")
    yield Case(f"tokenizer_config-{name}", {"m/tokenizer_config.json": data}, PRINTS_CONFIG_TEMPLATE)


PRINTS_TEMPLATE = ("-c", "from pathlib import Path; from hipport.llm.sources.text import *;"
    "read_template_file(Path('chat_template.jinja')).render([{'role': 'user', 'content': 'x'}])")  # fmt: skip
PRINTS_TOKENIZER = (
    "-c",
    "from pathlib import Path; from hipport.llm.sources.text import *; read_text(Path('m'))",
)
PRINTS_CONFIG_TEMPLATE = (
    "-c",
    "from pathlib import Path; from hipport.llm.sources.text import *; read_template(Path('m'))",
)
"""Without a model of gigabytes these are reached from Python only; errors are shown as the command shows them."""
SHOWN = """
import sys
from hipport.errors import HipportError
try:
    {}
except HipportError as error:
    sys.exit(f"hipport: error: {{error}}")
"""
CASES = list(cases())


def run(case: Case, folder: Path) -> subprocess.CompletedProcess[bytes]:
    for name, data in case.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    if case.command[0] == "-c":
        return served(cwd=folder, code=SHOWN.format(case.command[1]), timeout=SECONDS)
    return served(*case.command, cwd=folder, timeout=SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize("case", sampled(CASES, 2), ids=lambda case: case.name)
def test_hostile_document(case: Case, tmp_path: Path) -> None:
    done = run(case, tmp_path)
    said = done.stderr.decode(errors="replace")
    assert done.returncode in (0, 1, 2), (done.returncode, said[-500:])
    assert "Traceback" not in said, said[-2000:]
    assert len(said) < 5000 or not case.refused, said[:500]
    if case.refused:
        errors = [line for line in said.splitlines() if line.startswith("hipport: error:")]
        assert done.returncode in (1, 2) and len(errors) == 1, said[-500:]
        assert case.refused in said
