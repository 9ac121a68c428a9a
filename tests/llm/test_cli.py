"""`hipport llm` as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from gguf import TokenType
from tokenizers import Tokenizer, decoders, models

from hipport.cli.llm.terminal import harmless
from tests.llm.gguf_files import Q4_0, Q5_1, Q8_0, matrices, vocabulary, write_gguf
from tests.llm.models import MODELS, make_weights, write_model

pytestmark = pytest.mark.usefixtures("engine_cache")
TINY = ("--random-weights", "tiny", "--target", "cpu")


def hipport(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hipport", "llm", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model with 500 tokens: the first 256 are bytes, the others words."""
    folder = write_model(tmp_path / "model", MODELS["qwen2"], make_weights(MODELS["qwen2"], 1))
    words = {f"<0x{i:02X}>": i for i in range(256)} | {f"w{i}": i for i in range(256, 500)}
    tokenizer = Tokenizer(models.BPE(words, [], byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.mark.toolchain
@pytest.mark.slow
def test_generate_with_made_up_weights(tmp_path: Path) -> None:
    done = hipport("generate", *TINY, "--max-tokens", "4", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len([int(token) for token in done.stdout.split()]) == 4
    assert "4 tokens, " in done.stderr
    again = hipport("generate", *TINY, "--max-tokens", "4", "--temperature", "1", "--top-k", "1", cwd=tmp_path)
    assert again.stdout == done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.toolchain
@pytest.mark.slow
def test_generate_with_a_model_twice(model: Path) -> None:
    first, second = (
        hipport("generate", "model", "--target", "cpu", "-n", "5", "-p", "ab", cwd=model.parent) for _ in range(2)
    )
    assert first.returncode == 0, first.stderr
    assert first.stdout.strip()
    assert second.stdout == first.stdout


@pytest.mark.parametrize("part", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_part_of_a_model_is_not_taken_for_a_gguf_file(model: Path, part: str) -> None:
    done = hipport("generate", f"model/{part}", "--target", "cpu", cwd=model.parent)
    assert done.returncode == 2
    assert done.stderr == f"hipport: error: model/{part} is a part of a model\n  Give its folder: model\n"


def test_a_vocabulary_without_a_key_that_it_needs(tmp_path: Path) -> None:
    told = {
        "tokenizer__ggml__model": "llama",
        "tokenizer__ggml__scores": [0.0] * 500,
        "tokenizer__ggml__bos_token_id": None,
    }
    told |= vocabulary([f"w{i}" for i in range(500)], {})
    write_gguf(tmp_path / "m.gguf", MODELS["llama3"], make_weights(MODELS["llama3"], 1), matrices(Q8_0), **told)
    done = hipport("generate", "m.gguf", "--target", "cpu", cwd=tmp_path)
    assert done.returncode == 1
    assert "m.gguf: invalid tokenizer: 'tokenizer.ggml.bos_token_id' is missing\n" in done.stderr


@pytest.mark.toolchain
@pytest.mark.slow
def test_a_window_of_perplexity_is_at_most_the_context(model: Path) -> None:
    (model.parent / "text").write_text("ab" * 100)
    done = hipport("perplexity", "model", "--target", "cpu", "--text", "text", cwd=model.parent)
    assert done.returncode == 0, done.stderr
    assert "tokens predicted in windows of 128, 64 apart: " in done.stdout


@pytest.mark.toolchain
@pytest.mark.slow
def test_generate_with_a_gguf_file(tmp_path: Path) -> None:
    config, kinds = MODELS["llama3"], matrices(Q4_0, output=Q8_0, attn_q=Q5_1)
    words = ["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256)), *(f"w{i} " for i in range(259, 500))]
    told = {"tokenizer__ggml__model": "llama", "tokenizer__ggml__scores": [0.0] * 500}
    told |= vocabulary(words, {"<unk>": TokenType.UNKNOWN, "</s>": TokenType.CONTROL})
    weights = make_weights(config, 1)
    write_gguf(tmp_path / "model.gguf", config, weights, kinds, **told, tokenizer__ggml__bos_token_id=1)
    told_to = ("--target", "cpu", "--weights", "q4f16_32", "-n", "5", "-p", "ab")
    done = hipport("generate", "model.gguf", *told_to, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "model.gguf: converting 2 tensors of type Q5_1" in done.stderr


@pytest.mark.toolchain
@pytest.mark.slow
def test_bench(tmp_path: Path) -> None:
    more = ("--speculate", "2", "--json", "out.json", "--plot", "out.svg")
    done = hipport("bench", *TINY, "--tokens", "4", "--repeat", "1", "--batch", "10", *more, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["decode_rate"] == pytest.approx(4 / found["decode_seconds"])
    assert found["fraction"] == pytest.approx(found["decode_rate"] * found["token_bytes"] / found["read_bandwidth"])
    assert f"{found['decode_rate']:.1f} tokens/s" in done.stdout
    (batch,) = found["batches"]
    assert batch["rate"] == pytest.approx(10 * 4 / batch["seconds"])
    drafts = found["speculated"]
    assert (drafts["most"], drafts["tokens"], drafts["equal"]) == (2, 4, True)
    assert 0 <= drafts["accepted"] <= drafts["drafted"]
    assert f"{drafts['right_rate']:.1f} tokens/s with the known text as drafts" in done.stdout
    assert f"{batch['rate']:.1f} tokens/s in 10 sequences\n" in done.stdout
    picture = ElementTree.fromstring((tmp_path / "out.svg").read_text())
    assert "one sequence" in {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("generate",), 2, "Give either MODEL"),
        (("generate", ".", "--random-weights", "tiny"), 2, "Give either MODEL"),
        (("generate", "nowhere"), 2, "no such file or folder: nowhere"),
        (("generate", "nowhere.gguf"), 2, "no such file or folder: nowhere.gguf"),
        (("generate", *TINY, "--prompt", ""), 2, "the prompt has no tokens"),
        (("generate", *TINY, "--max-tokens", "600"), 1, "605 tokens exceed the model's limit of 512"),
        (("generate", *TINY, "--top-p", "2"), 2, "--top-p"),
        (("generate", *TINY, "--compiler", "nowhere++"), 1, "no nowhere++ found"),
        (("bench", *TINY, "--tokens", "0"), 2, "--tokens"),
        (("bench", *TINY, "--plot", "nowhere/out.svg"), 1, "cannot write nowhere/out.svg: nowhere is not a folder"),
        (("bench", "model.gguf", "--compare", "transformers"), 1, "model.gguf is not a folder"),
        (("kernels", "--json", "nowhere/out.json"), 1, "cannot write nowhere/out.json: nowhere is not a folder"),
    ],
)
def test_wrong_use(arguments: tuple[str, ...], status: int, said: str, tmp_path: Path) -> None:
    done = hipport(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (status, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_terminals_are_not_steered_by_models() -> None:
    assert harmless("a\x1b[2J\x07\x9b1m\r\n\tü") == "a\ufffd[2J\ufffd\ufffd1m\ufffd\n\tü"


def test_without_pytorch_nothing_is_measured(tmp_path: Path) -> None:
    start = "import sys; sys.modules['torch'] = None; from hipport.cli import main; main()"
    command = [sys.executable, "-c", start, "llm", "bench", *TINY, "--compare", "torch"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("hipport: error: PyTorch is not installed")


def test_a_missing_package_is_named(tmp_path: Path) -> None:
    start = "import sys; sys.modules['safetensors'] = None; from hipport.cli import main; main()"
    command = [sys.executable, "-c", start, "llm", "generate", "model"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "safetensors" in done.stderr
    assert "pip install 'hipport[llm]'" in done.stderr
