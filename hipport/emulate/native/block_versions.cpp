// SPDX-License-Identifier: MIT
#include "block_versions.h"

#include <algorithm>

namespace hipport::emulate {
namespace {

// Of one sequence. A loop in which a stride grows would have one for each time.
constexpr unsigned kMost = 8;

}  // namespace

const Op* BlockVersions::find(const Op& op, const Values& values) {
  if (values.is_empty() || op.fusing == Fusing::kAlone || op.run == nullptr) return nullptr;
  const size_t first = size_t(&op - operations_.data());
  unsigned count = 0;
  for (const Version& one : all_) {
    if (one.first != first) continue;
    if (one.values == values) return one.entry;
    ++count;
  }
  if (count == kMost) return nullptr;
  entries_.push_back(op);
  all_.push_back({first, values, &entries_.back()});
  return &entries_.back();
}

}  // namespace hipport::emulate
