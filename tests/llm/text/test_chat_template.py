"""Chat templates as models ship them."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from hipport.errors import HipportError
from hipport.llm.sources.text import read_template, read_template_file
from hipport.llm.text import template_process
from hipport.llm.text.chat_template import compile_template, needed

TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi <you>"},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "Why?"},
]
MARKED = """
{%- for message in messages %}
    {% if message['role'] not in ['system', 'user', 'assistant'] %}
        {{ raise_exception('unknown role ' + message['role']) }}
    {% endif %}
    {{- '<|' + message.role + '|>' + message.content | trim + eos_token -}}
{% endfor %}
{% if add_generation_prompt %}
    {{- '<|assistant|>' -}}
{% endif %}
"""


def folder(path: Path, **config: Any) -> Path:
    path.mkdir(exist_ok=True)
    (path / "tokenizer_config.json").write_text(json.dumps(config))
    return path


def rendered(path: Path) -> str:
    return needed(read_template(path), "model").render(TALK)


def test_a_template_of_tokenizer_config(tmp_path: Path) -> None:
    eos = {"__type": "AddedToken", "content": "</s>", "special": True}
    expected = "<|system|>Be brief.</s><|user|>Hi <you></s><|assistant|>Hello.</s><|user|>Why?</s><|assistant|>"
    assert rendered(folder(tmp_path, chat_template=MARKED, eos_token="</s>")) == expected
    assert rendered(folder(tmp_path, chat_template=MARKED, eos_token=eos)) == expected


def test_the_default_of_several(tmp_path: Path) -> None:
    several = [{"name": "tool_use", "template": "tools"}, {"name": "default", "template": "{{ messages | length }}"}]
    assert rendered(folder(tmp_path, chat_template=several)) == "4"
    assert read_template(folder(tmp_path, chat_template=several[:1])) is None


def test_a_file_comes_before_tokenizer_config(tmp_path: Path) -> None:
    folder(tmp_path, chat_template="old", bos_token="<s>")
    (tmp_path / "chat_template.jinja").write_text("{{ bos_token }}new")
    assert rendered(tmp_path) == "<s>new"
    (tmp_path / "other").write_text("other{{ bos_token }}")
    assert read_template_file(tmp_path / "other", tmp_path).render(TALK) == "other<s>"
    assert read_template_file(tmp_path / "other").render(TALK) == "other"


@pytest.mark.parametrize("config", [{}, {"chat_template": None}, {"chat_template": 5}, {"chat_template": []}])
def test_no_template(config: dict[str, Any], tmp_path: Path) -> None:
    assert read_template(folder(tmp_path, **config)) is None
    assert read_template(tmp_path / "nowhere") is None
    with pytest.raises(HipportError, match="model has no chat template") as caught:
        needed(None, "model")
    assert "--chat-template" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{% for m in messages %}\n  {% if loop.first %}\na\n  {% endif %}\n{% endfor %}b", "a\nb"),
        ("{{ {'a': '<é>'} | tojson }}", '{"a": "<é>"}'),
        ("{{ {'a': 1} | tojson(indent=1) }}", '{\n "a": 1\n}'),
        ("{{ strftime_now('%Y') }}", str(datetime.now().year)),
        ("{% for m in messages %}{% if loop.index == 2 %}{% break %}{% endif %}x{% endfor %}", "x"),
        ("{{ messages[0].content }}{{ messages[0]['content'] }}", "Be brief.Be brief."),
        ("{{ missing }}{{ missing is defined }}", "False"),
        ("{% if tools is not none or documents %}t{% endif %}{{ add_generation_prompt }}", "True"),
        ("{% generation %}a{% endgeneration %}b", "ab"),
    ],
)
def test_what_templates_use(source: str, text: str) -> None:
    assert compile_template(source).render(TALK) == text


@pytest.mark.parametrize(
    "source",
    [
        "{{ raise_exception('no') }}",
        "{{ messages.append(1) }}",
        "{{ ''.__class__.__mro__ }}",
        "{{ messages.__class__.__base__.__subclasses__() }}",
        "{{ raise_exception.__globals__.x }}",
        "{% for i in range(999999999) %}{% endfor %}",
        "{{ 1 / 0 }}",
        "{{ missing.more }}",
        "{{ 'a' + 1 }}",
        "{{ messages | batch }}",
        "{% include '/etc/passwd' %}",
    ],
)
def test_what_templates_may_not(source: str) -> None:
    with pytest.raises(HipportError, match="the model's chat template rejects these messages"):
        compile_template(source).render(TALK)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("{{ 'a' * 3000000000 }}", "needs too much memory"),
        ("{{ 'a' * (messages | length * 800000000) }}", "needs too much memory"),
        ("{{ '%3000000000d' % messages | length }}", "needs too much memory"),
        ("{% set n = namespace(s='a') %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}", "memory"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "recurses endlessly"),
        (f"{'(' * 3000}1{')' * 3000}".join(("{{", "}}")), "nested too deeply"),
        (f"{'{% for m in messages %}' * 40}{'{% endfor %}' * 40}", "nested too deeply"),
    ],
    ids=["constant", "product", "format", "doubling", "recursion", "brackets", "loops"],
)
def test_time_and_memory_have_limits(source: str, reason: str) -> None:
    with pytest.raises(HipportError, match=reason):
        compile_template(source).render(TALK)


def test_a_template_is_usable_after_an_error() -> None:
    template = compile_template("{% if messages | length > 3 %}{{ 'a' * 3000000000 }}{% endif %}ok")
    for _ in range(2):
        with pytest.raises(HipportError, match="too much memory"):
            template.render(TALK)
        assert template.render(TALK[:1]) == "ok"


@pytest.mark.parametrize(
    "source",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{{ (10 ** 10000000) % 7 }}{{ 9 ** 9 ** 9 }}",
    ],
    ids=["loops", "powers"],
)
def test_a_process_that_takes_too_long_is_stopped_and_started_again(source: str) -> None:
    process = template_process.TemplateProcess(seconds=2)
    assert process.ask({"source": source, "messages": [], "variables": {}})["kind"] == "time"
    assert process.ask({"source": "x", "messages": [], "variables": {}}) == {"text": "x"}


@pytest.mark.parametrize("word", ["break", "continue"])
@pytest.mark.parametrize("around", ["{}", "{{% if messages %}}{}{{% endif %}}", "{{% macro m() %}}{}{{% endmacro %}}"])
def test_leaving_a_loop_outside_of_one(around: str, word: str) -> None:
    with pytest.raises(HipportError, match=f"the chat template is not a valid template: '{word}'.* loop"):
        compile_template(around.format(f"{{% {word} %}}"))
    assert compile_template(f"{{% for m in messages %}}{{% {word} %}}{{% endfor %}}ok").render(TALK) == "ok"


def test_broken_templates(tmp_path: Path) -> None:
    with pytest.raises(HipportError, match=r"tokenizer_config\.json is not a valid template"):
        read_template(folder(tmp_path, chat_template="{% for %}"))
    with pytest.raises(HipportError, match="cannot read"):
        read_template_file(tmp_path / "nowhere")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(HipportError, match="not UTF-8"):
        read_template_file(tmp_path / "binary")
    (tmp_path / "tokenizer_config.json").write_text("[")
    with pytest.raises(HipportError, match="is not valid JSON"):
        read_template(tmp_path)
