// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string>

namespace hipport::trace {

// Return the C++ name for a mangled name; other names are returned unchanged.
inline std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace hipport::trace
