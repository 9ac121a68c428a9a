"""Fuzz targets for models, which come from strangers, and for requests, which anybody can send."""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
from gguf import TokenType

from hipport.errors import HipportError
from hipport.llm.guided.compiling import GrammarError, check_size
from hipport.llm.model.config import read_config, read_json
from hipport.llm.serving.bodies import parsed
from hipport.llm.serving.errors import ApiError
from hipport.llm.serving.responses_schema import ResponsesRequest
from hipport.llm.serving.schema import (
    ChatRequest,
    CompletionRequest,
    DetokenizeRequest,
    EmbeddingRequest,
    TokenizeRequest,
)
from hipport.llm.serving.tool_formats import FORMATS, ToolReader
from hipport.llm.sources.gguf.reader import read_gguf
from hipport.llm.sources.gguf.source import GgufFile
from hipport.llm.sources.huggingface import shards
from hipport.llm.sources.prequantized import read_scheme
from hipport.llm.text.folder_template import folder_template
from hipport.llm.text.gguf_tokenizer import gguf_text
from hipport.llm.text.template_process import TemplateProcess
from hipport.llm.text.tokenizer import read_tokenizer
from hipport.llm.weights.tensors import parts_of
from tests.fuzz.target import Target, folder_with
from tests.llm.gguf_files import Q4_0, matrices, vocabulary, write_gguf, write_native
from tests.llm.models import MODELS, make_weights
from tests.llm.prequantized import SCHEMES

_PROBLEMS = frozenset({"invalid", "rejected", "deep", "endless", "memory", "time"})
"""The kinds of error of a template; that the process ended is none of them."""


def _gguf(data: bytes) -> None:
    """Open a model file, and use its tokenizer."""
    with folder_with({"model.gguf": data}) as folder, suppress(HipportError):
        file = read_gguf(folder / "model.gguf")
        with suppress(HipportError):
            gguf_text(file.path, file.metadata).tokens("a text")
        model = GgufFile(folder / "model.gguf")
        assert all(model.read(part) is not None for part in parts_of(model.config))
        for part in parts_of(model.config):
            if len(part.shape) == 2 and model.native_format(part):
                with suppress(HipportError):
                    assert np.isfinite(model.read_native(part).floats()).all()


def _folder(data: bytes) -> None:
    """Read the bytes as each JSON file of a model's folder."""
    names = ("config.json", "generation_config.json", "model.safetensors.index.json", "tokenizer_config.json")
    with folder_with(dict.fromkeys(names, data)) as folder:
        with suppress(HipportError):
            assert parts_of(read_config(folder))
        with suppress(HipportError):
            read_scheme(folder / "config.json", read_json(folder / "config.json"))
        with suppress(HipportError):
            shards(folder)
        (folder / "tokenizer_config.json").write_bytes(data.replace(b"chat_template", b"x"))
        with suppress(HipportError):
            assert folder_template(folder) is None


def _tokenizer(data: bytes) -> None:
    """Read the bytes as `tokenizer.json` and encode a text with it."""
    with folder_with({"tokenizer.json": data}) as folder, suppress(HipportError):
        read_tokenizer(folder).tokens("a text")


@functools.cache
def _process() -> TemplateProcess:
    return TemplateProcess(seconds=2.0)


def _template(data: bytes) -> None:
    """Render a conversation with the bytes as chat template."""
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    variables = {"add_generation_prompt": True, "tools": None, "documents": None, "bos_token": "<s>"}
    source = data.decode(errors="replace")
    answer = _process().ask({"source": source, "variables": variables, "messages": messages})
    assert "text" in answer or answer["kind"] in _PROBLEMS, answer


def _request(data: bytes) -> None:
    """Parse a request body of `hipport llm serve`."""
    for kind in (CompletionRequest, ChatRequest, EmbeddingRequest, TokenizeRequest, DetokenizeRequest):
        with suppress(ApiError):
            parsed(kind, data)
    with suppress(ApiError):
        parsed(ChatRequest, json.dumps(parsed(ResponsesRequest, data).chat()).encode())


def _guided(data: bytes) -> None:
    """Bound the size of a grammar before it is compiled."""
    text = data.decode(errors="replace")
    for kind in ("json", "regex", "lark"):
        with suppress(GrammarError):
            check_size(kind, text)  # type: ignore[arg-type]


