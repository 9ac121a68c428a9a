// SPDX-License-Identifier: MIT
// Stopping a program whose kernel does what no GPU defines.
#pragma once

#include "vector_types.h"

#include <cstdarg>
#include <mutex>

namespace hipport::cpu {

// A place in the sources.
struct Site {
  const char* file;
  int line;
  bool operator==(const Site& other) const {
    return line == other.line && (file == other.file || std::strcmp(file, other.file) == 0);
  }
  bool operator!=(const Site& other) const { return !(*this == other); }
};

// The place of the caller: the last parameters of a function, and what they say.
#define HIPPORT_CALLER const char *hipport_file = __builtin_FILE(), int hipport_line = __builtin_LINE()
#define HIPPORT_HERE (::hipport::cpu::Site{hipport_file, hipport_line})

inline constexpr int failure_status = 70;

// Ends the program with a message; what it printed so far is not lost. Of several threads the first is heard.
[[noreturn]] inline void stop(const char* format, ...) {
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
  std::_Exit(failure_status);
}

}  // namespace hipport::cpu
