"""Compare hipport's reading of binaries with the output of LLVM's tools for the same files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from hipport.codeobject import BundleEntry, Kernel, read
from tests.codeobject import llvm
from tests.llvm_releases import HIPCC, NEWER, RELEASES

pytestmark = pytest.mark.toolchain

TARGETS = [
    *((HIPCC, target) for target in ("gfx906", "gfx90a:sramecc-:xnack+", "gfx1030", "gfx1100")),
    *((NEWER, target) for target in ("gfx90a:xnack-", "gfx942", "gfx1201")),
]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("llvm")


@pytest.fixture(scope="session", params=TARGETS, ids=lambda param: f"clang-{param[0]} {param[1]}")
def compiled(request: pytest.FixtureRequest, folder: Path) -> tuple[int, str, Path]:
    version, target = request.param
    return version, target, llvm.code_object(version, folder, target)


@pytest.fixture(scope="session")
def code_objects(folder: Path) -> dict[str, Path]:
    return {target: llvm.code_object(NEWER, folder, target) for target in ("gfx90a:xnack-", "gfx1100")}


def only_entry(path: Path) -> BundleEntry:
    (bundle,) = read(path).bundles
    (entry,) = bundle.entries
    return entry


class TestCodeObjects:
    def test_header_against_readobj(self, compiled: tuple[int, str, Path]) -> None:
        version, target, path = compiled
        header = llvm.run(llvm.tool(version, "llvm-readobj"), "--file-header", path)
        flags = re.findall(r"EF_AMDGPU_(?:MACH_AMDGCN|FEATURE)_(\w+)", header)
        (processor,) = (flag.lower() for flag in flags if flag.startswith("GFX"))
        settings = sorted(flag.split("_") for flag in flags if flag.endswith(("_ON_V4", "_OFF_V4")))
        said = [name.lower() + {"ON": "+", "OFF": "-"}[state] for name, state, _ in settings]
        entry = only_entry(path)
        assert entry.target_id == target == ":".join((processor, *said))
        assert (entry.code_object_version, entry.warnings) == (code_object_version(version), ())

    def test_metadata_against_readelf(self, compiled: tuple[int, str, Path]) -> None:
        version, _, path = compiled
        notes = llvm.run(llvm.tool(version, "llvm-readelf"), "--notes", path)
        document = yaml.safe_load(notes.partition("---\n")[2].partition("\n...")[0])
        assert [as_metadata(kernel) for kernel in only_entry(path).kernels] == list(
            map(comparable, document["amdhsa.kernels"])
        )

    def test_occupancy_against_the_compiler(self, compiled: tuple[int, str, Path], folder: Path) -> None:
        version, target, path = compiled
        said = dict(printed(llvm.assembly(version, folder, target)))
        kernels = only_entry(path).kernels
        assert {kernel.name for kernel in kernels} == set(said)
        for kernel in kernels:
            assert kernel.occupancy is not None
            waves = kernel.occupancy.waves
            if version >= 20 and kernel.occupancy.limited_by == "WG":
                # LLVM 20 and newer say what the best size of a work-group allows, not what the largest one does.
                assert said[kernel.name]["Occupancy"] >= waves, kernel.name
            elif version > 15 or not known_wrong_in_15(kernel, target):
                assert (kernel.name, waves) == (kernel.name, said[kernel.name]["Occupancy"])
            assert kernel.scratch == said[kernel.name]["ScratchSize"]
            assert kernel.vgprs == said[kernel.name].get("TotalNumVgprs", said[kernel.name]["NumVgprs"])

    def test_the_kernels_meet_every_limit(self, code_objects: dict[str, Path], folder: Path) -> None:
        """Otherwise the comparisons above would prove little."""
        paths = [*code_objects.values(), llvm.code_object(NEWER, folder, "gfx906")]
        kernels = [kernel for path in paths for kernel in only_entry(path).kernels]
        found = [kernel.occupancy for kernel in kernels if kernel.occupancy]
        # LLVM 20 and newer use as many registers as LDS leaves waves for, so that both are the limit.
        assert {each.limited_by for each in found} - {"LDS"} == {"", "VGPR", "WG"}
        assert any(each.by_lds == each.waves < min(each.max_waves, each.by_workgroup) for each in found)
        assert any(kernel.dynamic_stack for kernel in kernels)
        assert any(kernel.sgpr_spills for kernel in kernels)
        # LLVM 21 finds registers for these kernels without accumulation registers.
        assert NEWER > 20 or any(kernel.agprs for kernel in kernels)


def code_object_version(release: int) -> int:
    """Return the code object version that a release of clang writes by default."""
    return 4 if release < 18 else 5 if release < 21 else 6


def known_wrong_in_15(kernel: Kernel, target: str) -> bool:
    """LLVM 15 does not divide by the SIMDs of a compute unit, and has too small a register file for gfx1100."""
    assert kernel.occupancy is not None
    by_groups = min(kernel.occupancy.by_workgroup, kernel.occupancy.by_lds)
    return target == "gfx1100" or by_groups < kernel.occupancy.max_waves


def printed(assembly: str) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield kernel names with the numbers in the comments after them."""
    for section in assembly.split(".amdhsa_kernel ")[1:]:
        facts = re.findall(r"^; (Occupancy|ScratchSize|NumVgprs|TotalNumVgprs): (\d+)", section, re.MULTILINE)
        last_of_kernel = dict(facts[: next(i for i, fact in enumerate(facts) if fact[0] == "Occupancy") + 1])
        yield section.split("\n", 1)[0].strip(), {name: int(number) for name, number in last_of_kernel.items()}


