// SPDX-License-Identifier: MIT
// Which vector registers, and whether scc, are read later: what is translated does not write others to memory.
#pragma once

#include "operation.h"

#include <bitset>
#include <vector>

namespace hipport::emulate {

class Liveness {
 public:
  // For the operations that are reached from `entry`.
  Liveness(const std::vector<Op>& operations, size_t entry);

  // Return whether no operation from `op` on reads what the lanes that are active there have in a vector register before it.
  // It is so if the register is written first; after the first operation that may make one of these lanes inactive, no
  // write counts, since some lanes keep what they have.
  bool is_dead(const Op& op, unsigned number) const;
  // Return whether no operation from `op` on reads what scc has before it.
  bool is_scc_dead(const Op& op) const;

 private:
  static constexpr unsigned kRegisters = 2 * 256 + 2;
  using Registers = std::bitset<kRegisters>;
  // The registers that are read: by lanes that are active, and by any. Whether scc is.
  struct Live {
    Registers all, any;
    bool scc = false;
    bool operator==(const Live&) const = default;
  };

  void find_reached(size_t entry);
  std::vector<size_t> followers(size_t at) const;
  Live before(size_t at) const;
  const Live* found(size_t at) const;

  const std::vector<Op>& operations_;
  std::vector<size_t> reached_;  // in the order of the code
  size_t first_ = 0;             // of the operations that are reached
  std::vector<int32_t> index_;   // of `live_` by the operation behind the first one, or -1
  std::vector<Live> live_;
};

// Return whether an operation before `end` writes a vector register in all lanes before any reads it, where lanes are all
// active before `op` and a mask of lanes, unless it is kNull, has all of them.
bool is_overwritten(const Op* op, const Op* end, unsigned number, unsigned mask);

}  // namespace hipport::emulate
