"""Facts that a file tells the other files of its tree, and its questions to them.

Passes that few files need are only imported for files that have their words.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from hipport import lazy_re as re
from hipport.files.facts import OF_WAVEFRONTS, Fact, Kind, question
from hipport.source import Edit
from hipport.translate.dataflow.called_names import called_names, includes_own, launches_half_blocks
from hipport.translate.dataflow.constants import lane_constants
from hipport.translate.hazards import kernel_names, object_types
from hipport.translate.hazards.words import WORDS
from hipport.translate.inclusion import RUNTIME, facts
from hipport.translate.passes import brought_along, host_calls, merged_overloads, own_warp_size, redeclared_sides
from hipport.translate.passes.runtime_include import HIP_RUNTIME, brings_runtime
from hipport.translate.passes.version_tests import asked_macros
from hipport.translate.passes.words_of import WORDS as PASSES
from hipport.translate.syntax.includes import OF_COMPLEX, OF_ROCPRIM, includes
from hipport.translate.syntax.lexer import DirectiveKind
from hipport.translate.syntax.usage import defined_kind
from hipport.translate.work import Work


def told(work: Work, edits: Sequence[Edit] = ()) -> frozenset[str]:
    """Return the facts that a file tells, apart from choices between branches; `edits` are those of its translation."""
    found = itertools.chain.from_iterable([tell(work) for tell in _TELLING])
    return frozenset((*work.references.exported, *facts(work.unit, work.context.tables, edits), *found))


def asked(work: Work) -> frozenset[str]:
    """Return the questions of a file, apart from those about choices between branches."""
    found = itertools.chain.from_iterable([ask(work) for ask in _ASKING])
    return frozenset((*work.references.used, *work.asked, *asked_macros(work.unit), *called_names(work.unit), *found))


def _lanes(work: Work) -> Iterator[str]:
    """Yield what files that include this one need to know about its lanes."""
    yield from lane_constants(work.unit)
    yield from work.conventions.facts()


def _handed(work: Work) -> Iterator[str]:
    """Yield the CUDA names that the file defines by `#define` in front of an include."""
    files = [(include.directive.span.start, include.operand) for include in includes(work.unit)]
    macros = [line for line in work.unit.directives if line.kind is DirectiveKind.DEFINE]
    own = [line for line in macros if line.name in work.references.exported]
    for line in own:
        yield from (str(Fact(Kind.HANDED, line.name, operand)) for at, operand in files if line.span.start < at)


def _asks_for_runtime(work: Work) -> Iterator[str]:
    """Yield the runtime's header if another file of the project may include it for this one."""
    if any(include.quoted for include in includes(work.unit)):
        yield RUNTIME


def _runtime(work: Work) -> Iterator[str]:
    """Yield what files that include this one need to know if it includes HIP's runtime in its own place."""
    if work.sides.switched and brings_runtime(work):
        yield HIP_RUNTIME


_MAY_DEFINE = re.compile(
    r"#[ \t]*define[ \t]+\w+[ \t]+__(?:host|device)__"
    r"|__host__\s+__device__|__device__\s+__host__|(?:\b|_)(?:HD|HOST_?DEV|DEVICE_?HOST|BOTH|[A-Z]+_CALLABLE)|_(?:both|hd)\b"
    r"|_DEV(?:ICE)?(?:_(?:FORCE_?)?INLINE)?\b"
    r"|(?:__device__|__host__|\b[A-Z_][A-Z0-9_]+)\s[^;{}()]{0,200}?::"
    r"\s*(?:~?[\w ]+|operator\s*(?:\(\s*\)|[^\w\s(;]{1,3}))\s*\("
)
"""Matches in files with macros for sides, functions behind them or for both, or members outside of their classes."""
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh")


def _defined_sides(work: Work) -> Iterator[str]:
    """Yield the sides of functions that the file defines, which a header may declare without."""
    if _MAY_DEFINE.search(work.unit.code):
        from hipport.translate.passes import later_sides  # files with plain kernels do not need it

        yield from later_sides.facts(work)


def _asked_about_sides(work: Work) -> Iterator[str]:
    """Yield the functions that the file declares without sides."""
    if work.unit.source.name.endswith(_HEADERS) or includes_own(work.unit):
        from hipport.translate.passes import later_sides, later_specializations

        yield from later_sides.asked(work)
        yield from later_specializations.asked(work)


def _detecting(work: Work) -> Iterator[str]:
    """Yield the templates that ask what their arguments can do."""
    if not work.unit.words.isdisjoint({"declval", "requires", "decltype"}):
        from hipport.translate.hazards import vector_detection  # few files need it

        yield from vector_detection.facts(work)


