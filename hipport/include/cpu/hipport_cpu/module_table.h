// SPDX-License-Identifier: MIT
// The table of kernels in a module. A module is a shared library that contains the runtime.
#pragma once

#include "kernel_handle.h"

namespace hipport::cpu {

// Increment when the layout of the types below, or of a launch, changes.
inline constexpr unsigned module_version = 1;

// A kernel of a module, or the entity that a name expression of hipRTC refers to.
struct Exported {
  KernelHandle kernel;
  const char* expression;  // null for kernels that are found by their symbol
  const Exported* next;
};

struct ModuleTable {
  unsigned version, wave_size;
  bool strict;
  const Exported* first;
};

#ifdef HIPPORT_MODULE
inline ModuleTable module_table{module_version, HIPPORT_WAVE_SIZE, HIPPORT_STRICT, nullptr};

struct Export : Exported {
  explicit Export(KernelHandle kernel, const char* expression = nullptr)
      : Exported{kernel, expression, module_table.first} {
    module_table.first = this;
  }
};

// Return the kernel if its name refers to a single function, as in HIPPORT_LAUNCH.
template <typename Resolve>
KernelHandle only_kernel(Resolve resolve) {
  if constexpr (std::is_invocable_v<Resolve, int>)
    return kernel(resolve(0).kernel);
  else
    return {nullptr, nullptr};
}

template <typename... P>
KernelHandle named(void (*function)(P...)) {
  return kernel(function);
}
template <typename T>
KernelHandle named(T* variable) {
  return {const_cast<const void*>(static_cast<const volatile void*>(variable)), nullptr};
}
#endif

}  // namespace hipport::cpu

#ifdef HIPPORT_MODULE
extern "C" __attribute__((visibility("default"), weak, used)) const hipport::cpu::ModuleTable* hipport_module() {
  return &hipport::cpu::module_table;
}
#define HIPPORT_JOINED(a, b) a##b
#define HIPPORT_UNIQUE(name, number) HIPPORT_JOINED(name, number)
#define HIPPORT_EXPORT(name)                                                                         \
  [[maybe_unused]] static const ::hipport::cpu::Export HIPPORT_UNIQUE(hipport_export_, __COUNTER__)( \
      ::hipport::cpu::only_kernel([](auto tag) -> decltype(::hipport::cpu::signature(tag, name)) {   \
        return ::hipport::cpu::signature(tag, name);                                                 \
      }));
#define HIPPORT_NAME_EXPRESSION(text, ...)                                                           \
  [[maybe_unused]] static const ::hipport::cpu::Export HIPPORT_UNIQUE(hipport_export_, __COUNTER__)( \
      ::hipport::cpu::named(__VA_ARGS__), text);
#endif
