// SPDX-License-Identifier: MIT
#include "liveness.h"

#include "emit.h"
#include "fuse.h"
#include "lanes.h"
#include "memory_kinds.h"

#include <algorithm>
#include <string_view>

namespace hipport::emulate {
namespace {

bool starts(std::string_view name, std::string_view with) { return name.substr(0, with.size()) == with; }
bool starts_any(std::string_view name, std::initializer_list<std::string_view> with) {
  return std::any_of(with.begin(), with.end(), [name](std::string_view one) { return starts(name, one); });
}

// An access whose registers are those of its operands.
const Access* plain_access(const Op& op) {
  if (op.access != AccessKind::kVector && op.access != AccessKind::kLocal) return nullptr;
  const Access& access = *static_cast<const Access*>(op.extra);
  return access.block || access.transposed != 0 || access.to_local ? nullptr : &access;
}

// Whether a jump leads elsewhere than to its target and to the next operation, or what is read is not among the operands.
bool is_unknown(const Op& op) {
  const std::string_view name = op.name;
  if (op.fusing == Fusing::kNothing) return false;
  if (starts_any(name, {"s_cbranch", "s_branch"})) return op.target == nullptr;
  if (starts_any(name, {"s_setpc", "s_swappc", "s_call", "s_rfe", "s_trap", "s_set_gpr", "s_setvskip", "s_subvector"}))
    return true;
  if (starts(name, "s_")) return false;
  if (starts(name, "v_"))
    return starts_any(name,
                      {"v_movrel", "v_swaprel", "v_mfma", "v_smfmac", "v_wmma", "v_swmmac", "v_screen", "v_inter"});
  return plain_access(op) == nullptr && !starts_any(name, {"ds_bpermute", "ds_permute", "ds_swizzle"});
}

// As where lanes meet again behind a branch.
bool adds_active_lanes(const Op& op) {
  const auto is_exec = [&op](unsigned i) {
    return op.operands[i].bank == Bank::kScalar && op.operands[i].number == kExec;
  };
  return starts(op.name, "s_or_b") && is_exec(0) && (is_exec(1) || is_exec(2));
}

// Whether lanes that are active stay so.
bool keeps_active_lanes(const Op& op) {
  const std::string_view name = op.name;
  if (op.fusing == Fusing::kCall || op.fusing == Fusing::kNothing || op.fusing == Fusing::kIfNone) return true;
  return starts_any(name, {"s_cbranch", "s_branch", "s_barrier"}) || adds_active_lanes(op);
}

// The registers that an operation writes in all active lanes without reading them, as one operand; -1 for none.
int written_operand(const Op& op) {
  if (const Access* const access = plain_access(op)) {
    const bool loads = access->action == Action::kLoad && access->part == Part::kWhole;
    return loads && access->keep == Keep::kNothing ? access->result : -1;
  }
  if (!is_emitted(op) || op.fusing != Fusing::kCall || op.operands[0].bank != Bank::kVector) return -1;
  return static_cast<const Places*>(op.extra)->result_is_argument ? -1 : 0;
}

// What an operation does with scc: reading it comes before writing it.
SccUse scc_use(const Op& op) {
  const std::string_view name = op.name;
  const auto is_special = [](const Operand& operand) { return operand.bank == Bank::kSpecial; };
  if (std::any_of(op.operands, op.operands + op.operand_count, is_special)) return SccUse::kReads;
  if (!starts(name, "s_") || op.fusing == Fusing::kNothing || op.access == AccessKind::kScalar) return SccUse::kNone;
  if (starts(name, "s_cbranch_scc")) return SccUse::kReads;
  if (starts_any(name, {"s_cbranch", "s_branch", "s_barrier", "s_endpgm"})) return SccUse::kNone;
  return name.find("saveexec") != name.npos ? SccUse::kWrites : scalar_scc_use(name);
}

unsigned words_of(const Op& op, int operand) {
  const unsigned count = std::max<unsigned>(op.operands[operand].count, 1);
  const Access* const access = plain_access(op);
  return access == nullptr ? count : std::min(count, access->words * access->count);
}

bool names(const Operand& operand, Bank bank, unsigned number) {
  const unsigned fewest = bank == Bank::kScalar ? 2 : 1;  // a mask has two
  return operand.bank == bank && number - operand.number < std::max<unsigned>(operand.count, fewest);
}

// Whether an operation leaves all lanes active if a mask has all of them.
bool keeps_all(const Op& op, unsigned mask) {
  const auto is = [&op](unsigned i, unsigned register_number) {
    return op.operands[i].bank == Bank::kScalar && op.operands[i].number == register_number;
  };
  if (mask == kNull) return false;
  if (starts(op.name, "s_and_saveexec")) return is(1, mask);
  return starts(op.name, "s_and_b") && is(0, kExec) && ((is(1, kExec) && is(2, mask)) || (is(1, mask) && is(2, kExec)));
}

}  // namespace

bool is_overwritten(const Op* op, const Op* end, unsigned number, unsigned mask) {
  for (; op < end; ++op) {
    if (op->fusing == Fusing::kNothing || op->fusing == Fusing::kIfNone) continue;
    if (op->fusing == Fusing::kMask && !keeps_all(*op, mask)) return false;
    if (is_unknown(*op)) return false;
    const int written = written_operand(*op);
    for (int i = 0; i < op->operand_count; ++i)
      if (i != written && names(op->operands[i], Bank::kVector, number)) return false;
    if (written >= 0 && number - op->operands[written].number < words_of(*op, written)) return true;
    const Operand& result = op->operands[0];
    if (mask != kNull && (names(result, Bank::kScalar, mask) || names(result, Bank::kScalar, mask + 1))) mask = kNull;
    if (op->emission != nullptr && op->emission->mask == 1 && names(op->operands[1], Bank::kScalar, mask)) mask = kNull;
  }
  return false;
}

Liveness::Liveness(const std::vector<Op>& operations, size_t entry) : operations_(operations) {
  find_reached(entry);
  if (reached_.empty()) return;
  first_ = reached_.front();
  index_.assign(reached_.back() - first_ + 1, -1);
  for (size_t i = 0; i < reached_.size(); ++i) index_[reached_[i] - first_] = int32_t(i);
  live_.resize(reached_.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = reached_.size(); i-- > 0;) {
      const Live live = before(reached_[i]);
      changed |= live != live_[i];
      live_[i] = live;
    }
  }
}

