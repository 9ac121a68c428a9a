// SPDX-License-Identifier: MIT
#include "program.h"

#include "bind.h"

#include <cstdio>

namespace hipport::emulate {
namespace {

// Writes the first half of a dual instruction to a register of its own if the second half reads what it changes.
constexpr unsigned kStride = 4;

const Op* illegal(Wave& wave, const Op* op) {
  throw Fault("the code at " + wave.program->place(op) + " is no instruction that is known");
}

bool reads(const Op& op, unsigned number) {
  for (unsigned i = 1; i < op.operand_count; ++i)
    if (op.operands[i].bank == Bank::kVector && op.operands[i].number == number) return true;
  return false;
}

bool is_branch(std::string_view name) {
  return name == "s_branch" || name.substr(0, 9) == "s_cbranch" || name == "s_call_b64";
}

}  // namespace

Program::Program(const Processor& processor, const uint8_t* code, size_t size, unsigned lanes)
    : code_(code), size_(size), by_offset_(size / kStride + 1, -1) {
  std::vector<std::pair<size_t, int64_t>> branches;
  for (size_t at = 0; at + kStride <= size;) {
    const std::vector<Decoded> found = decode(processor, code + at, size - at);
    by_offset_[at / kStride] = int32_t(operations_.size());
    const size_t first = operations_.size();
    for (const Decoded& decoded : found) {
      operations_.push_back(bind(processor, decoded, lanes));
      if (is_branch(decoded.name)) branches.emplace_back(operations_.size() - 1, operations_.back().immediate);
    }
    // Both halves of a dual instruction read before either writes.
    if (found.size() == 2 && reads(operations_[first + 1], operations_[first].operands[0].number))
      std::swap(operations_[first], operations_[first + 1]);
    if (found.empty()) {
      operations_.emplace_back();
      operations_.back().run = &illegal;
      operations_.back().name = "illegal";
    }
    for (size_t i = first; i < operations_.size(); ++i) operations_[i].offset = uint32_t(at);
    at += found.empty() ? kStride : found.front().size;
  }
  operations_.emplace_back();
  operations_.back().run = &illegal;
  for (const auto& [index, distance] : branches) {
    const int64_t target = int64_t(operations_[index].offset) + 4 + 4 * distance;
    if (target < 0 || target >= int64_t(size) || by_offset_[size_t(target) / kStride] < 0)
      operations_[index].run = &illegal;
    else
      operations_[index].target = &operations_[size_t(by_offset_[size_t(target) / kStride])];
  }
}

const Op* Program::at(uint64_t address) const {
  const uint64_t offset = address - reinterpret_cast<uint64_t>(code_);
  if (offset >= size_ || by_offset_[offset / kStride] < 0) throw Fault("a jump leads to an address that holds no code");
  return &operations_[size_t(by_offset_[offset / kStride])];
}

std::string Program::place(const Op* op) const {
  char text[64];
  std::snprintf(text, sizeof text, "byte 0x%x of the code", op->offset);
  return text;
}

}  // namespace hipport::emulate
