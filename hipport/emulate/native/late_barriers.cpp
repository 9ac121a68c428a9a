// SPDX-License-Identifier: MIT
#include "late_barriers.h"

#include <algorithm>
#include <string_view>

namespace hipport::emulate {
namespace {

bool is_barrier(const Op& op) {
  const std::string_view name = op.name;
  return name == "s_barrier" || name == "s_barrier_wait";
}

// Return whether an operation neither accesses memory nor depends on when other wavefronts run.
bool commutes(const Op& op) {
  if (op.fusing == Fusing::kNothing) return true;
  const std::string_view name = op.name;
  return op.fusing == Fusing::kCall && op.access == AccessKind::kNone &&
         (name.starts_with("v_") || name.starts_with("s_"));
}

// Compilers return from functions with it, and jump far with it: code may then begin anywhere.
bool jumps_anywhere(const Op& op) { return std::string_view(op.name) == "s_setpc_b64"; }

}  // namespace

void move_barriers(std::vector<Op>& operations, const std::vector<bool>& is_target) {
  if (std::any_of(operations.begin(), operations.end(), jumps_anywhere)) return;
  for (size_t at = 0; at + 1 < operations.size(); ++at) {
    if (!is_barrier(operations[at])) continue;
    size_t end = at + 1;
    while (end < operations.size() && !is_target[end] && commutes(operations[end])) ++end;
    if (end == operations.size() || !(is_target[end] || operations[end].fusing == Fusing::kEnd)) continue;
    std::rotate(operations.begin() + at, operations.begin() + at + 1, operations.begin() + end);
    at = end - 1;
  }
}

}  // namespace hipport::emulate
