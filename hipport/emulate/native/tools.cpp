// SPDX-License-Identifier: MIT
#include "tools.h"

#include <cstdlib>
#include <mutex>
#include <string_view>

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

// Kernels are checked, and totals written, even if the program launches nothing.
[[maybe_unused]] const bool kAtExit = [] {
  if (chosen_tool() == Choice::kCheck) begin_checks();
  if (chosen_tool() != Choice::kNone) std::atexit(&finish_tools);
  return true;
}();

}  // namespace

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
    if (chosen_tool() == Choice::kTrace) finish_trace();
  });
}

}  // namespace hipport::emulate
