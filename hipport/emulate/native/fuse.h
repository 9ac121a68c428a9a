// SPDX-License-Identifier: MIT
// Machine code of the host for sequences of operations.
//
// An operation costs more to dispatch than to compute, so that those of a basic block are translated together. What is
// translated runs if all lanes are active, or only lanes of the first vector register, as where one thread of a work-group works for
// all; otherwise operations run one by one. Needs a processor with AVX-512 or AVX2; without
// them, nothing is translated.
#pragma once

#include "operation.h"
#include "values.h"
#include "vectors.h"

#include <deque>
#include <string_view>
#include <vector>

namespace hipport::emulate {

// Return how a function of lanes with this name is translated, or null if it is called.
const Emission* find_emission(std::string_view name);
// Return whether an operation can be translated as `emission` says, with its operands and modifiers.
bool is_emitted(const Op& op);

// Memory for machine code. It lasts until the object is destroyed.
class CodeMemory {
 public:
  ~CodeMemory();
  // Return where the code is, or null if the system does not allow it.
  const uint8_t* add(const std::vector<uint8_t>& code);
  // Operations that run code in it.
  std::deque<Op>& entries() { return entries_; }

 private:
  std::vector<std::pair<void*, size_t>> pages_;
  std::deque<Op> entries_;
};

// What is known where a kernel begins.
struct Start {
  std::vector<uint32_t> strides;     // of the first vector registers, if they are linear in the lane
  bool keeps_registers = false;      // what they hold in the end matters
  VectorSet set = VectorSet::kNone;  // what the translation uses

  Values values(unsigned lanes) const;
};

// Translate the sequences that can be reached from `entry` by branches within `operations`. `is_target` has an element
// for each operation: whether a branch leads to it. Return the operation with which wavefronts begin that are as `how` says,
// with all lanes active and the usual mode, or null. It needs Wave::bases instead of rows.
const Op* fuse(std::vector<Op>& operations, const std::vector<bool>& is_target, size_t entry, unsigned lanes,
               const Start& how, CodeMemory& memory);

// The code for all wavefronts of a row of threads at once. `run` returns null, or something else if they must start one by
// one instead; nothing has been stored then. It is given a wavefront with all their lanes: bases, scalar registers and rows for
// the first `rows` vector registers.
struct GroupCode {
  Run run = nullptr;
  unsigned rows = 0;
};

// Translate a kernel that is one sequence, for rows of several wavefronts in which the first vector registers are linear in
// the thread. Return no code if it does more than that allows.
GroupCode fuse_group(const std::vector<Op>& operations, const std::vector<bool>& is_target, size_t entry,
                     unsigned lanes, unsigned wavefronts, const Start& how, CodeMemory& memory);

}  // namespace hipport::emulate
