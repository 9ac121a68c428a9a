"""Models with a wrong value at any place of their files: one error that names a file, or a model that can be used.

The places are those of valid models; the values are of each type of JSON, and of sizes that no model has. Of the
documents of each configuration every third is read, and all with HIPPORT_TEST_ALL=1: most places are those of several
models, and each model begins at another document.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf import TokenType

from hipport.errors import HipportError
from hipport.llm.model.config import ModelConfig, read_config
from hipport.llm.model.rope import frequencies, rope_table
from hipport.llm.sources.checkpoints import open_checkpoint
from hipport.llm.sources.gguf.config import gguf_config
from hipport.llm.sources.gguf.reader import Gguf, read_gguf
from hipport.llm.text.folder_template import folder_template
from hipport.llm.text.gguf_template import gguf_template, gguf_tokens
from hipport.llm.text.gguf_tokenizer import gguf_text
from hipport.llm.text.tokenizer import read_tokenizer
from hipport.llm.weights.tensors import parts_of
from tests.llm.gguf_files import Q4_0, matrices, vocabulary, write_gguf
from tests.llm.models import MODELS, make_weights, write_model
from tests.llm.other_models import OTHERS
from tests.llm.prequantized import SCHEMES
from tests.llm.text.test_tokenizer import TEXT
from tests.shared import EVERYTHING, sampled

NUMBERS: tuple[Any, ...] = (
    0,
    -1,
    1,
    3,
    2**31,
    2**63,
    10**400,
    0.5,
    -2.5,
    1e-320,
    1e-30,
    1e308,
    float("nan"),
    float("inf"),
)
WRONG: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        "",
        "x",
        "..",
        "a\0b",
        "\ud800",
        "1",
        [],
        {},
        [None],
        ["x"],
        [[]],
        [{}],
        {"": None},
        {"x": []},
    ),
    *([0], [-1, 2**70], {"full_attention": 1}, {"sliding_attention": 1}, {"rope_type": []}, {"content": 1}),
    *NUMBERS,
)
ALL = {**MODELS, **OTHERS}
OPTIONAL = (
    *("rope_parameters", "rope_scaling", "partial_rotary_factor", "rope_local_base_freq", "query_pre_attn_scalar"),
    *("layer_types", "sliding_window", "use_sliding_window", "sliding_window_pattern", "max_window_layers"),
    *("attention_bias", "hidden_activation", "final_logit_softcapping", "mlp_only_layers", "decoder_sparse_step"),
)
"""Keys that any configuration may have."""
SMALL = {"hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 1, "num_key_value_heads": 1, "vocab_size": 8}


def changed(document: Any, values: Iterable[Any] = WRONG) -> Iterator[Any]:
    """Yield the document with each of its values replaced by each wrong one, and without each of its keys."""
    yield from values
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(document, dict):
        items = document.items()
    elif isinstance(document, list):
        items = list(enumerate(document))[:2]  # those behind are like the first ones
    for key, inner in items:
        for value in changed(inner, values):
            copy = document.copy()
            copy[key] = value
            yield copy
        if isinstance(document, dict):
            yield {name: value for name, value in document.items() if name != key}


def check_config(config: ModelConfig) -> None:
    """Fail if a model cannot be computed, whatever its tensors are."""
    assert all(size > 0 for part in parts_of(config) for size in part.shape)
    assert config.epsilon > 0 and all(0 <= token < config.vocabulary for token in config.end_tokens)
    for rope in filter(None, (config.rope, config.local_rope)):
        with np.errstate(all="raise", under="ignore"):
            assert np.isfinite(frequencies(rope.for_positions(config.positions), config.head_width)).all()
            assert np.isfinite(rope_table(rope, config.head_width, 4)).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_wrong_values_in_a_configuration(name: str, tmp_path: Path) -> None:
    config = ALL[name]
    added = (config | {key: value} for key in OPTIONAL for value in (*WRONG, {"sliding_attention": "x"}))
    documents = [*changed(config), *added][0 if EVERYTHING else list(ALL).index(name) % 3 :]
    usable = {}
    for document in sampled(documents, 3):
        (tmp_path / "config.json").write_text(json.dumps(document))
        with refused(tmp_path, document):
            read = read_config(tmp_path)
            usable[repr(read)] = read
    assert len(usable) > (20 if EVERYTHING else 20 // 3)
    for each in usable.values():
        check_config(each)


@contextlib.contextmanager
def refused(path: Path, document: Any) -> Iterator[None]:
    """Ignore errors that name a file; fail with the document for others."""
    try:
        yield
    except HipportError as error:
        assert str(path) in str(error) and len(str(error)) < 2000, (document, str(error))
    except BaseException as error:
        raise AssertionError(document) from error


def use_model(path: Path) -> None:
    """Read all that `hipport llm` reads of a model's weights."""
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.notes is not None
        for tensor, data in checkpoint.tensors():
            assert data.nbytes == tensor.bytes


