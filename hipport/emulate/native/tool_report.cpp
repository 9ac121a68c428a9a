// SPDX-License-Identifier: MIT
#include "tool_report.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace hipport::emulate {

void report_line(const std::string& line) {
  static std::mutex mutex;
  static FILE* const file = [] {
    const char* const name = std::getenv("HIPPORT_EMULATE_REPORT");
    return name == nullptr ? stderr : std::fopen(name, "a");
  }();
  if (file == nullptr) return;
  const std::lock_guard lock(mutex);
  std::fprintf(file, "%s\n", line.c_str());
  std::fflush(file);
}

std::string json_text(const std::string& text) {
  std::string all = "\"";
  for (const char letter : text) {
    char escaped[8];
    if (letter == '"' || letter == '\\') {
      all += '\\';
      all += letter;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", unsigned(letter));
      all += escaped;
    } else {
      all += letter;
    }
  }
  return all + "\"";
}

}  // namespace hipport::emulate