void Liveness::find_reached(size_t entry) {
  std::vector<bool> seen(operations_.size());
  for (std::vector<size_t> next{entry}; !next.empty();) {
    const size_t at = next.back();
    next.pop_back();
    if (at >= operations_.size() || seen[at]) continue;
    seen[at] = true;
    for (const size_t follower : followers(at)) next.push_back(follower);
  }
  for (size_t i = 0; i < seen.size(); ++i)
    if (seen[i]) reached_.push_back(i);
}

std::vector<size_t> Liveness::followers(size_t at) const {
  const Op& op = operations_[at];
  const std::string_view name = op.name;
  if (name == "s_endpgm") return {};
  std::vector<size_t> all;
  if (op.target != nullptr) all.push_back(size_t(op.target - operations_.data()));
  if (name != "s_branch" && name != "s_setpc_b64") all.push_back(at + 1);
  return all;
}

Liveness::Live Liveness::before(size_t at) const {
  const Op& op = operations_[at];
  Live live;
  const Live unknown{Registers().set(), Registers().set(), true};
  if (is_unknown(op)) return unknown;
  for (const size_t follower : followers(at)) {
    const Live* const next = found(follower);
    if (next == nullptr) return unknown;
    live.all |= next->all;
    live.any |= next->any;
    live.scc |= next->scc;
  }
  if (!keeps_active_lanes(op)) live.all = live.any;
  const SccUse scc = scc_use(op);
  live.scc = scc == SccUse::kReads || (scc == SccUse::kNone && live.scc);
  const int written = written_operand(op);
  const auto each = [&op](int operand, unsigned count, auto&& change) {
    const unsigned first = op.operands[operand].number;
    for (unsigned i = first; i < std::min(first + count, kRegisters); ++i) change(i);
  };
  if (written >= 0) each(written, words_of(op, written), [&](unsigned i) { live.all.reset(i); });
  for (int i = 0; i < op.operand_count; ++i)
    if (op.operands[i].bank == Bank::kVector && i != written)
      each(i, std::max<unsigned>(op.operands[i].count, 1), [&](unsigned k) { live.all.set(k), live.any.set(k); });
  return live;
}

const Liveness::Live* Liveness::found(size_t at) const {
  const size_t behind = at - first_;
  return behind < index_.size() && index_[behind] >= 0 ? &live_[size_t(index_[behind])] : nullptr;
}

bool Liveness::is_scc_dead(const Op& op) const {
  const Live* const live = found(size_t(&op - operations_.data()));
  return live != nullptr && !live->scc;
}

bool Liveness::is_dead(const Op& op, unsigned number) const {
  const Live* const live = found(size_t(&op - operations_.data()));
  return live != nullptr && number < kRegisters && !live->all[number];
}

}  // namespace hipport::emulate
