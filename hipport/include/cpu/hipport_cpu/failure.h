// SPDX-License-Identifier: MIT
// Stops a program whose kernel has undefined behavior on GPUs.
#pragma once

#include "checks/hooks.h"
#include "vector_types.h"

#include <cstdarg>
#include <mutex>

namespace hipport::cpu {

// A source location. The column is 0 where the compiler does not tell it.
struct Site {
  const char* file;
  int line;
  int column = 0;
  bool operator==(const Site& other) const {
    return line == other.line && column == other.column && (file == other.file || std::strcmp(file, other.file) == 0);
  }
  bool operator!=(const Site& other) const { return !(*this == other); }
};

// Parameters that default to the location of the caller: its file, and its line and column in one number, by which two
// votes on one line differ. g++ has no function for the column.
inline constexpr int column_bits = 11, last_column = (1 << column_bits) - 1;
constexpr int place(int line, int column) {
  return line << column_bits | (column < last_column ? column : last_column);
}
#if defined(__clang__)
#define HIPPORT_COLUMN __builtin_COLUMN()
#else
#define HIPPORT_COLUMN 0
#endif
#define HIPPORT_CALLER                         \
  const char *hipport_file = __builtin_FILE(), \
             int hipport_place = ::hipport::cpu::place(__builtin_LINE(), HIPPORT_COLUMN)
#define HIPPORT_HERE                                                                \
  (::hipport::cpu::Site{hipport_file, hipport_place >> ::hipport::cpu::column_bits, \
                        hipport_place & ::hipport::cpu::last_column})

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