def _lacking(work: Work) -> Iterator[str]:
    """Yield which containers of the C++ library the file names, and which its headers bring."""
    if not work.unit.is_header:
        return
    if "std" in work.unit.words or any(not line.quoted for line in includes(work.unit)):
        from hipport.translate.passes import lacking_headers

        yield from lacking_headers.facts(work)


def _asked_about_lacking(work: Work) -> Iterator[str]:
    """Yield what a unit asks the files that it includes about containers."""
    if not work.unit.is_header and any(line.quoted for line in includes(work.unit)):
        from hipport.translate.passes import lacking_headers

        yield from lacking_headers.asked(work)


def _pasted(work: Work) -> Iterator[str]:
    """Yield the project's names that macros make of CUDA's."""
    if "##" in work.unit.code:
        from hipport.translate.passes import pasted_own  # few files need it

        yield from pasted_own.facts(work)


def _asked_about_pasted(work: Work) -> Iterator[str]:
    """Yield words that have a name of CUDA in them, `my_cudaFree`, which a macro of another file may make."""
    known = work.context.tables.names
    words = (word for word in work.unit.words if "cu" in word or "CU" in word)
    if any(word not in known and _INSIDE.search(word) for word in words):
        from hipport.translate.passes import pasted_own

        yield from pasted_own.asked(work)


_INSIDE = re.compile(
    r"\w(?:cuda|cu(?:blas|fft|rand|sparse|solver|dnn)?[A-Z]|CUDA?_)|\Acu(?:da|blas|fft|rand|sparse|solver|dnn)?[A-Z]\w*_"
)


def _declared_templates(work: Work) -> Iterator[str]:
    """Yield the function templates that the file declares without `static`, and class templates and types."""
    if "template" in work.unit.words:
        from hipport.translate.passes import dependent_values, instantiation_scopes, redeclared_static

        yield from dependent_values.facts(work)
        yield from redeclared_static.facts(work)
        yield from instantiation_scopes.facts(work)


def _asked_about_templates(work: Work) -> Iterator[str]:
    """Yield the templates that the file defines or instantiates and that a header may declare."""
    if "template" in work.unit.words:
        from hipport.translate.passes import dependent_values, instantiation_scopes, late_templates, redeclared_static

        yield from dependent_values.asked(work)
        yield from instantiation_scopes.asked(work)
        yield from redeclared_static.asked(work)
        yield from late_templates.asked(work)


_DEFAULT_CONSTRUCTOR = re.compile(r"\(\s*\)\s*(?:noexcept\s*)?:(?!:)")
_DEFAULTS = re.compile(r"=[^=;{}]*\)\s*(?:noexcept\s*)?:(?!:)")
_DEVICE_CONSTRUCTOR = re.compile(r"\b__device__\s+(?:constexpr\s+)?\w+\s*\((?:\s*|[^;{}]*=[^;{}]*)\)\s*[{;]")


def _has_default_constructor(code: str) -> bool:
    """Return whether a file may have a default constructor that initializes; most have none."""
    if _DEVICE_CONSTRUCTOR.search(code) is not None or _DEFAULTS.search(code) is not None:
        return True
    return any(
        code[: match.start()].rstrip()[-1:].replace("_", "a").isalnum() for match in _DEFAULT_CONSTRUCTOR.finditer(code)
    )


_MEMBER_VALUE = re.compile(
    r"[{};:]\s*(?:[A-Za-z_][\w:]*(?:<[^;(){}]{0,80}>)?[ \t*&]+){1,4}[A-Za-z_]\w*[ \t]*(?:=[^;(){}\n]*|\{[^{};\n]*\});"
)
"""Matches what may be a member with an initializer."""


def _initializing(work: Work) -> Iterator[str]:
    """Yield the classes whose default constructor initializes, in files with device code and in headers."""
    words, code = work.unit.words, work.unit.code
    in_header = work.unit.is_header and not words.isdisjoint({"struct", "class"})
    if (in_header and _MEMBER_VALUE.search(code)) or ("__device__" in words and _has_default_constructor(code)):
        from hipport.translate.passes import shared_constructors  # few files need it

        yield from shared_constructors.facts(work)


_ALIASES = {
    "using": re.compile(r"\busing\s+\w+\s*="),
    "typedef": re.compile(r"\btypedef\b"),
    "define": re.compile(r"#[ \t]*define[ \t]+\w+[ \t]+(?:[\w:]+<|(?:static[ \t]+)?__shared__)"),
}
_OF_HOSTS = (".c", ".cc", ".cpp", ".cxx")


def _named_types(work: Work) -> Iterator[str]:
    """Yield the aliases of types that a header defines."""
    code, words = work.unit.code, work.unit.words
    if not work.unit.is_header:
        return
    if any((word in words or word == "define") and pattern.search(code) for word, pattern in _ALIASES.items()):
        from hipport.translate.passes import shared_constructors

        yield from shared_constructors.alias_facts(work)


