// SPDX-License-Identifier: MIT
// Records launches of a traced program; see ../../trace/recorder.h.
#pragma once

#include "grid.h"
#include "kernel_symbols.h"
#include "trace_memory.h"

#include <tuple>
#include <typeinfo>

namespace hipport::cpu {

// An argument of a launch, with the name of its type as the compiler spells it.
struct TracedArgument {
  const char* type;
  bool is_pointer;
  const void* value;  // its address
  size_t size;
};

template <typename T>
TracedArgument traced_argument(const T& value) {
  // Structures are not compared: padding and pointers inside them may differ between two runs.
  return {typeid(T).name(), std::is_pointer_v<T>, &value, std::is_arithmetic_v<T> ? sizeof(T) : 0};
}

// A launch that is recorded: `run(what)` runs it.
struct TracedLaunch {
  Geometry geometry;
  const char* written;  // the kernel as the source names it
  const void* address;  // of the kernel, or null
  const TracedArgument* arguments;
  size_t count;
  void (*run)(const void* what);
  const void* what;
};

// Return the kernel's name from the symbol table if its address is known, otherwise as written in the launch.
inline std::string traced_name(const TracedLaunch& launch) {
  if (launch.address == nullptr) return launch.written;
  std::vector<SymbolTable> tables;
  dl_iterate_phdr(&read_object, &tables);
  const std::string name = function_name(tables, launch.address);
  return name.empty() ? launch.written : name;
}

HIPPORT_RUNTIME void run_recorded(trace::Recorder& trace, const TracedLaunch& launch) {
  const dim3 &grid = launch.geometry.grid, &block = launch.geometry.block;
  trace::Kernel kernel{
      traced_name(launch), {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, launch.geometry.shared_bytes, {}};
  for (size_t i = 0; i < launch.count; ++i) {
    const TracedArgument& from = launch.arguments[i];
    trace::Argument argument{trace::demangled(from.type), from.is_pointer, from.value, from.size};
    if (from.is_pointer) std::memcpy(&argument.value, from.value, sizeof(argument.value));
    kernel.arguments.push_back(argument);
  }
  trace.around(kernel, [&] { launch.run(launch.what); });
}

// Run a launch with the kernel and arguments of `call`; record it if tracing is on.
template <typename C, typename Run>
void run_traced(const Geometry& geometry, const C& call, const char* written, const Run& run) {
  trace::Recorder* const trace = recorder();
  if (trace == nullptr) return run();
  const void* address = nullptr;
  if constexpr (std::is_pointer_v<decltype(call.kernel)>) address = reinterpret_cast<const void*>(call.kernel);
  const auto erased = [](const void* what) { (*static_cast<const Run*>(what))(); };
  std::apply(
      [&](const auto&... each) {
        const TracedArgument arguments[] = {traced_argument(each)..., {}};
        run_recorded(*trace, {geometry, written, address, arguments, sizeof...(each), erased, &run});
      },
      call.arguments);
}

}  // namespace hipport::cpu
