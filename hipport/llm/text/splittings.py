"""How byte-level tokenizers split texts before they merge, by the names that llama.cpp gives these ways in GGUF files.

The patterns are those of the models' own tokenizers. They are searched by Oniguruma.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Splitting:
    """How a text is split before merging: at the matches of each pattern of `before`, then at those of `pattern`.

    `whole`: a piece that is in the vocabulary is not split further. `begins`: texts begin with the BOS token unless the
    file says otherwise. `composed`: texts are first normalized to NFC.
    """

    pattern: str
    whole: bool = False
    begins: bool = False
    composed: bool = False
    before: tuple[str, ...] = ()


_ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = _ENDINGS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|"
_SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*" + _SPACES
_LLAMA3 = Splitting(_WORDS + r"\p{N}{1,3}" + _REST, whole=True, begins=True)
_CL100K = replace(_LLAMA3, whole=False, begins=False)
_QWEN2 = Splitting(_WORDS + r"\p{N}" + _REST, composed=True)
_GPT2 = Splitting(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
_DIGITS = replace(_GPT2, before=(r"\p{N}",))


def _cased(upper: str, lower: str, ending: str) -> str:
    """Return the pattern of words that begin a new one at a capital letter; `ending` may follow them."""
    before = r"[^\r\n\p{L}\p{N}]?"
    return f"{before}{upper}*{lower}+{ending}|{before}{upper}+{lower}*{ending}|"


_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_SLASHES = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*" + _SPACES
_TEKKEN = Splitting(_cased(_UPPER, _LOWER, "") + r"\p{N}" + _SLASHES, whole=True, begins=True)
_O200K = Splitting(_cased(_UPPER, _LOWER, f"{_ENDINGS}?") + r"\p{N}{1,3}" + _SLASHES)
_NO_HAN = r"&&[^\p{Han}]]"
_KIMI = r"\p{Han}+|" + _cased(_UPPER[:-1] + _NO_HAN, _LOWER[:-1] + _NO_HAN, f"{_ENDINGS}?")


def _letters(ranges: Iterable[str]) -> str:
    """Return what a class of characters has, of ranges in hexadecimal numbers."""
    return "".join("-".join(f"\\x{{{number}}}" for number in each.split("-")) for each in ranges)


_DEEPSEEK_LETTERS = """
41-5A 61-7A B5 C0-D6 D8-F6 F8-1BA 1BC-1BF 1C4-293 295-2AF 370-373 376-377 37B-37D 37F 386 388-38A 38C 38E-3A1 3A3-3F5
3F7-481 48A-52F 531-556 10A0-10C5 13A0-13F5 13F8-13FD 1C90-1CBA 1CBD-1CBF 1D00-1D2B 1D6B-1D77 1D79-1D9A 1E00-1F15
1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57 1F59 1F5B 1F5D 1F5F-1F7D 1F80-1FB4 1FB6-1FBC 1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3
1FD6-1FDB 1FE0-1FEC 1FF2-1FF4 1FF6-1FFC 2102 2107 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D 212F-2134 2139
213C-213F 2145-2149 214E 2183-2184 2C00-2C7B 2C7E-2CE4 2CEB-2CEE 2CF2-2CF3 A640-A66D A680-A69B A722-A76F A771-A787
A78B-A78E AB70-ABBF FB00-FB06 FB13-FB17 FF21-FF3A FF41-FF5A 10400-1044F 104B0-104D3 104D8-104FB 10C80-10CB2 10CC0-10CF2
118A0-118DF 1E900-1E943
"""
"""Letters with a case, of an old release of Unicode and without some."""
_DEEPSEEK_MARKS = "21-2F 3A-7E FF01-FF0F FF1A-FF5E 2018-201F 3000-3002"
_CHINESE_AND_KOREAN = f"[{_letters(['4E00-9FA5', '800-4E00', 'AC00-D7FF'])}]+"
_CHINESE_AND_KANA = f"[{_letters(['4E00-9FA5', '3040-309F', '30A0-30FF'])}]+"
_DEEPSEEK_LLM = (
    r"[\r\n]",
    rf"\s?[{_letters(_DEEPSEEK_LETTERS.split())}]+",
    rf"\s?[{_letters(_DEEPSEEK_MARKS.split())}]+",
    r"\s+$",
    _CHINESE_AND_KOREAN,
)
_DEEPSEEK_CODER = (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _CHINESE_AND_KOREAN)
_DEEPSEEK_V3 = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
_DEEPSEEK_V3 += r"| ?[\p{P}\p{S}]+[\r\n]*" + _SPACES

_ALIKE: Mapping[Splitting, str] = {
    _LLAMA3: "llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2",
    _CL100K: "dbrx smaug-bpe glm4 chatglm-bpe",
    _QWEN2: "qwen2 deepseek-r1-qwen stablelm2 megrez hunyuan kormo grok-2",
    _GPT2: "gpt-2 default phi-2 mpt olmo jais trillion exaone4 gigachat mellum a.x-4.0",
    _DIGITS: "smollm starcoder refact command-r codeshell exaone minerva-7b",
    _TEKKEN: "tekken",
    _O200K: "gpt-4o llama4 minimax-m2",
    Splitting(_KIMI + r"\p{N}{1,3}" + _REST): "kimi-k2",
    Splitting(_WORDS + r"\p{N}| ?[^\s\p{L}\p{N}\r\n]+" + _SPACES): "seed-coder",
    Splitting(_DEEPSEEK_V3, begins=True, before=(r"\p{N}{1,3}", _CHINESE_AND_KANA)): "deepseek-v3 hunyuan-dense",
    Splitting(r"\p{N}", before=_DEEPSEEK_LLM): "deepseek-llm",
    Splitting(r"\p{N}", before=_DEEPSEEK_CODER): "deepseek-coder",
}
SPLITTINGS: Mapping[str, Splitting] = {name: splitting for splitting, names in _ALIKE.items() for name in names.split()}