def _numbered(work: Work) -> Iterator[str]:
    """Yield what a header says about enumerations whose numbers differ in HIP."""
    unit = work.unit
    if not unit.words.isdisjoint(PASSES["enum_numbers"][0]) and unit.is_header:
        from hipport.translate.passes import enum_facts  # few files need it

        yield from enum_facts.facts(unit, work.references.exported)


def _device_functions(work: Work) -> Iterator[str]:
    """Yield the functions of a header that are for devices alone."""
    if "__device__" in work.unit.words and work.unit.is_header:
        from hipport.translate.passes import unevaluated_calls  # files without device code do not need it

        yield from unevaluated_calls.facts(work)


_MAY_HIDE = re.compile(r"#[ \t]*define[ \t]+(?:COMPLETE|EMPTY|INVALID|PARTIAL|imag|[pqz]|real|ret|sqabs)\b")


def _hiding_macros(work: Work) -> Iterator[str]:
    """Yield the macros that are called like something in headers of HIP's libraries."""
    if _MAY_HIDE.search(work.unit.code):
        from hipport.translate.passes import library_macros  # few files need it

        yield from library_macros.facts(work)


def _asked_about_macros(work: Work) -> Iterator[str]:
    """Yield the questions of a file that includes CUB, Thrust, or libraries with complex numbers."""
    if any(each.operand.startswith((*OF_ROCPRIM, *OF_COMPLEX)) for each in includes(work.unit)):
        from hipport.translate.passes import library_macros

        yield from library_macros.asked(work)


_UNEVALUATED = re.compile(r"\b(?:decltype|noexcept|sizeof)\s*\([^;{}()]*\(")


def _asked_about_device_functions(work: Work) -> Iterator[str]:
    """Yield the functions that a file names in operands that are not evaluated."""
    if not work.unit.words.isdisjoint(PASSES["unevaluated_calls"][0]) and _UNEVALUATED.search(work.unit.code):
        from hipport.translate.passes import unevaluated_calls  # few files need it

        yield from unevaluated_calls.asked(work)


def _asked_about_headers(work: Work) -> Iterator[str]:
    """Yield whether headers declare what HIP numbers otherwise or give CUDA's names others: few do, so all is asked."""
    if includes_own(work.unit):
        yield question(Kind.NUMBERED, "")
        yield question(Kind.SAYS, "")
        yield from merged_overloads.asked(work)


_OPENINGS = {
    "using": re.compile(r"\busing\s+(?:namespace\s+(?!(?:::\s*)?std\s*;)|[\w:]+::\s*\w+\s*;)"),
    "inline": re.compile(r"\binline\s+namespace\b"),
    "namespace": re.compile(r"\bnamespace\s+\w+\s*="),
    "class": re.compile(r"\bclass\s+\w+\s*(?:final\s*)?:(?!:)"),
    "struct": re.compile(r"\bstruct\s+\w+\s*(?:final\s*)?:(?!:)"),
}
"""Patterns by their first word: those that begin with an alternative take many times as long."""


_RENAMING = frozenset({"using", "namespace", "typedef"})
_DEVICE_POINTERS = frozenset({"CUdeviceptr", "CUdeviceptr_v1", "CUdeviceptr_v2"})
_RENAMED = _DEVICE_POINTERS | frozenset(
    {
        *("cooperative_groups", "cub", "cuda", "cudnn_frontend", "nvcuda", "thrust"),
        *("__half2", "coalesced_group", "half2", "thread_block_tile"),
    }
)
"""Namespaces and types whose other names matter to passes and checks."""
_TOLD_OF = _RENAMED | merged_overloads.TYPES


def _other_names(work: Work) -> Iterator[str]:
    """Yield the declarations of a header that give other names to CUDA's, or are for types that fall together."""
    unit = work.unit
    if unit.words.isdisjoint(_TOLD_OF) or not unit.is_header:
        return
    if not unit.words.isdisjoint(_DEVICE_POINTERS):
        from hipport.translate.passes import device_pointers

        yield from device_pointers.facts(work)
    if not unit.words.isdisjoint(merged_overloads.TYPES):
        yield from merged_overloads.facts(work)
    if not unit.words.isdisjoint(_RENAMING) and not unit.words.isdisjoint(_RENAMED):
        from hipport.translate.syntax.visible_names import name_facts  # few files need it

        yield from name_facts(unit, work.context.tables.namespaces, _RENAMED)


