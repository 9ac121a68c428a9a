// SPDX-License-Identifier: MIT
#include "fuse.h"

#include "emit.h"

#include <cstddef>
#include <cstring>
#if defined(__x86_64__) && defined(__AVX512F__)
#include <sys/mman.h>
#endif

namespace hipport::emulate {

#if defined(__x86_64__) && defined(__AVX512F__)

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
constexpr uint8_t kNotEqual = 5, kAbove = 7;
// Rounding to nearest even, and denormal numbers everywhere: what the host does by default.
constexpr uint8_t kUsualMode = 0xf0;

// A sequence: the operations from `first` on, `count` of them; the last one may end it. If all lanes are active, it goes
// on behind operations that leave them so.
struct Sequence {
  size_t first, count;
  bool ends;
};

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

// Translates sequences. Registers: kWave, kRows; all else is free.
class Translator {
 public:
  Translator(const std::vector<Op>& operations, unsigned lanes) : operations_(operations), lanes_(lanes) {}

  // Return where in code() the translation begins.
  size_t add(const Sequence& narrow, const Sequence& full) {
    const size_t start = code_.code().size();
    const Op& first = operations_[full.first];
    code_.compare_byte({kRdi, int32_t(offsetof(Wave, mode))}, kUsualMode);
    const size_t to_single_mode = code_.jump_if(kNotEqual);
    code_.compare_byte({kRdi, int32_t(offsetof(Wave, full))}, 0);
    const size_t to_full = code_.jump_if(kNotEqual);
    code_.compare_32(active(0), 0xffff);
    const size_t to_single = code_.jump_if(kAbove);
    size_t to_single_high = 0;
    if (lanes_ == 64) {
      code_.compare_32(active(4), 0);
      to_single_high = code_.jump_if(kNotEqual);
    }
    body(narrow, true);
    code_.land(to_full);
    body(full, false);
    code_.land(to_single);
    code_.land(to_single_mode);
    if (to_single_high != 0) code_.land(to_single_high);
    code_.constant(kRax, reinterpret_cast<uint64_t>(first.alone));
    code_.jump(kRax);
    return start;
  }
  const std::vector<uint8_t>& code() const { return code_.code(); }

 private:
  // The lanes that are active, before kWave is set.
  static At active(int32_t byte) { return {kRdi, int32_t(offsetof(Wave, scalars) + 4 * kExec) + byte}; }

  void body(const Sequence& sequence, bool narrow) {
    code_.push(kWave);
    code_.push(kRows);
    code_.reserve_stack(8);
    code_.move(kWave, kRdi);
    code_.load_64(kRows, {kRdi, int32_t(offsetof(Wave, rows))});
    if (narrow) code_.load_mask(kActive, scalar_place(kExec));
    Emitter emitter(code_, lanes_, narrow);
    const size_t end = sequence.first + sequence.count;
    for (size_t i = sequence.first; i < end - (sequence.ends ? 1 : 0); ++i) perform(emitter, operations_[i], narrow);
    if (sequence.ends) {
      prepare(operations_[end - 1]);
      finish();
      code_.jump(kRax);
    } else {
      go_to(operations_[end]);
    }
  }
  void go_to(const Op& next) {
    finish();
    code_.constant(kRax, reinterpret_cast<uint64_t>(&next));
    code_.leave();
  }

  void perform(Emitter& emitter, const Op& op, bool narrow) {
    if (op.fusing == Fusing::kNothing || op.fusing == Fusing::kIfNone) return;
    if (op.fusing == Fusing::kCall && is_emitted(op)) {
      emitter.begin(op, op.emission->arguments);
      return op.emission->emit(emitter, *op.emission);
    }
    if (op.fusing == Fusing::kCall && emit_scalar(code_, op)) return;
    const bool may_stay = !narrow && op.fusing == Fusing::kMask;
    const size_t unchanged = may_stay ? emit_unchanged(emitter, op, lanes_ == 64) : 0;
    size_t others[2] = {};
    const bool is_row = !narrow && emit_row_access(code_, op, lanes_, others);
    const size_t done = is_row ? code_.jump() : 0;
    for (const size_t other : others)
      if (is_row) code_.land(other);
    prepare(op);
    code_.call(kRax);
    if (is_row) code_.land(done);
    if (narrow) code_.load_mask(kActive, scalar_place(kExec));
    if (op.fusing != Fusing::kMask) return;
    code_.compare_byte({kWave, int32_t(offsetof(Wave, full))}, 0);
    const size_t still = code_.jump_if(kNotEqual);
    go_to(*(&op + 1));
    code_.land(still);
    if (unchanged != 0) code_.land(unchanged);
  }
  void prepare(const Op& op) {
    code_.move(kRdi, kWave);
    code_.constant(kRsi, reinterpret_cast<uint64_t>(&op));
    code_.constant(kRax, reinterpret_cast<uint64_t>(op.alone));
  }
  void finish() {
    code_.release_stack(8);
    code_.pop(kRows);
    code_.pop(kWave);
  }

  const std::vector<Op>& operations_;
  unsigned lanes_;
  Assembler code_;
};

// The operations that are reached after a sequence, or after one that is in none.
void add_followers(const std::vector<Op>& operations, const Sequence& sequence, std::vector<size_t>& next) {
  const size_t end = sequence.first + sequence.count;
  const bool ends = sequence.ends || sequence.count == 0;
  if (!ends) return next.push_back(end);
  const size_t at = sequence.ends ? end - 1 : end;
  const Op& last = operations[at];
  const std::string_view name = last.name;
  if (last.target != nullptr) next.push_back(size_t(last.target - operations.data()));
  if (name != "s_branch" && name != "s_endpgm" && name != "s_setpc_b64") next.push_back(at + 1);
}

}  // namespace

void fuse(std::vector<Op>& operations, const std::vector<bool>& is_target, size_t entry, unsigned lanes,
          CodeMemory& memory) {
  Translator translator(operations, lanes);
  std::vector<std::pair<size_t, size_t>> starts;  // operation, and where its code is
  std::vector<bool> seen(operations.size());
  for (std::vector<size_t> next{entry}; !next.empty();) {
    const size_t at = next.back();
    next.pop_back();
    if (at >= operations.size() || seen[at] || operations[at].run == nullptr) continue;
    seen[at] = true;
    const Sequence narrow = sequence_at(operations, is_target, at, false);
    const Sequence full = sequence_at(operations, is_target, at, true);
    const bool is_translated = operations[at].run != operations[at].alone;  // with another kernel
    if (full.count > 1 && !is_translated) starts.emplace_back(at, translator.add(narrow, full));
    add_followers(operations, narrow, next);
    add_followers(operations, full, next);
  }
  if (starts.empty()) return;
  const uint8_t* const code = memory.add(translator.code());
  if (code == nullptr) return;
  for (const auto& [at, place] : starts)
    operations[at].run = reinterpret_cast<Run>(reinterpret_cast<uintptr_t>(code + place));
}

#else

CodeMemory::~CodeMemory() = default;
const uint8_t* CodeMemory::add(const std::vector<uint8_t>&) { return nullptr; }
void fuse(std::vector<Op>&, const std::vector<bool>&, size_t, unsigned, CodeMemory&) {}

#endif

}  // namespace hipport::emulate
