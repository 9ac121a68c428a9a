// SPDX-License-Identifier: MIT
// Translations of a sequence for what is known of registers where it begins: a loop whose counters and addresses are linear in
// the lane is translated once for how it is entered, and once for how it goes round.
#pragma once

#include "operation.h"
#include "values.h"

#include <deque>
#include <vector>

namespace hipport::emulate {

class BlockVersions {
 public:
  // `entries` keeps the operations that find() returns, which last as long as their code.
  BlockVersions(const std::vector<Op>& operations, std::deque<Op>& entries)
      : operations_(operations), entries_(entries) {}

  struct Version {
    size_t first;  // the operation that the sequence begins with
    Values values;
    Op* entry;  // its copy that runs the translation
  };

  // Return the operation that runs the translation for some values of the sequence that begins with `op`, or null if there
  // are too many, or nothing is known. The translation is to be made.
  const Op* find(const Op& op, const Values& values);
  // Return all of them; find() adds more.
  const std::deque<Version>& all() const { return all_; }

 private:
  const std::vector<Op>& operations_;
  std::deque<Op>& entries_;
  std::deque<Version> all_;
};

}  // namespace hipport::emulate