def refused_or_used(path: Path, use: Callable[[Path], None], document: Any) -> bool:
    """Return whether a model can be used; fail if it is refused by anything but an error that names its file."""
    with refused(path, document):
        use(path)
        return True
    return False


def small(name: str) -> dict[str, Any]:
    plain = {key: value for key, value in MODELS[name].items() if key != "rope_scaling"}
    return plain | SMALL | {"intermediate_size": 64}


def test_wrong_values_in_an_index(tmp_path: Path) -> None:
    config = small("llama3")
    folder = write_model(tmp_path / "m", config, make_weights(config, 1), shards=2)
    index = folder / "model.safetensors.index.json"
    valid = json.loads(index.read_text())
    results = []
    for document in changed(valid):
        index.write_text(json.dumps(document))
        results.append(refused_or_used(folder, use_model, document))
    assert set(results) == {True, False}


def test_wrong_values_in_the_header_of_weights(tmp_path: Path) -> None:
    config = small("llama3")
    folder = write_model(tmp_path / "m", config, make_weights(config, 1))
    file = folder / "model.safetensors"
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    some = ("model.norm.weight", "model.layers.0.self_attn.q_proj.weight")
    first = {name: header[name] for name in some}
    overlapping = header | {some[1]: header[some[0]]}
    kinds = (
        {**header, name: header[name] | {"dtype": kind}} for name in some for kind in ("F64", "I8", "F8_E4M3", "BOOL")
    )
    documents = (*(header | one if isinstance(one, dict) else one for one in changed(first)), overlapping, *kinds)
    used = [refused_or_used(folder, use_model, header)]
    for document in documents:
        told = json.dumps(document).encode("utf-8", "surrogatepass")
        file.write_bytes(len(told).to_bytes(8, "little") + told + data[8 + length :])
        used.append(refused_or_used(folder, use_model, document))
    for size in (0, 7, 8, 2**63, 2**64 - 1, length + 1, length - 1):
        file.write_bytes(size.to_bytes(8, "little") + data[8:])
        used.append(refused_or_used(folder, use_model, size))
    assert used[0] and used.count(True) < len(used) / 4


@pytest.mark.parametrize("name", SCHEMES)
def test_wrong_values_of_a_quantization(name: str, tmp_path: Path) -> None:
    config, (told, _) = small("mistral"), SCHEMES[name]
    folder = write_model(tmp_path / "m", config, make_weights(config, 1))
    for document in changed(told):
        (folder / "config.json").write_text(json.dumps(config | {"quantization_config": document}))
        refused_or_used(folder, use_model, document)


