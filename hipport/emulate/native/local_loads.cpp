// SPDX-License-Identifier: MIT
#include "local_loads.h"

#include <algorithm>

namespace hipport::emulate {
namespace {

constexpr uint32_t kWordBytes = 4;

}  // namespace

const Access* local_load(const Op& op) {
  if (op.access != AccessKind::kLocal) return nullptr;
  const Access& access = *static_cast<const Access*>(op.extra);
  const bool can = access.space == Space::kLocal && access.action == Action::kLoad && access.part == Part::kWhole &&
                   access.address >= 0 && access.result == 0 && access.words <= 4 && !access.to_local;
  return can ? &access : nullptr;
}

Reach reach_of_loads(const Op* op, unsigned number) {
  Reach reach;
  for (; op->fusing != Fusing::kAlone && op->fusing != Fusing::kEnd; ++op) {
    if (const Access* const access = local_load(*op);
        access != nullptr && op->operands[access->address].number == number) {
      for (unsigned i = 0; i < access->count; ++i)
        reach.extent = std::max<uint32_t>(reach.extent, access->offsets[i] + kWordBytes * access->words);
      reach.is_one |= access->words > 2;
    }
    const Operand& result = op->operands[0];
    if (result.bank == Bank::kVector && number - result.number < std::max<unsigned>(result.count, 1)) break;
  }
  return reach;
}

}  // namespace hipport::emulate
