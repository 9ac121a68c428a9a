from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hipport.builds.plan import BuildPlan, StepKind
from hipport.builds.request import Language, OutputKind
from hipport.builds.units import unit_key
from tests.builds.fakes import device_libraries, planner, unit


def kinds(plan: BuildPlan) -> list[str]:
    return [step.kind.value for step in plan.steps]


def test_one_device_step_per_unit_and_target_one_bundle_one_host_and_one_link(tmp_path: Path) -> None:
    plan = planner(device_libraries(tmp_path, "90a", "1100")).plan([unit("a.hip"), unit("b.cpp", Language.CXX)])
    assert kinds(plan) == ["device", "device", "bundle", "host", "host", "link"]
    assert plan.product == plan.steps[-1].output == "out.build/product"
    assert (plan.files, plan.links) == ((), ())


def test_every_step_comes_after_what_it_needs(tmp_path: Path) -> None:
    plan = planner(device_libraries(tmp_path), "gfx90a,gfx11-generic").plan([unit("a.hip"), unit("b.hip")])
    made: set[str] = {path for path, _ in plan.files} | {"a.hip", "b.hip"}
    for step in plan.steps:
        assert set(step.inputs) <= made, step.title
        assert step.output not in made
        made.add(step.output)


def test_the_bundle_names_its_entries_in_the_order_of_its_inputs(tmp_path: Path) -> None:
    plan = planner(device_libraries(tmp_path, "90a", "1100"), "gfx1100,gfx90a:xnack+").plan([unit()])
    bundle = next(step for step in plan.steps if step.kind is StepKind.BUNDLE)
    assert {"-type=o", "-bundle-align=4096"} <= set(bundle.command)
    (targets,) = [a for a in bundle.command if a.startswith("-targets=")]
    host, *code = targets.removeprefix("-targets=").split(",")
    assert host.startswith("host-") and host.endswith("-unknown-linux-gnu")
    assert code == ["hipv4-amdgcn-amd-amdhsa--gfx1100", "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"]
    inputs = [a.removeprefix("-input=") for a in bundle.command if a.startswith("-input=")]
    assert inputs == ["/dev/null", *bundle.inputs]
    assert [step.output for step in plan.steps if step.kind is StepKind.DEVICE] == list(bundle.inputs)


def test_missing_constants_are_assembled_once_into_an_overlay(tmp_path: Path) -> None:
    libraries = device_libraries(tmp_path, "90a")
    plan = planner(libraries, "gfx90a,gfx1100").plan([unit("a.hip"), unit("b.hip")])
    assert kinds(plan)[0] == "assemble" and kinds(plan).count("assemble") == 1
    ((path, text),) = plan.files
    assert path == "out.build/device-libs/oclc_isa_version_1100.ll"
    assert "@__oclc_ISA_version" in text and "constant i32 11000" in text
    assert ("out.build/device-libs/ocml.bc", str(libraries / "ocml.bc")) in plan.links
    for step in (step for step in plan.steps if step.kind is StepKind.DEVICE):
        overlaid = "--rocm-device-lib-path=out.build/device-libs" in step.command
        waits = "out.build/device-libs/oclc_isa_version_1100.bc" in step.inputs
        assert overlaid == waits == ("gfx1100" in step.title)


def test_a_library_older_than_the_processors_clock_is_edited(tmp_path: Path) -> None:
    libraries = device_libraries(tmp_path, "90a")
    (libraries / "ockl.bc").write_bytes(b"BC")
    plan = planner(libraries, "gfx90a,gfx942,gfx1100").plan([unit("a.hip")])
    made = "out.build/device-libs/ockl.bc"
    assert [step.output for step in plan.steps].count(made) == 1
    assert made not in dict(plan.links)
    devices = [step for step in plan.steps if step.kind is StepKind.DEVICE]
    assert [made in step.inputs for step in devices] == ["gfx90a" not in step.title for step in devices]
    (libraries / "oclc_isa_version_1100.bc").write_bytes(b"BC")
    assert made in dict(planner(libraries, "gfx942,gfx1100").plan([unit("a.hip")]).links)


def test_host_only_builds_need_no_device_libraries(tmp_path: Path) -> None:
    plan = planner(device_libraries(tmp_path)).plan([unit("a.cpp", Language.CXX)])
    assert (kinds(plan), plan.files) == (["host", "link"], ())


def test_a_bare_fat_binary_has_no_host_side(tmp_path: Path) -> None:
    plan = planner(device_libraries(tmp_path, "90a", "1100"), kind=OutputKind.FAT_BINARY).plan([unit()])
    assert kinds(plan) == ["device", "device", "bundle"]
    assert plan.product == plan.steps[-1].output


def test_very_many_objects_go_to_the_linker_in_a_file(tmp_path: Path) -> None:
    units = [unit(f"folder/with/a/name/source{n}.cpp", Language.CXX) for n in range(1500)]
    plan = planner(device_libraries(tmp_path)).plan(units)
    link = plan.steps[-1]
    ((path, text),) = plan.files
    assert f"@{path}" in link.command and path in link.inputs
    assert text.splitlines() == [step.output for step in plan.steps[:-1]]
    assert sum(map(len, link.command)) < 1000


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), unique=True, max_size=8))
def test_units_never_share_a_key_and_keys_are_harmless(names: list[str]) -> None:
    keys = [unit_key(name) for name in names]
    assert len(set(keys)) == len(names)
    assert all(key.isascii() and not set(key) & set(" $'\"`\\|&;()<>*?[]#~:/\n") for key in keys)
    assert all(len(key) < 80 for key in keys)
