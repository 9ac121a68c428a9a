"""Fuzz targets: functions that accept any bytes, and raise only if hipport has a bug."""

from __future__ import annotations

import functools
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gguf import TokenType

from hipport.bench.p2p.measurements import read_result
from hipport.bench.p2p.picture import svg
from hipport.bench.p2p.table import tables
from hipport.buildfiles.build_systems import kind_of
from hipport.buildfiles.convert import convert_build_file
from hipport.codeobject import read as read_binary
from hipport.errors import HipportError
from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.schema import ChatRequest, CompletionRequest, parsed
from hipport.llm.sources.gguf.reader import read_gguf
from hipport.llm.sources.gguf.source import GgufFile
from hipport.llm.text.gguf_tokenizer import gguf_text
from hipport.llm.weights.tensors import parts_of
from hipport.mappings.loader import load
from hipport.project.state import manifest, memory
from hipport.report import baseline
from hipport.translate.context import Context, Options
from hipport.translate.convert import check_source, convert_source
from hipport.translate.ptx.parser import parse as parse_ptx
from hipport.translate.ptx.tree import PtxSyntaxError
from tests.buildfiles.test_pairs import CASES, NAMES
from tests.buildfiles.test_pairs import context as build_context
from tests.codeobject.test_hostile import SEEDS as BINARIES
from tests.llm.gguf_files import Q4_0, matrices, vocabulary, write_gguf
from tests.llm.models import MODELS, make_weights
from tests.translate.test_convert import TOKENS

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Target:
    """A fuzz target: `seeds` are initial inputs, `words` are tokens to insert."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterable[bytes]]
    words: tuple[str, ...] = ()


@functools.cache
def _context(*, fix: bool = False) -> Context:
    return Context(load(), Options(fix=fix))


def _convert(data: bytes) -> None:
    assert isinstance(convert_source(data, "x.cu", _context()).data, bytes)


def _check(data: bytes) -> None:
    assert check_source(data, "x.cu", _context()).data == data
    assert isinstance(check_source(data, "x.cu", _context(fix=True)).data, bytes)


def _asm(data: bytes) -> None:
    """Translate inline PTX in a kernel: the text of the statement and its operands."""
    text, _, operands = data.partition(b"\0")
    source = b'#include <cuda.h>\n__device__ void f(int a, float* p) { int x; asm volatile("' + text + b'" ' + operands
    convert_source(source + b"); }\n", "x.cu", _context())


def _ptx(data: bytes) -> None:
    with suppress(PtxSyntaxError):
        parse_ptx(data.decode(errors="replace"), lambda token: len(token))


def _build_file(name: str) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        assert isinstance(convert_build_file(b"cuda nvcc\n" + data, name, build_context()).data, bytes)

    return run


def _inspect(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file, suppress(HipportError):
        file.write(data)
        file.flush()
        read_binary(Path(file.name))


def _state(data: bytes) -> None:
    """Read the bytes as each file of `.hipport`, which a source tree may bring along."""
    memory.from_bytes(data)
    text = data.decode(errors="replace")
    with suppress(HipportError):
        manifest.from_text(text, "manifest.json")
    with suppress(HipportError):
        baseline.from_text(text, "baseline.json")


def _bench(data: bytes) -> None:
    """Show a stored measurement as table and picture."""
    with tempfile.NamedTemporaryFile() as stored, suppress(HipportError):
        Path(stored.name).write_bytes(data)
        result = read_result(Path(stored.name))
        ElementTree.fromstring(svg(result))
        assert len(list(tables(result))) >= len(result.ways)


def _gguf(data: bytes) -> None:
    """Open a model file from an untrusted source, and use its tokenizer."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder, suppress(HipportError):
        path = Path(folder) / "model.gguf"
        path.write_bytes(data)
        file = read_gguf(path)
        with suppress(HipportError):
            gguf_text(file.path, file.metadata).tokens("a text")
        model = GgufFile(path)
        assert all(model.read(part) is not None for part in parts_of(model.config))


