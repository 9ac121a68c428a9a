// SPDX-License-Identifier: MIT
// Stops a program whose kernel has undefined behavior on GPUs.
#pragma once

#include "checks/hooks.h"
#include "vector_types.h"

#include <cstdarg>
#include <mutex>

namespace hipport::cpu {

// A source location.
struct Site {
  const char* file;
  int line;
  bool operator==(const Site& other) const {
    return line == other.line && (file == other.file || std::strcmp(file, other.file) == 0);
  }
  bool operator!=(const Site& other) const { return !(*this == other); }
};

// Parameters that default to the location of the caller.
#define HIPPORT_CALLER const char *hipport_file = __builtin_FILE(), int hipport_line = __builtin_LINE()
#define HIPPORT_HERE (::hipport::cpu::Site{hipport_file, hipport_line})

inline constexpr int failure_status = 70;

// End the program with a message, after flushing its output. If several threads fail, only the first reports.
[[noreturn]] HIPPORT_RUNTIME void stop(const char* format, ...) {
  static std::mutex once;
  once.lock();
  std::fflush(stdout);
  std::fputs("hipport: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fputc('\n', stderr);
  std::fflush(stderr);
  checks::finish();
  std::_Exit(failure_status);
}

}  // namespace hipport::cpu
