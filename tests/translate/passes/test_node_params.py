"""Parameters of kernel nodes in braces, whose members HIP has in a different order."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

VALUES = {
    "all": "{(void*)step, dim3(1), dim3(2), 0, arguments, nullptr}",
    "five": "{(void*)step, {1, 1, 1}, {2}, 0u, arguments}",
    "numbers": "{(void*)step, 1, 2, 0, arguments}",
}
FORMS = {
    "copied": "cudaKernelNodeParams p = @;",
    "direct": "cudaKernelNodeParams p@;",
    "constant": "const cudaKernelNodeParams p = @;",
    "several": "cudaKernelNodeParams none{}, p@, last = @; p = last;",
    "temporary": "auto p = cudaKernelNodeParams@;",
    "assigned": "cudaKernelNodeParams p; p = @;",
    "typed": "cudaKernelNodeParams p; p = cudaKernelNodeParams@;",
    "array": "cudaKernelNodeParams all[2] = {@, @}; auto p = all[1];",
    "element": "cudaKernelNodeParams all[2]; all[1] = @; auto p = all[1];",
    "vector": "std::vector<cudaKernelNodeParams> all{@, @}; auto p = all[1];",
    "copied vector": "std::vector<cudaKernelNodeParams> all = {@}; auto p = all[0];",
    "pushed": "std::vector<cudaKernelNodeParams> all; all.push_back(@); auto p = all[0];",
    "returned": (
        "struct F { static cudaKernelNodeParams made(void** arguments) { return @; } }; auto p = F::made(arguments);"
    ),
    "given": (
        "struct F { static cudaKernelNodeParams of(int, const cudaKernelNodeParams& q) { return q; } };"
        " auto p = F::of(1, @);"
    ),
    "member": "struct M { cudaKernelNodeParams q; }; M m; m.q = @; auto p = m.q;",
    "new": "auto* made = new cudaKernelNodeParams@; auto p = *made; delete made;",
    "struct": "struct cudaKernelNodeParams p = @;",
}
HEAD = """#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
__global__ void step(int* sum, int by) { atomicAdd(sum, by * (1 + threadIdx.x) * gridDim.x); }
bool is_right(cudaKernelNodeParams p, int* sum) {
  cudaGraph_t graph; cudaGraphExec_t made; cudaGraphNode_t node; *sum = 0;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p);
  cudaGraphInstantiate(&made, graph, 0);
  cudaGraphLaunch(made, 0);
  cudaDeviceSynchronize();
  return *sum == 21;
}
int main() {
  int *sum, by = 7, wrong = 0;
  cudaMallocManaged(&sum, sizeof(int));
  void* arguments[] = {&sum, &by};
"""


def programs() -> str:
    """Return a program that launches a kernel by each form with each kind of values."""
    lines = [
        f'  {{ {form.replace("@", values)} if (!is_right(p, sum)) {{ wrong++; puts("{name}: {kind}"); }} }}\n'
        for name, form in FORMS.items()
        for kind, values in VALUES.items()
    ]
    return f'{HEAD}{"".join(lines)}  printf("%d wrong\\n", wrong);\n}}\n'


def translated(code: str, tables: Tables, name: str = "a.cu") -> tuple[str, list[str]]:
    done = convert_source(code.encode(), name, Context(tables))
    return done.data.decode(), [str(each.severity.value) for each in done.diagnostics if each.code == "HP108"]


@pytest.mark.parametrize("form", FORMS)
def test_each_list_becomes_a_struct_in_cudas_order(form: str, tables: Tables) -> None:
    for values in VALUES.values():
        code = f"void f(void* step, void** arguments) {{ {FORMS[form].replace('@', values)} }}\n"
        data, found = translated(f"#include <cuda_runtime.h>\n{code}", tables)
        assert data.count("hipport::compat::kernel_node_params{") == FORMS[form].count("@"), data
        assert "#include <hipport/compat/kernel_nodes.h>" in data
        assert not found


@pytest.mark.parametrize("form", ["p{}", "p = {}", "p = {0}", "p = {nullptr}"])
def test_empty_lists_are_left(form: str, tables: Tables) -> None:
    data, found = translated(f"#include <cuda_runtime.h>\nvoid f() {{ cudaKernelNodeParams {form}; }}\n", tables)
    assert "hipport" not in data
    assert not found


def test_designators_in_cudas_order_are_kept(tables: Tables) -> None:
    data, _ = translated("cudaKernelNodeParams p = {.func = f, .gridDim = 1, .blockDim = 2};\n", tables)
    assert "hipKernelNodeParams p = hipport::compat::kernel_node_params{.func = f, .gridDim = 1" in data


def test_values_without_braces_of_their_own_are_errors(tables: Tables) -> None:
    code = "cudaKernelNodeParams p[1] = {f, 1, 2, 0, a, nullptr};\n"
    assert translated(code, tables)[1][:1] == ["error"]


def test_c_gets_the_names_of_members(tables: Tables) -> None:
    head = "#include <cuda_runtime.h>\nvoid g(void* f, void** a) {\n"
    code = f"{head}  struct cudaKernelNodeParams p = {{f, {{1, 1, 1}}, {{2, 1, 1}}, 0, a}};\n}}\n"
    data, found = translated(code, tables, "a.c")
    assert "{.func = f, .gridDim = {1, 1, 1}, .blockDim = {2, 1, 1}, .sharedMemBytes = 0, .kernelParams = a}" in data
    assert not found


def test_the_driver_has_its_own_order(tables: Tables) -> None:
    head = "#include <cuda.h>\nvoid g(CUfunction f, void** a) { "
    code = f"{head}CUDA_KERNEL_NODE_PARAMS p = {{f, 1, 1, 1, 2, 1, 1, 0, a}}; }}\n"
    assert "hipport::compat::driver_kernel_node_params{f, 1" in translated(code, tables)[0]


@pytest.mark.slow
def test_nodes_run_on_the_cpu_target(tmp_path: Path) -> None:
    source, built = tmp_path / "program.cu", tmp_path / "program"
    source.write_text(programs())
    made = subprocess.run(
        [sys.executable, "-m", "hipport", "build", str(source), "-o", str(built), "-O", "0", "--target", "cpu"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert made.returncode == 0, made.stderr
    assert subprocess.run([built], capture_output=True, text=True, timeout=60).stdout == "0 wrong\n"
