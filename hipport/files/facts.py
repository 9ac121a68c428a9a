"""Facts that the files of a tree tell each other: their kinds, and the texts that stand for them.

Facts are kept as texts in sets, in the state of an output tree, and between processes. Only this module writes and
reads them. A text is the subject, which is a name or a header, the mark of the kind, and the value:

| text | kind: what the file says |
|---|---|
| `cudaFree` | NAME: it defines this name of CUDA itself |
| `cudaFree@mine` | SCOPED: it does so in a namespace or class |
| `cudaFree@=mine` | BROUGHT: a namespace or class of it brings in CUDA's |
| `mine=opened-in:app` | OPENS: names of the scope are visible in another one, or in the file; see `Opening` |
| `WARP=32` | CONSTANT: an integer that shows how many lanes a warp has, or a size above 64 KiB |
| `CUDART_VERSION#11000=1` | DECISION: it takes the newer branch of tests with this number |
| `NEW#version=platform:1:1:0` | VERSION: a macro says whether CUDA is new enough; see `Derived` |
| `cudaFree<impl.h` | HANDED: it defines the name in front of an `#include` of the file |
| `sum()@` | DECLARED: it declares a device function that another file defines |
| `sum()=32:exchanges:sum:a.cuh:7` | SIGN: how many lanes a function takes a warp for; see `Sign` |
| `sum()>lane()` | CALL: who calls the first function needs to know about the second, too |
| `Vote{:}=class:mask unsigned` | SHAPE: a type, or the parameters of a function |
| `votes{}=ballot` | BALLOT: a function returns the ballot of a wavefront |
| `Tile~=4:8` | DIFFERS: a name means something else in device code; for a macro, both values |
| `get()sides=Box::get,const,int;__device__` | SIDES: it declares a function by its types for these sides |
| `Box()later=Box::get,const,int;__device__` | LATER: it defines a function or a member with these words for sides |
| `f()later=f,,int;APP_DEVICE if-both` | LATER: it does so if the macro stands for both sides |
| `APP_ANY=stands-for:__host__ __device__` | STANDS_FOR: a macro that stands for sides, which its name does not say |
| `Value=typename` | TYPENAME: it says `typename` in front of a member of this name |
| `Box=home:app` | HOME: it declares a class template in this namespace |
| `copy()external=copy,,int` | EXTERNAL: it declares a function template by its types without `static` |
| `hip/hip_runtime.h=included` | INCLUDED: it includes this header in its own place |
| `tex=object:surface` | OBJECT: a variable or member is a surface object, or a texture object |
| `has_plus=detects` | DETECTS: a template asks which operators its arguments have |
| `real=std-name:type` | STD_NAME: a type or variable at file scope is called like something in namespace std |
| `std=directive` | DIRECTIVE: it has `using namespace std` |
| `std=brings:complex` | BRINGS: it includes a header of the C++ library; `much` for one that includes most others |
| `each=queries` | QUERIES: a template asks whether its arguments can be called, or what they return |
| `Zq=initializes` | INITIALIZES: the default constructor of a class does something |
| `cmplx=alias:complex` | ALIAS: a type is called by another name, which asks about that type, too |
| `op=numbered:member.cublasOperation_t.Desc` | NUMBERED: a name for an enumeration that HIP numbers otherwise |
| `my_cudaFree=pasted:my_hipFree` | PASTED: a macro makes the name of one of CUDA, and translated another |
| `APP_D=device-only` | DEVICE_ONLY: a macro that makes functions device functions, and no host functions |
| `cg=says:namespace cg = cooperative_groups;` | SAYS: it gives a name of CUDA another one; `syntax.visible_names` |
| `CUresult=overloads:app;check CUresult;check hipError_t` | OVERLOADS: it defines this |
| `INVALID=hides` | HIDES: a macro is called like something in headers of HIP's libraries |
| `weight()of-device` | OF_DEVICE: a function is for devices alone |
| `WAVE=wave-size` | WAVE_SIZE: a macro that expands to `warpSize` |
| `Pool=launches:constructor` | LAUNCHES: a function, or the constructor of a class, launches kernels |
| `rows()counts` | COUNTS: a device function processes a whole wavefront by `warpSize` |
| `rows()fixed=block` | FIXED: a kernel does not ask for the size of its block, or of its grid |
| `vector=lacks` | LACKS: it names `std::vector`, without a header that brings it |
| `vector=has` | HAS: a header of it brings `std::vector`; `std` for any container; `cublas`, `half` for CUDA's |
| `#in-code list.def` | how it includes a file, and what it needs: see `hipport.files.inclusion` |

A file asks by texts of the same form, without the value: `question`; for what is NUMBERED, STANDS_FOR sides, SAYS
other names without the subject, too.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterable, Iterator

from msgspec import Struct

from hipport import lazy_re as re


class Kind(enum.Enum):
    """The kinds of facts; the value is what stands behind the subject."""

    __hash__ = object.__hash__  # a kind is looked up for every fact, and Enum's own way is a function in Python

    NAME = ""
    SCOPED = "@"
    BROUGHT = "@="
    OPENS = "=opened-in:"
    CONSTANT = "="
    DECISION = "#"
    VERSION = "#version="
    HANDED = "<"
    DECLARED = "()@"
    SIGN = "()="
    CALL = "()>"
    SHAPE = "{:}="
    BALLOT = "{}=ballot"
    DIFFERS = "~="
    SIDES = "()sides="
    LATER = "()later="
    STANDS_FOR = "=stands-for:"
    EXTERNAL = "()external="
    HOME = "=home:"
    TYPENAME = "=typename"
    OF_DEVICE = "()of-device"
    WAVE_SIZE = "=wave-size"
    LAUNCHES = "=launches:"
    COUNTS = "()counts"
    FIXED = "()fixed="
    HIDES = "=hides"
    SAYS = "=says:"
    OVERLOADS = "=overloads:"
    INCLUDED = "=included"
    OBJECT = "=object:"
    DETECTS = "=detects"
    STD_NAME = "=std-name:"
    DIRECTIVE = "=directive"
    BRINGS = "=brings:"
    QUERIES = "=queries"
    INITIALIZES = "=initializes"
    ALIAS = "=alias:"
    DEVICE_ONLY = "=device-only"
    PASTED = "=pasted:"
    NUMBERED = "=numbered:"
    LACKS = "=lacks"
    HAS = "=has"
    IN_CODE = "#in-code"
    WITHOUT_CUDA = "#without-cuda"
    EXPANDS = "#expands"
    NEEDS = "#needs"
    ONCE = "#once"
    ASKS = "#asks"
    OWN = "#own"
    REPLACED = "#replaced"
    COPY = "#copy"
    FINDS = "#finds"
    RESPELLED = "#respelled"
    OF_C = "#of-c"
    FOR_CXX = "#for-cxx"


INCLUSION = frozenset(kind for kind in Kind if kind.value.startswith("#") and kind.value[1:] and "=" not in kind.value)
"""Facts about files, which have no subject."""
FUNCTION = frozenset({Kind.DECLARED, Kind.SIGN, Kind.CALL})
"""Facts about device functions."""
_SUBJECT = re.compile(r"[^@=#<>(){}~\s]*")
_SCOPE = r"[\w$][\w$:]*"
_VALUES = {
    Kind.SCOPED: _SCOPE,
    Kind.BROUGHT: _SCOPE,
    Kind.OPENS: r"\w*(?:\.\w+)?",
    Kind.CONSTANT: r"-?\d+",
    Kind.DECISION: r"\d+=[01]",
    Kind.VERSION: r"\w+:[01]:[01]:[01]",
    Kind.HANDED: r".+",
    Kind.OBJECT: r"texture|surface",
    Kind.ALIAS: r"\w+",
    Kind.HOME: r"(?:\w+(?:::\w+)*)?",
    Kind.PASTED: r"\w+",
    Kind.STD_NAME: r"type|variable",
    Kind.BRINGS: r"\w+",
    Kind.NUMBERED: r"\w+(?:\.\w+){1,2}",
    Kind.SIGN: r".+",
    Kind.CALL: r".+\(\)",
    Kind.SHAPE: r".*",
    Kind.DIFFERS: r"[^:]+:.+",
    Kind.SIDES: r"[^;]*;.+",
    Kind.LATER: r"[^;]*;.+",
    Kind.STANDS_FOR: r"[\w ]+",
    Kind.EXTERNAL: r".+",
    Kind.SAYS: r".+;",
    Kind.FIXED: r"grid|block",
    Kind.OVERLOADS: r"[^;]*;[^;]*;[^;]*",
    Kind.LAUNCHES: r"function|constructor",
    **dict.fromkeys(INCLUSION, r"(?: .+)?"),
}
_PATTERNS = {kind: re.compile(_VALUES.get(kind, ""), re.DOTALL) for kind in Kind}


def _by_beginning() -> dict[str, list[tuple[Kind, str, bool, bool]]]:
    """Return the kinds by the character that their mark begins with, longest first.

    Each with its mark, whether it may have a subject, and whether it may have none.
    """
    found: dict[str, list[tuple[Kind, str, bool, bool]]] = {}
    for kind in sorted(Kind, key=lambda kind: -len(kind.value)):
        row = (kind, kind.value, kind not in INCLUSION, kind in INCLUSION or kind is Kind.SIGN)
        found.setdefault(kind.value[:1], []).append(row)
    return found


_MARKED = _by_beginning()
_DETAILED = frozenset({Kind.DECISION})
"""Kinds about which is asked with the beginning of the value: the number of a decision."""
_WHOLE = frozenset({Kind.NUMBERED, Kind.SAYS, Kind.STANDS_FOR})
"""Kinds about which is asked without a subject, since few files tell any."""


class Fact(Struct, frozen=True):
    """A fact: about what, and what else its kind says."""

    kind: Kind
    subject: str = ""
    value: str = ""

    def __str__(self) -> str:
        blank = " " if self.kind in INCLUSION and self.value else ""
        end = "()" if self.kind is Kind.CALL else ""
        return f"{self.subject}{self.kind.value}{blank}{self.value}{end}"

    @property
    def question(self) -> str:
        """Return the text by which a file asks for the fact; empty if it is told without being asked."""
        if self.kind in INCLUSION or self.kind is Kind.HANDED:
            return ""
        subject = "" if self.kind in _WHOLE else self.subject
        return question(self.kind, subject, self.value.partition("=")[0] if self.kind in _DETAILED else "")

    @property
    def further(self) -> tuple[str, ...]:
        """Return what a file asks, too, that has asked for this fact."""
        if self.kind in _ABOUT_STD:
            return (question(Kind.DIRECTIVE, "std"), question(Kind.BRINGS, "std"))
        subject = self.value.partition(".")[0]
        return tuple(question(kind, subject) for kind in _FURTHER.get(self.kind, ()) if subject)


_ASKED = {
    **dict.fromkeys((*FUNCTION, Kind.COUNTS), "()"),
    Kind.DECISION: "#",
    Kind.VERSION: "#version",
    Kind.SHAPE: "{:}",
    Kind.BALLOT: "{}",
    Kind.DIFFERS: "~",
    Kind.SIDES: "()sides",
    Kind.LATER: "()later",
    Kind.STANDS_FOR: "=stands-for",
    Kind.EXTERNAL: "()external",
    Kind.HOME: "=home",
    Kind.TYPENAME: "=typename",
    Kind.OF_DEVICE: "()of-device",
    Kind.FIXED: "()fixed",
    Kind.LAUNCHES: "=launches",
    Kind.HIDES: "=hides",
    Kind.ALIAS: "=alias",
    Kind.PASTED: "=pasted",
    Kind.OPENS: "=opened",
    Kind.QUERIES: "=queries",
    Kind.STD_NAME: "=std-name",
    Kind.DIRECTIVE: "=directive",
    Kind.BRINGS: "=brings",
    Kind.NUMBERED: "=numbered",
    Kind.SAYS: "=says",
    Kind.OVERLOADS: "=overloads",
    Kind.LACKS: "=lacks",
    Kind.HAS: "=has",
}

_ABOUT_STD = frozenset({Kind.STD_NAME, Kind.DIRECTIVE})
_FURTHER = {
    Kind.CALL: (Kind.CALL,),
    Kind.ALIAS: (Kind.ALIAS, Kind.INITIALIZES),
    Kind.SCOPED: (Kind.OPENS,),
    Kind.OPENS: (Kind.OPENS,),
}
"""Kinds whose value is the subject of further questions."""


def question(kind: Kind, subject: str, detail: object = "") -> str:
    """Return the text by which a file asks for facts of a kind about a subject."""
    return f"{subject}{_ASKED.get(kind, '')}{detail}"


OF_WAVEFRONTS = Kind.COUNTS.value
"""Asked by files whose blocks may have fewer threads than a wavefront, beside the kernels that they launch."""
FOR_A_SIDE = tuple(question(Kind.LATER, side) for side in ("__device__", "__host__"))
"""The ends of questions about definitions for a side, which files ask that define the same function for another."""


@functools.lru_cache(maxsize=1 << 16)
def read(text: str) -> Fact:
    """Return the fact that a text stands for; a text that stands for none is a name, for which nobody asks."""
    if text.isidentifier():
        return Fact(Kind.NAME, text)
    match = _SUBJECT.match(text)
    end = match.end() if match is not None else 0
    for kind, mark, with_subject, without in _MARKED.get(text[end : end + 1], ()):
        if (with_subject if end else without) and text.startswith(mark, end):
            value = text[end + len(mark) :]
            if _PATTERNS[kind].fullmatch(value):
                told = value.removesuffix("()") if kind is Kind.CALL else value
                return Fact(kind, text[:end], told.removeprefix(" ") if kind in INCLUSION else told)
    return Fact(Kind.NAME, text)


def facts_of(texts: Iterable[str], *kinds: Kind) -> Iterator[Fact]:
    """Yield the facts of some kinds."""
    return (fact for fact in map(read, texts) if fact.kind in kinds)


def by_kind(texts: Iterable[str]) -> dict[Kind, frozenset[str]]:
    """Return the facts of each kind that there is."""
    found: dict[Kind, set[str]] = {}
    for text in texts:
        found.setdefault(read(text).kind, set()).add(text)
    return {kind: frozenset(each) for kind, each in found.items()}