FIELDS = {
    ".name": "name",
    ".symbol": "symbol",
    ".vgpr_count": "vgprs",
    ".agpr_count": "agprs",
    ".sgpr_count": "sgprs",
    ".vgpr_spill_count": "vgpr_spills",
    ".sgpr_spill_count": "sgpr_spills",
    ".group_segment_fixed_size": "lds",
    ".private_segment_fixed_size": "scratch",
    ".uses_dynamic_stack": "dynamic_stack",
    ".wavefront_size": "wavefront_size",
    ".max_flat_workgroup_size": "max_workgroup_size",
    ".kernarg_segment_size": "kernarg_size",
}


def comparable(record: Mapping[str, Any]) -> dict[str, Any]:
    return {field: record.get(field, False if field == ".uses_dynamic_stack" else None) for field in FIELDS}


def as_metadata(kernel: Kernel) -> dict[str, Any]:
    return {field: getattr(kernel, name) for field, name in FIELDS.items()}


class TestBundles:
    @pytest.fixture
    def parts(self, code_objects: dict[str, Path]) -> dict[str, Path]:
        devices = {f"hipv4-amdgcn-amd-amdhsa--{target}": path for target, path in code_objects.items()}
        return {"host-x86_64-unknown-linux-gnu": Path("/dev/null"), **devices}

    def bundled(self, version: int, parts: Mapping[str, Path], output: Path, *options: str) -> Path:
        program = llvm.tool(version, "clang-offload-bundler")
        inputs = (f"-input={path}" for path in parts.values())
        llvm.run(program, "-type=o", f"-targets={','.join(parts)}", *inputs, f"-output={output}", *options)
        return output

    def listed(self, version: int, path: Path) -> set[str]:
        return set(llvm.run(llvm.tool(version, "clang-offload-bundler"), "-list", "-type=o", f"-input={path}").split())

    @pytest.mark.parametrize("version", RELEASES)
    @pytest.mark.parametrize("alignment", ["1", "4096"])
    def test_plain(self, version: int, alignment: str, parts: dict[str, Path], tmp_path: Path) -> None:
        path = self.bundled(version, parts, tmp_path / "a.hipfb", f"-bundle-align={alignment}")
        (bundle,) = read(path).bundles
        content = path.read_bytes()
        assert {entry.id for entry in bundle.entries} == self.listed(version, path)
        stored = [content[entry.offset : entry.offset + entry.size] for entry in bundle.entries]
        assert stored == [part.read_bytes() for part in parts.values()]
        assert bundle.size == len(content)

    def test_compressed(self, parts: dict[str, Path], tmp_path: Path) -> None:
        """LLVM 19 writes version 2 with zstd; test_bundles builds the other versions from the specification."""
        plain = read(self.bundled(NEWER, parts, tmp_path / "plain.hipfb", "-bundle-align=4096"))
        path = self.bundled(NEWER, parts, tmp_path / "packed.hipfb", "-bundle-align=4096", "-compress")
        (bundle,) = read(path).bundles
        assert (bundle.format, bundle.version, bundle.compression) == ("compressed", 2, "zstd")
        assert {entry.id for entry in bundle.entries} == self.listed(NEWER, path)
        assert bundle.entries == plain.bundles[0].entries
        assert bundle.uncompressed_size == plain.bundles[0].size


