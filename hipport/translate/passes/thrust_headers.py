"""Headers of Thrust that others of its headers include with CUDA, but not in rocThrust."""

from __future__ import annotations

from hipport import lazy_re as re
from hipport.files.facts import Kind
from hipport.files.inclusion import fact
from hipport.translate.syntax.includes import Include, includes
from hipport.translate.work import Work

_SETS = "set_difference set_intersection set_symmetric_difference set_union"
_NAMES = {
    "adjacent_difference": "adjacent_difference",
    "binary_search": "binary_search equal_range lower_bound upper_bound",
    "complex": "complex",
    "count": "count count_if",
    "device_delete": "device_delete",
    "device_free": "device_free",
    "device_malloc": "device_malloc",
    "device_new": "device_new",
    "execution_policy": "device host",
    "gather": "gather gather_if",
    "host_vector": "host_vector",
    "inner_product": "inner_product",
    "iterator/constant_iterator": "constant_iterator make_constant_iterator",
    "iterator/discard_iterator": "discard_iterator make_discard_iterator",
    "iterator/transform_output_iterator": "make_transform_output_iterator transform_output_iterator",
    "logical": "all_of any_of none_of",
    "partition": "is_partitioned partition partition_copy partition_point stable_partition stable_partition_copy",
    "random": "default_random_engine minstd_rand minstd_rand0 normal_distribution ranlux24 ranlux48 taus88 "
    "uniform_int_distribution uniform_real_distribution",
    "remove": "remove remove_copy remove_copy_if remove_if",
    "sequence": "sequence",
    "set_operations": f"{_SETS} {_SETS.replace(' ', '_by_key ')}_by_key",
    "shuffle": "shuffle shuffle_copy",
    "sort": "is_sorted is_sorted_until sort sort_by_key stable_sort stable_sort_by_key",
    "tabulate": "tabulate",
    "transform_scan": "transform_exclusive_scan transform_inclusive_scan",
    "uninitialized_copy": "uninitialized_copy uninitialized_copy_n",
    "unique": "unique unique_by_key unique_by_key_copy unique_copy unique_count",
    "universal_vector": "universal_vector",
    "zip_function": "make_zip_function zip_function",
}
"""The names that each header declares, for headers that hardly any other header of rocThrust includes."""
_INCLUDED_BY = {
    "count": {"partition", "unique"},
    "execution_policy": {"merge", "partition", "set_operations", "sort"},
    "iterator/constant_iterator": {"set_operations"},
    "iterator/discard_iterator": {"shuffle"},
    "iterator/transform_output_iterator": {"shuffle"},
    "random": {"shuffle"},
    "remove": {"partition"},
    "sort": {"partition"},
    "tabulate": {"sequence"},
}
_NEVER_ASKED_FOR = frozenset({"device_delete", "device_free", "device_malloc", "device_new"})
"""Headers that sources for CUDA do not include: <thrust/device_vector.h> brings them there."""
_UNITS = (".cu", ".cpp", ".cc", ".cxx")
_HEADER = {name: header for header, names in _NAMES.items() for name in names.split()}
_USE = re.compile(r"thrust(?<!\wthrust)\s*::\s*(?P<name>\w+)")


def needed(work: Work) -> dict[str, int]:
    """Return the headers that the file uses but does not include, with the first use of each.

    A header that includes those of its project, and none of Thrust, relies on them for what CUDA's do not bring along.
    """
    if "thrust" not in work.unit.words:
        return {}
    lines = tuple(includes(work.unit))
    present = {
        include.operand.removeprefix("thrust/").removesuffix(".h")
        for include in lines
        if include.operand.startswith("thrust/")
    }
    is_unit = work.unit.source.name.endswith(_UNITS)
    relies = not is_unit and present <= _NEVER_ASKED_FOR and any(_is_own(work, include) for include in lines)
    found: dict[str, int] = {}
    for use in _USE.finditer(work.unit.code):
        header = _HEADER.get(use["name"])
        if relies and header not in _NEVER_ASKED_FOR:
            continue
        if header is not None and header not in present and not _INCLUDED_BY.get(header, set()) & present:
            found.setdefault(f"thrust/{header}.h", use.start())
    return found


def _is_own(work: Work, include: Include) -> bool:
    """Return whether an included file is the project's: CUDA's are included by names in quotation marks, too."""
    own = work.is_told(fact(Kind.OWN, include.operand))
    return include.quoted and (own or include.operand not in work.context.tables.headers)
