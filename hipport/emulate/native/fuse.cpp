// SPDX-License-Identifier: MIT
#include "fuse.h"

#include "translator.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#if defined(__x86_64__)
#include <sys/mman.h>
#endif

namespace hipport::emulate {

#if defined(__x86_64__)

CodeMemory::~CodeMemory() {
  for (const auto& [start, size] : pages_) munmap(start, size);
}

const uint8_t* CodeMemory::add(const std::vector<uint8_t>& code) {
  constexpr size_t page = 4096;
  const size_t size = (code.size() + page - 1) / page * page;
  void* const start = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  std::memcpy(start, code.data(), code.size());
  pages_.emplace_back(start, size);
  return mprotect(start, size, PROT_READ | PROT_EXEC) == 0 ? static_cast<const uint8_t*>(start) : nullptr;
}

namespace {

constexpr size_t kLongest = 1000;  // operations of a sequence
// Find the sequence that begins at an operation. It may be empty.
Sequence sequence_at(const std::vector<Op>& operations, const std::vector<bool>& is_target, size_t first, bool full) {
  size_t at = first;
  for (; at + 1 < operations.size() && at - first < kLongest; ++at) {
    const Fusing fusing = operations[at].fusing;
    if (fusing == Fusing::kAlone || (at > first && is_target[at])) break;
    const bool may_end = fusing == Fusing::kMask || fusing == Fusing::kIfNone;
    if (fusing == Fusing::kEnd || (may_end && !full)) return {first, at + 1 - first, true};
  }
  return {first, at - first, false};
}

// The operations that are reached after a sequence, or after one that is in none.
void add_followers(const std::vector<Op>& operations, const Sequence& sequence, std::vector<size_t>& next) {
  const size_t at = sequence.end();
  if (!sequence.ends && sequence.count != 0) return next.push_back(at);
  const Op& last = operations[at];
  const std::string_view name = last.name;
  if (last.target != nullptr) next.push_back(size_t(last.target - operations.data()));
  if (name != "s_branch" && name != "s_endpgm" && name != "s_setpc_b64") next.push_back(at + 1);
}

}  // namespace

Values Start::values(unsigned lanes) const {
  Values values(lanes);
  for (size_t i = 0; i < strides.size(); ++i) values.set_linear(unsigned(i), strides[i], true);
  return values;
}

const Op* fuse(std::vector<Op>& operations, const std::vector<bool>& is_target, size_t entry, unsigned lanes,
               const Start& how, CodeMemory& memory) {
  if (how.set == VectorSet::kNone) return nullptr;
  const std::optional<Liveness> liveness =
      how.keeps_registers ? std::nullopt : std::optional<Liveness>(std::in_place, operations, entry);
  BlockVersions versions(operations, memory.entries());
  Translator translator(operations, lanes, how.set, liveness ? &*liveness : nullptr, &versions);
  std::vector<std::pair<Op*, size_t>> starts;  // operation, and where its code is
  std::vector<bool> seen(operations.size());
  for (std::vector<size_t> next{entry}; !next.empty();) {
    const size_t at = next.back();
    next.pop_back();
    if (at >= operations.size() || seen[at] || operations[at].run == nullptr) continue;
    seen[at] = true;
    const Sequence some = sequence_at(operations, is_target, at, false);
    const Sequence full = sequence_at(operations, is_target, at, true);
    const bool is_translated = operations[at].run != operations[at].alone;  // with another kernel
    if (full.count > 1 && !is_translated) {
      starts.emplace_back(&operations[at], translator.add(some, full, how.keeps_registers));
    }
    add_followers(operations, some, next);
    add_followers(operations, full, next);
  }
  if (starts.empty()) return nullptr;
  const Op* const start = versions.find(operations[entry], how.values(lanes));
  for (size_t i = 0; i < versions.all().size(); ++i) {
    const auto& [first, values, version] = versions.all()[i];
    const Sequence full = sequence_at(operations, is_target, first, true);
    starts.emplace_back(version, translator.add_version(full, values, how.keeps_registers));
  }
  const uint8_t* const code = memory.add(translator.finished());
  if (code == nullptr) return nullptr;
  for (const auto& [op, place] : starts) op->replace(reinterpret_cast<Run>(reinterpret_cast<uintptr_t>(code + place)));
  return start;
}

GroupCode fuse_group(const std::vector<Op>& operations, const std::vector<bool>& is_target, size_t entry,
                     unsigned lanes, unsigned wavefronts, const Start& how, CodeMemory& memory) {
  if (how.set == VectorSet::kNone) return {};
  const Sequence full = sequence_at(operations, is_target, entry, true);
  const Liveness liveness(operations, entry);
  Translator translator(operations, lanes, how.set, &liveness);
  if (!translator.add_group(full, how.values(lanes * wavefronts), wavefronts)) return {};
  const uint8_t* const code = memory.add(translator.finished());
  if (code == nullptr) return {};
  unsigned rows = unsigned(how.strides.size());
  for (size_t i = full.first; i < full.end(); ++i)
    for (const Operand& operand : operations[i].operands)
      if (operand.bank == Bank::kVector) rows = std::max(rows, operand.number + std::max<unsigned>(operand.count, 2));
  return {reinterpret_cast<Run>(reinterpret_cast<uintptr_t>(code)), rows};
}

#else

CodeMemory::~CodeMemory() = default;
const uint8_t* CodeMemory::add(const std::vector<uint8_t>&) { return nullptr; }
const Op* fuse(std::vector<Op>&, const std::vector<bool>&, size_t, unsigned, const Start&, CodeMemory&) {
  return nullptr;
}
GroupCode fuse_group(const std::vector<Op>&, const std::vector<bool>&, size_t, unsigned, unsigned, const Start&,
                     CodeMemory&) {
  return {};
}

#endif

}  // namespace hipport::emulate
