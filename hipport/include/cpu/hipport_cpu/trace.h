// SPDX-License-Identifier: MIT
// Records launches of a traced program; see ../../trace/recorder.h.
#pragma once

#include "grid.h"
#include "kernel_symbols.h"
#include "trace_memory.h"

#include <tuple>
#include <typeinfo>

namespace hipport::cpu {

template <typename T>
trace::Argument trace_argument(const T& value) {
  trace::Argument argument{demangled(typeid(T).name()), std::is_pointer_v<T>, &value, sizeof(T)};
  if constexpr (std::is_pointer_v<T>) std::memcpy(&argument.value, &value, sizeof(T));
  // Structures are not compared: padding and pointers inside them may differ between two runs.
  if constexpr (!std::is_arithmetic_v<T>) argument.size = 0;
  return argument;
}

// Return the kernel's name from the symbol table if its address is known, otherwise as written in the launch.
template <typename Kernel>
std::string traced_name(Kernel kernel, const char* written) {
  std::string name;
  if constexpr (std::is_pointer_v<Kernel>) {
    std::vector<SymbolTable> tables;
    dl_iterate_phdr(&read_object, &tables);
    name = function_name(tables, reinterpret_cast<const void*>(kernel));
  }
  return name.empty() ? written : name;
}

// Run a launch with the kernel and arguments of `call`; record it if tracing is on.
template <typename C, typename Run>
void run_traced(const Geometry& geometry, const C& call, const char* written, Run run) {
  trace::Recorder* const trace = recorder();
  if (trace == nullptr) return run();
  const dim3 &grid = geometry.grid, &block = geometry.block;
  trace::Kernel kernel{traced_name(call.kernel, written),
                       {grid.x, grid.y, grid.z},
                       {block.x, block.y, block.z},
                       geometry.shared_bytes,
                       {}};
  std::apply([&](const auto&... each) { kernel.arguments = {trace_argument(each)...}; }, call.arguments);
  trace->around(kernel, run);
}

}  // namespace hipport::cpu