def _calls(data: bytes) -> None:
    """Find calls of tools in a model's answer; where it is divided makes no difference."""
    text = data.decode(errors="replace")
    for form in FORMATS.values():
        whole, pieces = ToolReader(form), ToolReader(form)
        read = [whole.feed(text), whole.rest()]
        divided = [*map(pieces.feed, text), pieces.rest()]
        for part in (0, 1):
            assert [x for each in read for x in each[part]] == [x for each in divided for x in each[part]]


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
    wide = config | {"hidden_size": 256, "intermediate_size": 256, "num_attention_heads": 4}
    with tempfile.TemporaryDirectory() as folder:
        path, _ = write_native(Path(folder) / "model.gguf", wide, {"attn_v": "Q6_K", "down": "MXFP4", "": "Q4_K"}, 1)
        yield path.read_bytes()


def _folder_seeds() -> Iterator[bytes]:
    yield from (json.dumps(config).encode() for config in MODELS.values())
    yield from (json.dumps({"quantization_config": told}).encode() for told, _ in SCHEMES.values())
    yield b'{"weight_map": {"model.norm.weight": "model-00001-of-00002.safetensors"}, "metadata": {"total_size": 1}}'
    yield b'{"bos_token": {"content": "<s>"}, "eos_token": "</s>", "eos_token_id": [1, 2]}'


_TOKENIZERS = (
    b'{"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}',
    b'{"version": "1.0", "added_tokens": [],'
    b' "normalizer": {"type": "Replace", "pattern": {"Regex": "a+"}, "content": ""},'
    b' "pre_tokenizer": {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first"},'
    b' "model": {"type": "Unigram", "unk_id": 0, "vocab": [["a", -1.0], ["b", -2.0]]}}',
)
_TEMPLATES = (
    b"{% for m in messages %}{{ m.role }}: {{ m['content'] | trim }}{{ eos_token }}\n{% endfor %}",
    b"{%- if messages[0].role == 'system' %}{% set x = messages[0].content %}{%- else %}{% set x = '' %}{%- endif %}"
    b"{% macro f(a) %}{{ a ~ x }}{% endmacro %}{{ f(1) }}{{ raise_exception('no') if not messages else '' }}",
    b"{% set ns = namespace(n=0) %}{% for m in messages[::-1] %}{% if m.role == 'tool' %}{% break %}{% endif %}"
    b"{% set ns.n = ns.n + loop.index0 %}{% endfor %}{{ messages | tojson(indent=2) }}{{ strftime_now('%Y') }}",
)
_REQUESTS = (
    b'{"prompt": ["a", "b"], "max_tokens": 5, "temperature": 0.5, "stop": ["x"], "stream": true, "n": 2}',
    b'{"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}], "stream_options": {}}',
    b'{"messages": [{"role": "user", "content": "a"}], "tools": [{"type": "function", "function": {"name": "f"}}]}',
    b'{"input": [{"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}, {"role": "user", '
    b'"content": "a"}]}',
    b'{"prompt": "a", "logit_bias": {"5": 1}, "response_format": {"type": "json_schema", "json_schema": {"schema": {}}'
    b"}}",
)
_GRAMMARS = (
    b'{"type": "object", "properties": {"a": {"pattern": "^[a-f]{2}$"}}}',
    b"(ab{3}){4}|[^]]*",
    b'start: "x"{5}',
)
_CALLS = (
    b'I look.<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>\n',
    b'[TOOL_CALLS][{"name": "f", "arguments": {}}]',
    b'{"name": "f", "parameters": {}}; {"name": "g", "parameters": {}}',
)
_JSON = ("null", "NaN", "-1e999", "[", "]", "{", "}", '"', ":", ",", "\\ud800", "tools", "logit_bias", "prompt")
_JINJA = ("{{", "}}", "{%", "%}", "{#", " | ", "~", "**", "range(", "loop", "recursive", "macro", "call", "self", "__")

MODEL_TARGETS = {
    "gguf": Target(_gguf, _gguf_seeds, ("llama.block_count", "tokenizer.ggml.tokens", "general.architecture")),
    "folder": Target(
        _folder, _folder_seeds, (*_JSON, "architectures", "rope_scaling", "head_dim", "weight_map", "quant_method")
    ),
    "tokenizer": Target(_tokenizer, lambda: _TOKENIZERS, (*_JSON, "Regex", "ByteLevel", "Sequence", "WordPiece")),
    "template": Target(_template, lambda: _TEMPLATES, _JINJA),
    "request": Target(_request, lambda: _REQUESTS, (*_JSON, "messages")),
    "grammar": Target(_guided, lambda: _GRAMMARS, (*_JSON, "pattern", "maxItems", "{1,9}", "{99999}", "(", ")*", "[^")),
    "calls": Target(_calls, lambda: _CALLS, (*_JSON, "<tool_call>", "</tool_call>", "[TOOL_CALLS]", "<|python_tag|>")),
}