class TestPrograms:
    def entries(self, path: Path) -> list[list[str]]:
        return [[entry.target_id for entry in bundle.entries if entry.size > 1] for bundle in read(path).bundles]

    @pytest.mark.parametrize(
        ("options", "formats"),
        [
            ([["-fPIC"], ["-fPIC"]], ["plain", "plain"]),
            ([["-fPIC", "--offload-compress"], ["-fPIC"]], ["compressed", "plain"]),
        ],
    )
    def test_units_linked_into_one_library(self, options: list[list[str]], formats: list[str], tmp_path: Path) -> None:
        targets = ["gfx90a", "gfx1030"]
        units = []
        for index, flags in enumerate(options):
            source = tmp_path / f"{index}.hip"
            names = r"\b(few_waves|recursive|local_memory|small|registers|registers_in_large_groups)\b"
            source.write_text(re.sub(names, rf"\g<1>_{index}", llvm.SOURCE.read_text()))
            units.append(llvm.clang(NEWER, tmp_path / f"{index}.o", targets, "-c", *flags, source=source))
        library = tmp_path / "lib.so"
        llvm.run(llvm.tool(NEWER, "clang++"), "-shared", "-nostdlib", *units, "-o", library)
        binary = read(library)
        assert binary.kind == "shared library"
        assert [bundle.format for bundle in binary.bundles] == formats
        assert [bundle.section for bundle in binary.bundles] == [".hip_fatbin"] * 2
        assert list(map(set, self.entries(library))) == [set(targets)] * 2
        assert all(len(entry.kernels) == 11 for bundle in binary.bundles for entry in bundle.entries if entry.size > 1)
        archive = tmp_path / "lib.a"
        llvm.run(llvm.tool(NEWER, "llvm-ar"), "rcs", archive, *units)
        assert [bundle.member for bundle in read(archive).bundles] == ["0.o", "1.o"]
        assert self.entries(archive) == self.entries(library)

    @pytest.mark.parametrize("version", RELEASES)
    def test_relocatable_device_code(self, version: int, tmp_path: Path) -> None:
        path = llvm.clang(version, tmp_path / "rdc.o", ["gfx90a", "gfx1030"], "-c", "-fgpu-rdc")
        (bundle,) = read(path).bundles
        listed = llvm.run(llvm.tool(version, "clang-offload-bundler"), "-list", "-type=o", f"-input={path}")
        assert bundle.format == "sections"
        assert {entry.id for entry in bundle.entries} == set(listed.split())
        assert [entry.content for entry in bundle.entries] == ["bitcode", "bitcode", "empty"]

    def test_the_newer_drivers_objects(self, tmp_path: Path) -> None:
        path = llvm.clang(NEWER, tmp_path / "new.o", ["gfx90a", "gfx1030"], "-c", "-fgpu-rdc", "--offload-new-driver")
        listed = llvm.run(llvm.tool(NEWER, "llvm-objdump"), "--offloading", path)
        entries = [entry for bundle in read(path).bundles for entry in bundle.entries]
        assert [entry.target_id for entry in entries] == re.findall(r"^arch\s+(\S+)", listed, re.MULTILINE)
        assert [entry.triple for entry in entries] == re.findall(r"^triple\s+(\S+)", listed, re.MULTILINE)
        assert [entry.kind for entry in entries] == re.findall(r"^producer\s+(\S+)", listed, re.MULTILINE)
        assert [entry.content for entry in entries] == ["bitcode", "bitcode"]
