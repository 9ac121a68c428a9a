"""Add names declared by newer CUDA headers to `mappings/*.yaml`, and mark those that they no longer declare.

    python -m scripts.learn_cuda 12.9=INCLUDE 13.0=INCLUDE ...
    python -m scripts.learn_cuda --library cudnn 9.5.0=INCLUDE 9.12.0=INCLUDE

Without `--library` it handles the libraries that follow CUDA's versions; the others (`versions:` in their tables)
have versions of their own, and need one run each. A name that a release has and the ones before it in the list do not
gets that release as its first, even if the table has a later one of the list. A name that is missing from the last
release and that an earlier one had gets `removed`. Names are added without a counterpart; run `learn_hip` afterwards.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from hipport.mappings.life import format_life, parse_life, release
from scripts import headers, tablefile
from scripts.import_facts import MAPPINGS, names_of_others
from scripts.tablefile import TableFile


@dataclass(frozen=True, slots=True)
class Source:
    """The headers of a library and the spelling of its public names."""

    headers: tuple[str, ...]
    names: re.Pattern[str]

    def is_in(self, folder: Path) -> bool:
        """Return whether a release folder has all the headers, which a comparison requires."""
        return all((folder / name).is_file() for name in self.headers)


@dataclass(frozen=True, slots=True)
class Release:
    """The declarations of one release, and every word in its headers: macros and typedefs refer to older names."""

    version: str
    kinds: headers.Kinds
    words: frozenset[str]


SOURCES = {
    "runtime": Source(
        ("cuda_runtime_api.h", "cuda_runtime.h", "driver_types.h", "texture_types.h", "surface_types.h"),
        re.compile(r"(cuda[A-Z]|make_cuda[A-Z])\w*(?<!_ptsz)(?<!_ptds)\Z"),
    ),
    "driver": Source(
        ("cuda.h", "cudaGL.h"),
        re.compile(r"(cu[A-Z]|CU[a-z]|CU_|CUDA_)\w*(?<!_ptsz)(?<!_ptds)\Z"),
    ),
    "nvrtc": Source(("nvrtc.h",), re.compile(r"(nvrtc|NVRTC_)\w+\Z")),
    "cublas": Source(
        ("cublas_api.h", "cublas_v2.h", "cublasLt.h", "cublasXt.h"), re.compile(r"(cublas[A-Z]|CUBLAS(LT|XT)?_)\w+\Z")
    ),
    "cudnn": Source(
        ("cudnn_graph.h", "cudnn_ops.h", "cudnn_cnn.h", "cudnn_adv.h", "cudnn_backend.h"),
        re.compile(r"(cudnn[A-Z]|CUDNN_)\w+\Z"),
    ),
    "cufft": Source(("cufft.h", "cufftXt.h"), re.compile(r"(cufft|CUFFT_)\w+\Z")),
    "curand": Source(("curand.h",), re.compile(r"(curand[A-Z]|CURAND_)\w+\Z")),
    "cusparse": Source(("cusparse.h",), re.compile(r"(cusparse[A-Z]|CUSPARSE_)\w+\Z")),
    "cusolver": Source(
        ("cusolver_common.h", "cusolverDn.h", "cusolverSp.h", "cusolverRf.h", "cusolverMg.h"),
        re.compile(r"(cusolver[A-Z]|CUSOLVER_)\w+\Z"),
    ),
    "cusparselt": Source(("cusparseLt.h",), re.compile(r"(cusparseLt|CUSPARSELT_)\w+\Z")),
    "cutensor": Source(("cutensor.h", "cutensor/types.h"), re.compile(r"(cutensor[A-Z]|CUTENSOR_)\w+\Z")),
    "cudss": Source(("cudss.h",), re.compile(r"(cudss[A-Z]|CUDSS_)\w+\Z")),
    "nccl": Source(("nccl.h",), re.compile(r"(nccl[A-Z]|NCCL_)\w+\Z")),
    "nvtx": Source(
        tuple(f"nvtx3/{name}.h" for name in ("nvToolsExt", "nvToolsExtCuda", "nvToolsExtCudaRt", "nvToolsExtSync")),
        re.compile(
            r"(nvtx(Domain|Range|Mark|Name|Initialize|Event|String|Sync|Message|Color|Payload|Resource)\w*"
            r"|NVTX_(COLOR|MESSAGE|PAYLOAD|RESOURCE|EVENT)_\w+)(?<!_impl_init_v3)(?<!_fn)(?<!_fakeimpl)\Z"
        ),
    ),
    "nvjpeg": Source(("nvjpeg.h",), re.compile(r"(nvjpeg|NVJPEG_)\w+\Z")),
    "nvml": Source(("nvml.h",), re.compile(r"(nvml|NVML_)\w+\Z")),
    "npp": Source(
        ("nppdefs.h", "nppcore.h", "nppi_support_functions.h", "npps_support_functions.h"),
        re.compile(r"(npp|Npp|NPP_)\w+\Z"),
    ),
    "cupti": Source(
        (
            *("cupti_result.h", "cupti_version.h", "cupti_activity.h", "cupti_callbacks.h", "cupti_events.h"),
            *("cupti_metrics.h", "cupti_pcsampling.h", "cupti_profiler_target.h", "cupti_target.h"),
        ),
        re.compile(r"(cupti[A-Z]|CUpti_|CUPTI_)\w+\Z"),
    ),
}
"""Device functions and CUB are left out: their headers are C++, and declare many names that are not public."""


_INTERNAL = re.compile(r"_DEPRECATED|_CPP_VERSION\Z|API\Z|_H_?\Z|_INCLUDED\Z|\A\w+_ENUM_FORCE|FORCE_INT\Z")
"""Names that headers define for internal use."""


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", nargs="+", metavar="VERSION=INCLUDE")
    parser.add_argument("--library", choices=SOURCES)
    options = parser.parse_args()
    pairs = [pair.partition("=") for pair in options.releases]
    folders = sorted(((version, Path(folder)) for version, _, folder in pairs), key=lambda pair: release(pair[0]))
    for library, source in SOURCES.items():
        releases = [read(source, version, folder) for version, folder in folders if source.is_in(folder)]
        path = MAPPINGS / f"{library}.yaml"
        table = tablefile.load(path) if path.exists() else TableFile(library)
        if releases and (library == options.library if options.library else not table.versions):
            for sentence in learn(table, releases, names_of_others(path)):
                print(f"{path.name}: {sentence}", file=sys.stderr)
            path.write_text(tablefile.dump(table))


def read(source: Source, version: str, folder: Path) -> Release:
    """Read the public names of a library in one release."""
    paths = [folder / name for name in source.headers]
    declared = headers.kinds(paths)
    kinds = {name: kind for name, kind in declared.items() if source.names.match(name) and not _INTERNAL.search(name)}
    words = frozenset(word for path in paths for word in re.findall(r"\w+", path.read_text(errors="replace")))
    return Release(version, kinds, words)


def learn(table: TableFile, releases: list[Release], taken: set[str]) -> Iterator[str]:
    """Update a table; yield the changes as sentences."""
    for number, declared in enumerate(releases):
        for name, kind in declared.kinds.items():
            if table.find(name) is None and name not in taken:
                table.sections.setdefault(kind, {})[name] = {"cuda": declared.version} if number else {}
                yield f"{name}: new" + (f" in {declared.version}" if number else "")
    versions = [declared.version for declared in releases]
    for names in table.sections.values():
        for name, spec in names.items():
            life = parse_life(spec.get("cuda", ""))
            first = next((declared.version for declared in releases if name in declared.kinds), None)
            if life.added in versions[1:] and first in versions[1:] and release(first) < release(life.added):
                life = replace(life, added=first)
                spec["cuda"] = format_life(life)
                yield f"{name}: new in {first}"
            have = [name in declared.words for declared in releases]
            if any(have) and not have[-1] and not life.removed:
                gone = releases[max(number for number, has in enumerate(have) if has) + 1].version
                spec["cuda"] = format_life(replace(life, removed=gone))
                yield f"{name}: removed in {gone}"


if __name__ == "__main__":
    main()
