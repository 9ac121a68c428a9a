// SPDX-License-Identifier: MIT
// Which registers hold values that nothing has written: of a wavefront, per lane of vector registers and per bit of
// scalar ones. Such values may be moved and computed with; what depends on them is as undefined as they are.
#pragma once

#include "operation.h"

#include <string>
#include <vector>

namespace hipport::emulate {

// How an operation's result depends on its sources.
enum class Flow : uint8_t {
  kNone,      // nothing is written, or what is written counts as defined
  kScalar,    // scalar registers to scalar registers
  kCompare,   // scalar registers to scc
  kLanes,     // each lane by itself
  kMask,      // each lane to a bit of a mask
  kSelect,    // v_cndmask
  kReadLane,  // one lane to a scalar register
  kReadFirst,
  kWriteLane,
  kShuffle,  // lanes to other lanes
  kUnknown   // what is written counts as defined
};

// What is known of an operation before it runs.
struct FlowFacts {
  Flow flow = Flow::kUnknown;
  bool reads_scc = false, writes_scc = false, reads_result = false, writes_exec = false;
  uint8_t results = 0;  // operands that are written; they come first
  int shuffled = -1;    // operand whose lanes are moved
};

FlowFacts flow_facts(const Op& op);

class Definedness {
 public:
  void start(const Wave& wave, unsigned scalars, unsigned first_vectors);
  // Call before the operation runs.
  void propagate(Wave& wave, const Op* op, const FlowFacts& facts);

  uint64_t lanes(unsigned number) const { return number < vectors_.size() ? vectors_[number] : 0; }
  uint32_t bits(unsigned number) const { return scalars_[number]; }
  uint64_t mask(unsigned number, unsigned lane_count) const {
    return scalars_[number] | (lane_count == 64 ? uint64_t(scalars_[number + 1]) << 32 : 0);
  }
  bool scc() const { return scc_; }
  // Undefined lanes of a vector register become `undefined`; `origin` is where they come from, or null for none.
  void set_lanes(unsigned number, uint64_t undefined, uint64_t changed, const Op* origin);
  void set_bits(unsigned number, uint32_t undefined) { scalars_[number] = undefined; }
  const Op* origin(unsigned number) const { return number < origins_.size() ? origins_[number] : nullptr; }

 private:
  uint64_t lanes_of(const Wave& wave, const Op* op, unsigned operand, const Op*& origin) const;
  void scalar(const Wave& wave, const Op* op, const FlowFacts& facts);
  void compute(const Wave& wave, const Op* op, const FlowFacts& facts);
  void select(const Wave& wave, const Op* op);
  void shuffle(Wave& wave, const Op* op, unsigned operand);
  void write_scalar(const Operand& to, uint64_t undefined);

  std::vector<uint64_t> vectors_;
  std::vector<const Op*> origins_;
  uint32_t scalars_[kScalars] = {};
  bool scc_ = false;
};

}  // namespace hipport::emulate
