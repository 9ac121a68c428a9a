// SPDX-License-Identifier: MIT
#include "program.h"

#include "bind.h"
#include "late_barriers.h"
#include "modes.h"
#include "tools.h"

#include <cstdio>

namespace hipport::emulate {
namespace {

constexpr unsigned kStride = 4;
// The register behind those of gfx11 and later, the only ones with dual instructions.
constexpr unsigned kSpareVector = 256;

const Op* illegal(Wave&, const Op*) { throw Fault("the code is no instruction that is known"); }

bool reads(const Op& op, unsigned number) {
  for (unsigned i = 1; i < op.operand_count; ++i)
    if (op.operands[i].bank == Bank::kVector && op.operands[i].number == number) return true;
  return false;
}

const Op* move_back(Wave& wave, const Op* op) {
  uint32_t *const to = wave.v(op->operands[0].number), *const from = wave.v(op->operands[1].number);
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) to[i] = from[i];
  return op + 1;
}

// Both halves of a dual instruction read before either writes: the one that is read from comes last. If each reads what
// the other changes, the first writes to a spare register, which is moved after the second.
void separate(std::vector<Op>& operations, size_t first, unsigned spare) {
  Op &x = operations[first], &y = operations[first + 1];
  if (!reads(y, x.operands[0].number)) return;
  if (!reads(x, y.operands[0].number)) return std::swap(x, y);
  Op back = x;
  back.run = &move_back;
  back.fusing = Fusing::kCall;
  back.emission = nullptr;
  back.name = "v_mov_b32";
  back.operand_count = 2;
  back.operands[1] = {Bank::kVector, 1, uint16_t(spare), 0};
  x.operands[0].number = uint16_t(spare);
  operations.push_back(back);
}

bool is_branch(std::string_view name) {
  return name == "s_branch" || name.substr(0, 9) == "s_cbranch" || name == "s_call_b64";
}

}  // namespace

Program::Program(const Processor& processor, const uint8_t* code, size_t size, unsigned lanes)
    : processor_(processor), lanes_(lanes), code_(code), size_(size), by_offset_(size / kStride + 1, -1) {
  std::vector<std::pair<size_t, int64_t>> branches;
  for (size_t at = 0; at + kStride <= size;) {
    const std::vector<Decoded> found = decode(processor, code + at, size - at);
    by_offset_[at / kStride] = int32_t(operations_.size());
    const size_t first = operations_.size();
    for (const Decoded& decoded : found) {
      operations_.push_back(bind(processor, decoded, lanes));
      if (is_branch(decoded.name)) branches.emplace_back(operations_.size() - 1, operations_.back().immediate);
    }
    if (found.size() == 2) separate(operations_, first, kSpareVector);
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
  for (Op& op : operations_) op.alone = op.run;
  find_targets();
  if (!has_tool()) move_barriers(operations_, is_target_);  // tools show the order of the code
}

void Program::fuse(uint64_t entry, VectorSet set, bool keeps_registers) {
  const std::lock_guard lock(fusing_);
  if (!fused_.insert(entry).second) return;
  const Op* const start = emulate::fuse(operations_, is_target_, size_t(at(entry) - operations_.data()), lanes_,
                                        {first_strides(), keeps_registers, set}, memory_);
  if (start != nullptr) linear_starts_[entry] = start;
}

GroupCode Program::group_code(uint64_t entry, unsigned wavefronts, VectorSet set) {
  const std::lock_guard lock(fusing_);
  const auto [found, is_new] = groups_.try_emplace({entry, wavefronts});
  if (!is_new) return found->second;
  return found->second = fuse_group(operations_, is_target_, size_t(at(entry) - operations_.data()), lanes_, wavefronts,
                                    {first_strides(), false, set}, memory_);
}

std::atomic<uint32_t>& Program::pace(uint64_t entry) {
  const std::lock_guard lock(fusing_);
  return paces_[entry];
}

void Program::find_targets() {
  is_target_.resize(operations_.size());
  for (const Op& op : operations_)
    if (op.target != nullptr) is_target_[size_t(op.target - operations_.data())] = true;
}

std::vector<uint32_t> Program::first_strides() const {
  std::vector<uint32_t> strides(first_vectors());
  strides[0] = 1;  // x goes with the lanes; the others are the same for all of a wavefront
  return strides;
}

const Op* Program::linear_start(uint64_t entry) const {
  const std::lock_guard lock(fusing_);
  const auto found = linear_starts_.find(entry);
  return found == linear_starts_.end() ? nullptr : found->second;
}

bool set_bases(Wave& wave, unsigned count) {
  if (!wave.full || !is_usual_mode(wave)) return false;
  for (unsigned number = 0; number < count; ++number)
    for (unsigned i = 1; i < wave.lanes; ++i)
      if (wave.v(number)[i] != wave.v(number)[0] + (number == 0 ? i : 0)) return false;
  for (unsigned number = 0; number < count; ++number) wave.bases[number] = wave.v(number)[0];
  return wave.v(0)[0] <= wave.v(0)[wave.lanes - 1];
}

const Op* Program::at(uint64_t address) const {
  const uint64_t offset = address - reinterpret_cast<uint64_t>(code_);
  if (offset >= size_ || by_offset_[offset / kStride] < 0) throw Fault("a jump leads to an address that holds no code");
  return &operations_[size_t(by_offset_[offset / kStride])];
}

std::string Program::place(const Op* op) const {
  char text[64];
  std::snprintf(text, sizeof text, "byte 0x%x of the code", op->offset);
  const std::string found = line(op);
  return found.empty() ? text : found + " (" + text + ")";
}

}  // namespace hipport::emulate