def test_wrong_values_in_a_tokenizer(tmp_path: Path) -> None:
    valid = json.loads(TEXT.tokenizer.to_str())
    valid["model"]["vocab"] = {word: i for i, word in enumerate(("<s>", "a", "b", "ab", "<0x61>"))}
    valid["model"]["merges"] = [["a", "b"]]
    valid["post_processor"] = None

    def use(folder: Path) -> None:
        text = read_tokenizer(folder)
        with contextlib.suppress(HipportError):
            tokens = text.tokens("ab <s> \udc80\0 c")
            assert isinstance("".join(text.pieces([*tokens, *range(9), 2**31])), str)
            text.vocabulary()

    for document in changed(valid):
        (tmp_path / "tokenizer.json").write_text(json.dumps(document))
        refused_or_used(tmp_path, use, document)


@pytest.mark.slow
def test_wrong_values_beside_a_tokenizer(tmp_path: Path) -> None:
    valid = {
        "chat_template": [{"name": "default", "template": "{{ bos_token }}{{ messages[0].content }}"}],
        "bos_token": {"content": "<s>"},
        "eos_token": "</s>",
        "added_tokens_decoder": {"0": {"content": "<s>", "special": True}},
    }

    def use(folder: Path) -> None:
        template = folder_template(folder)
        if template is not None:
            assert isinstance(template.render([{"role": "user", "content": "a"}]), str)

    few = (None, 1, "x", ["x"], {"x": []}, {"content": 1})  # each document starts a process
    for document in changed(valid, few):
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(document))
        refused_or_used(tmp_path, use, document)


GGUF_WRONG: tuple[Any, ...] = (
    *(True, False, "", "x", "llama", [], ["x"], [0], [-1.5], [True], 0, -1, 1, 3, 2**32 - 1, 2**63, -(2**63)),
    *(0.5, -2.5, 1e-30, 1e38, 1e308, float("nan"), float("inf")),
)


def gguf_models(folder: Path) -> Iterator[Path]:
    """Yield files of three architectures with a vocabulary each."""
    words = ["<s>", "</s>", *"abcdef"]
    for name, kind in (("llama3", "llama"), ("qwen2", "gpt2"), ("qwen3", "gpt2")):
        config = small(name)
        told = vocabulary(words, {"<s>": TokenType.CONTROL}) | {
            "tokenizer__ggml__model": kind,
            "tokenizer__ggml__scores": [0.0] * len(words),
            "tokenizer__ggml__merges": ["a b"],
            "tokenizer__ggml__bos_token_id": 0,
            "tokenizer__ggml__eos_token_id": 1,
            "tokenizer__ggml__add_bos_token": True,
            "tokenizer__chat_template": "{{ bos_token }}{{ messages[0].content }}",
        }
        yield write_gguf(folder / f"{name}.gguf", config, make_weights(config, 1), matrices(Q4_0), **told)


def test_wrong_values_in_the_metadata_of_a_gguf_file(tmp_path: Path) -> None:
    def use(file: Gguf) -> None:
        check_config(gguf_config(file))

    def use_text(file: Gguf) -> None:
        assert isinstance(gguf_text(file.path, file.metadata).tokens("ab <s> c"), list)

    def use_template(file: Gguf) -> None:
        assert all(isinstance(token, str) for token in gguf_tokens(file.metadata).values())
        if not isinstance(file.metadata.get("tokenizer.chat_template"), str):  # others are not rendered differently
            assert gguf_template(file.path, file.metadata) is None

    for path in gguf_models(tmp_path):
        valid = read_gguf(path)
        for metadata in wrong_metadata(valid.metadata):
            for each in (use, use_text, use_template):
                with refused(path, metadata):
                    each(Gguf(path, metadata, valid.tensors))


def wrong_metadata(valid: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from (document for document in changed(valid, GGUF_WRONG) if isinstance(document, dict))
    prefix = valid["general.architecture"]
    for key in ("rope.scaling.type", "rope.scaling.factor", "rope.dimension_count", "attention.sliding_window"):
        yield from ({**valid, f"{prefix}.{key}": value} for value in GGUF_WRONG)