def _opened(work: Work) -> Iterator[str]:
    """Yield in which scopes the names of others are visible."""
    unit = work.unit
    if unit.source.name.endswith(_OF_HOSTS):
        return
    if any(word in unit.words and pattern.search(unit.code) for word, pattern in _OPENINGS.items()):
        from hipport.translate.syntax.openings import opening_facts

        yield from opening_facts(unit, work.context.tables.active)


def _querying(work: Work) -> Iterator[str]:
    """Yield the templates that ask whether their arguments can be called."""
    if not work.unit.words.isdisjoint(PASSES["queried_lambdas"][0]):
        from hipport.translate.passes import queried_lambdas  # few files need it

        yield from queried_lambdas.facts(work)


def _asked_about_queries(work: Work) -> Iterator[str]:
    """Yield what a file with device lambdas or functors uses."""
    words, code = work.unit.words, work.unit.code
    is_functor = "operator" in words and _DEVICE_OPERATOR.search(code) is not None
    if "__device__" in words and (is_functor or _DEVICE_LAMBDA.search(code)):
        from hipport.translate.passes import queried_lambdas

        yield from queried_lambdas.asked(work)


_DEVICE_LAMBDA = re.compile(r"\]\s*__device__\b")
_DEVICE_OPERATOR = re.compile(r"\b__device__\s[^;{}]*?\boperator\s*\(\s*\)")


def _like_std(work: Work) -> Iterator[str]:
    """Yield what a header defines that is called like something in namespace std, and whether it has a directive."""
    words = work.unit.words
    if not work.unit.is_header:
        return
    if ("using" in words and "std" in words) or not words.isdisjoint(PASSES["std_names"][2]):
        from hipport.translate.passes import std_names  # few files need it

        yield from std_names.facts(work)


def _asked_about_std(work: Work) -> Iterator[str]:
    """Yield names of namespace std that a header may define, and whether it has a directive for those of the file."""
    names = work.unit.words.intersection(PASSES["std_names"][2])
    yield from (question(Kind.STD_NAME, name) for name in names)
    code = work.unit.code
    if any(defined_kind(code, start, start + len(name)) for name, start in work.unit.occurrences(names)):
        from hipport.translate.passes import std_names

        yield from std_names.asked(work)


def _asked_about_shared(work: Work) -> Iterator[str]:
    """Yield the types of shared variables."""
    if not work.unit.words.isdisjoint(PASSES["shared_constructors"][0]):
        from hipport.translate.passes import shared_constructors

        yield from shared_constructors.asked(work)


def _of_launched(work: Work) -> Iterator[str]:
    """Yield what launches in other files need to know about the kernels of the file."""
    if work.unit.launches and work.unit.is_header:
        from hipport.translate.hazards import static_launches

        yield from static_launches.facts(work)
    if work.unit.shadow.device_words and "warpSize" in work.unit.words:
        from hipport.translate.hazards import half_blocks

        yield from half_blocks.facts(work)


def _asked_about_launched(work: Work) -> Iterator[str]:
    """Yield the questions of a file about the kernels that it launches, and about what may launch as it begins."""
    unit = work.unit
    if not includes_own(unit):
        return
    if unit.source.name.endswith(".cu"):
        from hipport.translate.hazards import static_launches

        yield from static_launches.asked(unit)
    if not unit.launches:
        return
    if launches_half_blocks(unit):
        yield OF_WAVEFRONTS
    if not unit.words.isdisjoint(WORDS["launch_by_device"]):
        from hipport.translate.hazards import launch_by_device

        yield from launch_by_device.asked(work)


def _asked_about_vectors(work: Work) -> Iterator[str]:
    """Yield the templates that get a vector type."""
    if not work.unit.words.isdisjoint(WORDS["vector_detection"]):
        from hipport.translate.hazards import vector_detection

        yield from vector_detection.asked(work)


_TELLING = (
    *(_lanes, _handed, _runtime, kernel_names.facts, object_types.facts, _detecting, _initializing, _named_types),
    *(
        _opened,
        _other_names,
        _querying,
        _like_std,
        _numbered,
        redeclared_sides.facts,
        _defined_sides,
        _declared_templates,
        own_warp_size.facts,
    ),
    *(host_calls.facts, _lacking, brought_along.facts, _pasted, _device_functions, _hiding_macros, _of_launched),
)
_ASKING = (
    *(_asks_for_runtime, kernel_names.asked, object_types.asked, _asked_about_shared, _asked_about_queries),
    *(
        _asked_about_std,
        _asked_about_vectors,
        _asked_about_headers,
        redeclared_sides.asked,
        _asked_about_sides,
        _asked_about_templates,
    ),
    *(host_calls.asked, _asked_about_lacking, brought_along.asked, _asked_about_pasted),
    *(_asked_about_device_functions, _asked_about_macros, _asked_about_launched),
)
