// SPDX-License-Identifier: MIT
#include "races.h"

#include <algorithm>

namespace hipport::emulate {

void Races::start(size_t waves) {
  waves_ = std::min<size_t>(waves, kMostWaves);
  clocks_.assign(waves_, Clocks{});
  for (size_t i = 0; i < waves_; ++i) clocks_[i][i] = 1;
  cells_.clear();
  passed_.clear();
}

void Races::meet() {
  Clocks latest{};
  for (const Clocks& clocks : clocks_)
    for (size_t i = 0; i < waves_; ++i) latest[i] = std::max(latest[i], clocks[i]);
  for (size_t i = 0; i < waves_; ++i) {
    clocks_[i] = latest;
    ++clocks_[i][i];
  }
}

void Races::pass_on(uint64_t address, unsigned wave, bool atomic, bool reads, bool writes) {
  auto found = passed_.find(address);
  if (found == passed_.end()) {
    if (!atomic) return;
    found = passed_.emplace(address, Clocks{}).first;
  }
  Clocks &mine = clocks_[wave], &passed = found->second;
  if (reads)
    for (size_t i = 0; i < waves_; ++i) mine[i] = std::max(mine[i], passed[i]);
  if (!writes) return;
  for (size_t i = 0; i < waves_; ++i) passed[i] = std::max(mine[i], passed[i]);
  ++mine[wave];
}

const Event* Races::access(uint64_t address, const Event& event, bool writes, bool atomic, bool keeps) {
  Cell& cell = cells_[address / 4];
  const bool hits_write = (cell.write.bytes & event.bytes) != 0;
  if (writes && keeps && hits_write) {
    cell.same_writers |= 1u << event.wave;
    return nullptr;
  }
  const Event* found = nullptr;
  const auto conflicts = [&](const Event& before) {
    return (before.bytes & event.bytes) != 0 && !is_ordered(before, event.wave);
  };
  if (conflicts(cell.write) && !(!writes && cell.same_writers >> event.wave & 1)) found = &cell.write;
  if (found == nullptr && !atomic && conflicts(cell.atomic)) found = &cell.atomic;
  if (found == nullptr && writes && !atomic)
    for (const Event& read : cell.reads)
      if (conflicts(read)) found = &read;
  if (found != nullptr) found_ = *found;
  if (atomic) {
    cell.atomic = event;
  } else if (writes) {
    const bool joins = cell.write.wave == event.wave && cell.write.clock == event.clock && cell.write.op == event.op;
    const uint8_t bytes = joins ? cell.write.bytes | event.bytes : event.bytes;
    cell.write = event;
    cell.write.bytes = bytes;
    cell.atomic = {};
    cell.same_writers = 0;
    cell.reads[0] = cell.reads[1] = {};
  } else {
    Event& first = cell.reads[0];
    if (first.op == nullptr || first.wave == event.wave)
      first = event;
    else
      cell.reads[1] = event;
  }
  return found != nullptr ? &found_ : nullptr;
}

}  // namespace hipport::emulate
