// SPDX-License-Identifier: MIT
// A code object that is loaded, and its kernels.
#pragma once

#include "decode.h"
#include "fuse.h"
#include "lines.h"
#include "row_pool.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace hipport::emulate {

// The registers that a kernel finds set, and the memory it needs: from the kernel descriptor.
struct Descriptor {
  uint32_t local_bytes = 0, private_bytes = 0, argument_bytes = 0;
  int64_t entry = 0;  // relative to the descriptor
  uint32_t resources1 = 0, resources2 = 0, resources3 = 0;
  uint16_t properties = 0;
};

struct Kernel {
  std::string name;
  Descriptor descriptor;
  uint64_t entry_address = 0;
  unsigned lanes = 64, vector_registers = 512, scalar_registers = 0, most_threads = 0;
  std::vector<struct Argument> arguments;
};

// An argument as the metadata describes it.
struct Argument {
  std::string kind;  // "by_value", "global_buffer", "hidden_block_count_x"...
  unsigned offset = 0, size = 0;
};

// The machine code of a code object in memory, decoded.
class Program {
 public:
  // `code` is memory of `size` bytes that stays where it is.
  Program(const Processor& processor, const uint8_t* code, size_t size, unsigned lanes);

  const Op* at(uint64_t address) const;
  // Translate the kernel at an address, if that was not done. Its operations cannot be watched one by one afterwards.
  // `keeps_registers`: what registers hold in the end matters.
  void fuse(uint64_t entry, VectorSet set, bool keeps_registers = false);
  // Return how many vector registers are set where a kernel begins.
  unsigned first_vectors() const { return processor_.generation == 10 ? 3 : 1; }
  // Return the first operation of a kernel for a wavefront whose first vector registers are linear in the lane, as
  // set_bases() finds, or null if it has none of its own.
  const Op* linear_start(uint64_t entry) const;
  // Return the code for all wavefronts of a row of threads at once, translated if that was not done, or none. The first of
  // first_vectors() is linear in the thread, the others are the same for all.
  GroupCode group_code(uint64_t entry, unsigned wavefronts, VectorSet set);
  // Return how many nanoseconds a work-group of a kernel took in its last launch; 0 at first.
  std::atomic<uint32_t>& pace(uint64_t entry);
  uint64_t address(const Op* op) const { return reinterpret_cast<uint64_t>(code_) + op->offset; }
  // Return the source line of an operation, if the code object has line tables, and its offset.
  std::string place(const Op* op) const;
  const Processor& processor() const { return processor_; }
  // Return "file:line", or an empty text.
  std::string line(const Op* op) const { return lines_ == nullptr ? "" : lines_->at(code_offset_ + op->offset); }
  // `code_offset` is the address in the code object at which the code begins.
  void set_lines(const LineTable* lines, uint64_t code_offset) {
    lines_ = lines;
    code_offset_ = code_offset;
  }
  const std::vector<Op>& operations() const { return operations_; }
  // The memory for registers of kernels that run.
  RowPool& row_pool() const { return row_pool_; }

 private:
  const Processor& processor_;
  unsigned lanes_;
  const uint8_t* code_;
  size_t size_;
  std::vector<Op> operations_;
  const LineTable* lines_ = nullptr;
  uint64_t code_offset_ = 0;
  mutable std::mutex fusing_;  // of what follows: several threads of the host may launch kernels
  std::set<uint64_t> fused_;
  std::map<uint64_t, const Op*> linear_starts_;                // by entry
  std::map<uint64_t, std::atomic<uint32_t>> paces_;            // by entry
  std::map<std::pair<uint64_t, unsigned>, GroupCode> groups_;  // by entry and wavefronts
  void find_targets();
  std::vector<uint32_t> first_strides() const;
  std::vector<bool> is_target_;  // of branches, by operation
  CodeMemory memory_;
  mutable RowPool row_pool_;
  std::vector<int32_t> by_offset_;  // for each four bytes of code, the index of its operation
};

// Set Wave::bases if the first `count` vector registers have the values of threads in the order of lanes, and all lanes are
// active. Return whether that is so.
bool set_bases(Wave& wave, unsigned count);

}  // namespace hipport::emulate