def _gguf_seeds() -> Iterator[bytes]:
    config = MODELS["llama3"] | {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 1, "vocab_size": 8}
    config |= {"num_attention_heads": 1, "num_key_value_heads": 1}
    words = vocabulary(["<s>", "</s>", *"abcdef"], {"<s>": TokenType.CONTROL})
    told = words | {"tokenizer__ggml__model": "llama", "tokenizer__ggml__scores": [0.0] * 8}
    for name in ("llama", "gpt2"):
        told |= {"tokenizer__ggml__model": name, "tokenizer__ggml__merges": ["a b"]}
        with tempfile.TemporaryDirectory() as folder:
            path = write_gguf(Path(folder) / "model.gguf", config, make_weights(config, 1), matrices(Q4_0), **told)
            yield path.read_bytes()


def _request(data: bytes) -> None:
    """Parse a request body, which anybody can send to `hipport llm serve`."""
    for kind in (CompletionRequest, ChatRequest):
        with suppress(ApiError):
            parsed(kind, data)


def _sources() -> Iterator[bytes]:
    for folder in ("programs", "pairs", "hazards"):
        for path in sorted((ROOT / "fixtures" / folder).rglob("*")):
            if path.suffix in (".cu", ".cuh", ".h", ".cpp") and path.stat().st_size < 6000:
                yield path.read_bytes()


def _statements() -> Iterator[bytes]:
    for path in sorted((ROOT / "fixtures").rglob("*.cu")):
        for part in path.read_bytes().split(b'asm volatile("')[1:]:
            text, _, operands = part.partition(b");")[0].partition(b'" ')
            yield text + b"\0" + operands


def _build_seeds(name: str) -> Callable[[], Iterator[bytes]]:
    return lambda: (case.read_bytes() for case in CASES if kind_of(NAMES[case.suffix]) is kind_of(name))


_WORDS = (*TOKENS, "asm volatile(", "__shfl_sync(", "__ballot_sync(", "warpSize", "<<<1, 2>>>", "cub::", "__shared__")
_PTX = ("mov.u32", "ld.global.v2.f32", "%0", "%laneid", ".reg", ".pred", "{", "}", "@p", "bra", "0f00000000", ";")
_BUILD = ("CUDA", "nvcc", "$(", "${", "$<", "-gencode", "arch=", "compute_70", "-Xcompiler", "\\\n", "project(", ")")
_REQUESTS = (
    b'{"prompt": ["a", "b"], "max_tokens": 5, "temperature": 0.5, "stop": ["x"], "stream": true, "n": 2}',
    b'{"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}], "stream_options": {}}',
)
_JSON = (
    "null",
    "NaN",
    "-1e999",
    "[",
    "]",
    "{",
    "}",
    '"',
    ":",
    ",",
    "\\ud800",
    "tools",
    "logit_bias",
    "prompt",
    "messages",
)

TARGETS = {
    "gguf": Target(_gguf, _gguf_seeds, ("llama.block_count", "tokenizer.ggml.tokens", "general.architecture")),
    "convert": Target(_convert, _sources, _WORDS),
    "check": Target(_check, _sources, _WORDS),
    "asm": Target(_asm, _statements, (*_PTX, '"', ":", '"=r"(x)', '"l"(p)', '"r"(a)')),
    "ptx": Target(_ptx, _statements, _PTX),
    "cmake": Target(_build_file("CMakeLists.txt"), _build_seeds("CMakeLists.txt"), _BUILD),
    "make": Target(_build_file("Makefile"), _build_seeds("Makefile"), _BUILD),
    "setup_py": Target(_build_file("setup.py"), _build_seeds("setup.py"), _BUILD),
    "inspect": Target(_inspect, lambda: BINARIES),
    "bench": Target(_bench, lambda: (path.read_bytes() for path in sorted((ROOT / "docs/data").glob("p2p-*.json")))),
    "request": Target(_request, lambda: _REQUESTS, _JSON),
    "state": Target(_state, lambda: [b'{"schema": 1, "setup": {}, "files": {"a": {"input": "00"}}}', b"[[[["]),
}
