// SPDX-License-Identifier: MIT
// Defects that checks find: one for each kind and instruction, with the number of times it was seen.
#pragma once

#include "tools.h"

namespace hipport::emulate {

struct Thread {
  Size3 block, thread;
};

// Another access that a finding is about.
struct Other {
  const Op* op = nullptr;
  Thread where{};
};

struct Finding {
  std::string kind;     // "out-of-bounds", "race", ...
  std::string message;  // one sentence without its place
  const Op* op = nullptr;
  Thread where{};
  Other other;
};

// Report a finding, or count it if there was one of this kind at the same instructions. Thread-safe.
void report(const Watched& watched, const Finding& finding);
// Return whether this was reported: finding out more is slow.
bool is_reported(const Watched& watched, const std::string& kind, const Op* op, const Op* other);

// Describe an address by the allocation that it is in or next to.
class Allocated {
 public:
  // Take the allocations that the program has now.
  explicit Allocated(const Watched& watched);

  bool contains(uint64_t address, uint64_t bytes) const;
  std::string describe(uint64_t address) const;

 private:
  struct Range {
    uint64_t start, bytes;
    std::string what;
  };
  std::vector<Range> ranges_;  // by address
  mutable size_t last_ = 0;
};

}  // namespace hipport::emulate
