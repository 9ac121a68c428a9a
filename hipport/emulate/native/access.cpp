// SPDX-License-Identifier: MIT
// Where accesses go, and what tools are told of them.
#include "access.h"

#include "memory_kinds.h"

#include <optional>
#include <string>

namespace hipport::emulate {
namespace {

// Where a buffer is accessed, or no place if that is behind its end. Records count bytes, or elements if there is a
// stride and an index.
Place buffer_place(Wave& wave, const Op* op, const Access& access, unsigned lane, uint64_t offset, uint64_t moved) {
  const unsigned resource = op->operands[access.resource].number;
  const uint64_t stride = wave.scalars[resource + 1] >> 16 & 0x3fff, records = wave.scalars[resource + 2];
  const uint64_t index = access.by_index ? wave.v(op->operands[access.address].number)[lane] : 0;
  const bool structured = access.by_index && stride != 0;
  if (structured ? index >= records : offset + bytes_of(access) > records) return {Memory::kNone, 0};
  return {Memory::kGlobal, (wave.pair(resource) & 0xffffffffffffull) + index * stride + offset + moved};
}

// Return what one lane accesses: an address, or an offset in local or in the lane's private memory.
Place place_in(Wave& wave, const Op* op, const Access& access, unsigned lane) {
  const auto vector = [&](int operand, unsigned word) { return wave.v(op->operands[operand].number + word)[lane]; };
  const auto scalar = [&](int operand) -> uint64_t {
    const Operand& from = op->operands[operand];
    return from.bank == Bank::kConstant ? op->values[operand] : from.number == kNull ? 0 : wave.scalars[from.number];
  };
  switch (access.space) {
    case Space::kScratch: {
      uint32_t offset = uint32_t(access.offset);
      if (access.address >= 0) offset += vector(access.address, 0);
      if (access.scalar_base >= 0) offset += uint32_t(scalar(access.scalar_base));
      return {Memory::kPrivate, offset};
    }
    case Space::kBuffer: {
      const unsigned resource = op->operands[access.resource].number;
      uint64_t offset = uint64_t(access.offset);
      if (access.by_offset) offset += vector(access.address, access.by_index ? 1 : 0);
      const uint64_t moved = scalar(access.scalar_offset);
      if (wave.scalars[resource + 1] != kPrivateResource) return buffer_place(wave, op, access, lane, offset, moved);
      // Offsets in scalar registers count bytes of all lanes. The sum has 32 bits: a vector register may be negative.
      return {Memory::kPrivate, uint32_t(offset + moved / wave.lanes + uint64_t(wave.scalars[resource]) / wave.lanes)};
    }
    default: break;
  }
  uint64_t address = uint64_t(access.offset);
  if (access.scalar_base >= 0) {
    address += wave.pair(op->operands[access.scalar_base].number);
    if (access.address >= 0) address += vector(access.address, 0);
  } else if (access.address >= 0) {
    address += vector(access.address, 0) | uint64_t(vector(access.address, 1)) << 32;
  }
  if (access.by_lane) address += 4 * lane;
  if (access.space == Space::kFlat) {
    const uint32_t upper = uint32_t(address >> 32);
    if (upper == kLocalAperture) return {Memory::kLocal, uint32_t(address)};
    if (upper == kPrivateAperture) return {Memory::kPrivate, uint32_t(address)};
  }
  return {Memory::kGlobal, address};
}

}  // namespace

uint8_t* address_of(Wave& wave, const Op* op, const Access& access, unsigned lane) {
  const Place place = place_in(wave, op, access, lane);
  if (place.memory == Memory::kNone) return nullptr;
  if (place.memory == Memory::kGlobal) return reinterpret_cast<uint8_t*>(place.at);
  if (place.memory == Memory::kLocal) {
    if (place.at >= wave.group->local.size())
      throw Fault("shared memory is accessed at byte " + std::to_string(place.at));
    return wave.group->local.data() + place.at;
  }
  if (place.at >= wave.private_bytes)
    throw Fault("private memory is accessed at byte " + std::to_string(int64_t(place.at)) + " of " +
                std::to_string(wave.private_bytes));
  return wave.private_memory + size_t(lane) * wave.private_bytes + place.at;
}

uint8_t* local_at(Wave& wave, size_t offset, size_t bytes) {
  if (offset > wave.group->local.size() || bytes > wave.group->local.size() - offset)
    throw Fault("shared memory is accessed at byte " + std::to_string(int64_t(offset)) + " of " +
                std::to_string(wave.group->local.size()));
  return wave.group->local.data() + offset;
}

std::optional<AccessFacts> access_facts(const Op& op) {
  if (op.access == AccessKind::kScalar) return AccessFacts{true, false, false, true, 4u * op.operands[0].count};
  if (op.access == AccessKind::kNone) return {};
  const Access& access = *static_cast<const Access*>(op.extra);
  AccessFacts facts;
  facts.loads = access.action == Action::kLoad || access.returns;
  facts.stores = access.action == Action::kStore;
  facts.atomic = access.action == Action::kAtomic;
  facts.bytes = bytes_of(access);
  facts.words = access.words;
  facts.count = access.count;
  facts.high = access.high;
  facts.address = access.address;
  const bool is_whole = access.space == Space::kGlobal || access.space == Space::kFlat;
  facts.address_words = is_whole && access.scalar_base < 0 ? 2 : 1;
  facts.data[0] = access.data;
  facts.data[1] = access.data2;
  facts.result = access.action == Action::kLoad || access.returns ? access.result : -1;
  return facts;
}

Place place_of(Wave& wave, const Op* op, unsigned lane, unsigned number) {
  if (op->access == AccessKind::kScalar) {
    uint64_t address = (wave.pair(op->operands[1].number) & ~uint64_t(3)) + uint64_t(op->immediate);
    if (op->extra != nullptr) address += wave.scalars[reinterpret_cast<uintptr_t>(op->extra) - 1];
    return {Memory::kGlobal, address};
  }
  const Access& access = *static_cast<const Access*>(op->extra);
  if (op->access == AccessKind::kLocal)
    return {Memory::kLocal, uint32_t(wave.v(op->operands[access.address].number)[lane] + access.offsets[number])};
  return place_in(wave, op, access, lane);
}

}  // namespace hipport::emulate
