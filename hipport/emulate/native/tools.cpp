// SPDX-License-Identifier: MIT
#include "tools.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace hipport::emulate {
namespace {

enum class Choice { kNone, kCheck, kProfile, kTrace };

Choice chosen_tool() {
  static const Choice choice = [] {
    const char* const name = std::getenv("HIPPORT_EMULATE_TOOL");
    const std::string_view tool = name == nullptr ? "" : name;
    if (tool == "check") return Choice::kCheck;
    if (tool == "profile") return Choice::kProfile;
    return tool == "trace" ? Choice::kTrace : Choice::kNone;
  }();
  return choice;
}

struct Allowed {
  std::mutex mutex;
  std::vector<std::pair<const void*, size_t>> ranges;
};
Allowed& allowed() {
  static Allowed& all = *new Allowed;  // used while static objects are destroyed
  return all;
}

// Kernels are checked, and totals written, even if the program launches nothing.
[[maybe_unused]] const bool kAtExit = [] {
  if (chosen_tool() == Choice::kCheck) begin_checks();
  if (chosen_tool() != Choice::kNone) std::atexit(&finish_tools);
  return true;
}();

std::string text_of(const Operand& operand) {
  const auto range = [&](const std::string& letter, unsigned number) {
    if (operand.count <= 1) return letter + std::to_string(number);
    return letter + "[" + std::to_string(number) + ":" + std::to_string(number + operand.count - 1) + "]";
  };
  switch (operand.bank) {
    case Bank::kVector:
      return operand.number >= kAccumulators ? range("a", operand.number - kAccumulators) : range("v", operand.number);
    case Bank::kScalar:
      if (operand.number == kVcc) return operand.count == 2 ? "vcc" : "vcc_lo";
      if (operand.number == kExec) return operand.count == 2 ? "exec" : "exec_lo";
      if (operand.number == kM0) return "m0";
      if (operand.number == kNull) return "null";
      if (operand.number >= kTtmp && operand.number < kNull) return range("ttmp", operand.number - kTtmp);
      return range("s", operand.number);
    case Bank::kConstant: {
      char text[24];
      static const char* const numbers[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};
      if (operand.number >= 240 && operand.number <= 248) return numbers[operand.number - 240];
      if (operand.number >= 128 && operand.number <= 192) return std::to_string(operand.number - 128);
      if (operand.number >= 193 && operand.number <= 208) return std::to_string(192 - int(operand.number));
      std::snprintf(text, sizeof text, "0x%x", operand.literal);
      return text;
    }
    case Bank::kSpecial: return "special" + std::to_string(operand.number);
    default: return "";
  }
}

}  // namespace

std::string text_of(const Op& op) {
  std::string all = op.name;
  const char* separator = " ";
  for (unsigned i = 0; i < op.operand_count; ++i) {
    const std::string operand = text_of(op.operands[i]);
    if (operand.empty()) continue;
    all += separator + operand;
    separator = ", ";
  }
  return all;
}

void begin_launch() {
  if (chosen_tool() == Choice::kProfile) begin_profiled_launch();
}

bool has_tool() { return chosen_tool() != Choice::kNone; }

std::unique_ptr<Tool> make_tool(const Watched& watched) {
  switch (chosen_tool()) {
    case Choice::kCheck: return make_checker(watched);
    case Choice::kProfile: return make_profiler(watched);
    case Choice::kTrace: return make_tracer(watched);
    default: return nullptr;
  }
}

void finish_tools() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (chosen_tool() == Choice::kCheck) finish_checks();
    if (chosen_tool() == Choice::kProfile) finish_profile();
  });
}

void allow_memory(const void* start, size_t bytes) {
  const std::lock_guard lock(allowed().mutex);
  allowed().ranges.emplace_back(start, bytes);
}

bool is_allowed(uint64_t address, uint64_t bytes) {
  const std::lock_guard lock(allowed().mutex);
  return std::any_of(allowed().ranges.begin(), allowed().ranges.end(), [&](const auto& range) {
    const auto start = reinterpret_cast<uint64_t>(range.first);
    return address >= start && address + bytes <= start + range.second;
  });
}

std::vector<std::pair<const void*, size_t>> allowed_memory() {
  const std::lock_guard lock(allowed().mutex);
  return allowed().ranges;
}

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
