"""The public names of `hipport.llm`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tokenizers import Tokenizer, decoders, models

import hipport.llm
from hipport.errors import HipportError
from hipport.llm import Conversation, Sampling, continuation, open_model, read_template, read_text
from tests.llm.models import MODELS, make_weights, write_model


def test_all_names_are_there() -> None:
    for name in hipport.llm.__all__:
        assert getattr(hipport.llm, name).__doc__
    assert set(hipport.llm._MODULES) == set(hipport.llm.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Engin'"):
        hipport.llm.Engin  # noqa: B018


def test_importing_the_package_imports_nothing_heavy() -> None:
    start = "import sys, hipport.llm, hipport.cli.llm.serve, hipport.cli.llm.chat; print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=True).stdout
    assert "'hipport.llm'" in loaded
    for name in ("numpy", "jinja2", "starlette", "uvicorn", "pydantic", "prometheus_client", "tokenizers", "rich"):
        assert f"'{name}'" not in loaded


@pytest.mark.toolchain
@pytest.mark.slow
def test_a_conversation_with_a_model(tmp_path: Path, engine_cache: Path) -> None:
    model = write_model(tmp_path, MODELS["llama3"], make_weights(MODELS["llama3"], 1))
    words = {f"<0x{i:02X}>": i for i in range(256)} | {f"w{i}": i for i in range(256, 500)}
    tokenizer = Tokenizer(models.BPE(words, [], byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.save(str(model / "tokenizer.json"))
    template = "{% for message in messages %}[{{ message.content }}]{% endfor %}"
    with open_model(model, target="cpu") as engine:
        with pytest.raises(HipportError, match="no chat template"):
            Conversation(engine, read_text(model), read_template(model), Sampling())
        (model / "tokenizer_config.json").write_text(json.dumps({"chat_template": template}))
        text = read_text(model)
        conversation = Conversation(engine, text, read_template(model), Sampling())
        first = "".join(conversation.ask("ab", 6))
        second = "".join(conversation.ask("cd", 6))
        prompt = text.tokens(f"[ab][{first}][cd]")
        assert second == "".join(text.pieces(continuation(engine, prompt, 6, Sampling())))
