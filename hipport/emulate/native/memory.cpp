// SPDX-License-Identifier: MIT
// Loads, stores and atomic operations on global, local and private memory.
#include "memory_kinds.h"

#include "bind.h"
#include "lanes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>

namespace hipport::emulate {
namespace {

uint32_t loaded_part(const uint8_t* from, Part part) {
  uint16_t wide = 0;
  switch (part) {
    case Part::kUnsigned8: return *from;
    case Part::kSigned8: return uint32_t(int32_t(int8_t(*from)));
    case Part::kUnsigned16: std::memcpy(&wide, from, 2); return wide;
    case Part::kSigned16: std::memcpy(&wide, from, 2); return uint32_t(int32_t(int16_t(wide)));
    default: return 0;
  }
}

constexpr uint8_t kZeros[16] = {};  // what loads beyond the end of memory read

uint32_t kept(uint32_t old, uint32_t loaded, Keep keep) {
  if (keep == Keep::kNothing) return loaded;
  return keep == Keep::kHigh ? (old & 0xffff0000u) | (loaded & 0xffff) : (old & 0xffff) | loaded << 16;
}

void load(Wave& wave, const Op* op, const Access& access, const uint8_t* from, unsigned lane, unsigned at) {
  const unsigned to = op->operands[access.result].number + at * access.words;
  if (access.part != Part::kWhole) {
    uint32_t& result = wave.v(to)[lane];
    result = kept(result, loaded_part(from, access.part), access.keep);
    return;
  }
  for (unsigned word = 0; word < access.words; ++word) std::memcpy(&wave.v(to + word)[lane], from + 4 * word, 4);
}

void store(Wave& wave, const Op* op, const Access& access, uint8_t* to, unsigned lane, unsigned at) {
  const unsigned from = op->operands[at == 0 ? access.data : access.data2].number;
  if (access.part != Part::kWhole) {
    const uint32_t value = wave.v(from)[lane] >> (access.high ? 16 : 0);
    std::memcpy(to, &value, bytes_of(access));
    return;
  }
  for (unsigned word = 0; word < access.words; ++word) std::memcpy(to + 4 * word, &wave.v(from + word)[lane], 4);
}

void change(Wave& wave, const Op* op, const Access& access, uint8_t* at, unsigned lane, unsigned index = 0) {
  const auto value = [&](unsigned number) -> uint64_t {
    return wave.v(number)[lane] | (access.words == 2 ? uint64_t(wave.v(number + 1)[lane]) << 32 : 0);
  };
  const unsigned data = op->operands[index == 0 ? access.data : access.data2].number;
  uint64_t first = value(data), second = 0;
  if (access.compares)
    second = access.data2 >= 0 ? value(op->operands[access.data2].number) : value(data + access.words);
  const uint64_t old = access.modify(at, first, second);
  if (!access.returns) return;
  const unsigned to = op->operands[access.result].number + index * access.words;
  wave.v(to)[lane] = uint32_t(old);
  if (access.words == 2) wave.v(to + 1)[lane] = uint32_t(old >> 32);
}

}  // namespace

const Op* run_access(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    uint8_t* at = address_of(wave, op, access, lane);
    if (at == nullptr && access.space == Space::kBuffer) {  // loads return 0, all else has no effect
      if (access.action == Action::kLoad) load(wave, op, access, kZeros, lane, 0);
      continue;
    }
    switch (access.action) {
      case Action::kLoad: load(wave, op, access, at, lane, 0); break;
      case Action::kStore: store(wave, op, access, at, lane, 0); break;
      case Action::kAtomic: change(wave, op, access, at, lane); break;
    }
  }
  return op + 1;
}

const Op* run_local(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  std::vector<uint8_t>& local = wave.group->local;
  const unsigned bytes = bytes_of(access);
  const uint32_t* const addresses = wave.v(op->operands[access.address].number);
  // A load may overwrite its own addresses.
  uint32_t base[kMaxLanes];
  std::copy(addresses, addresses + wave.lanes, base);
  for (unsigned i = 0; i < access.count; ++i) {
    for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
      const unsigned lane = unsigned(std::countr_zero(left));
      const uint32_t offset = base[lane] + access.offsets[i];
      if (size_t(offset) + bytes > local.size()) {
        // As the hardware does: loads return 0 and stores are lost.
        if (access.action == Action::kLoad) load(wave, op, access, kZeros, lane, i);
        continue;
      }
      uint8_t* const at = local.data() + offset;
      switch (access.action) {
        case Action::kLoad: load(wave, op, access, at, lane, i); break;
        case Action::kStore: store(wave, op, access, at, lane, i); break;
        case Action::kAtomic: change(wave, op, access, at, lane, i); break;
      }
    }
  }
  return op + 1;
}

namespace {

// Local memory at m0: a counter that all active lanes change together, and the word of each lane.
template <bool Append>
const Op* count_lanes(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  auto* const counter =
      reinterpret_cast<uint32_t*>(local_at(wave, (wave.scalars[kM0] & 0xffff) + access.offsets[0], 4));
  const uint32_t active = uint32_t(std::popcount(wave.exec())), old = *counter;
  *counter = Append ? old + active : old - active;
  uint32_t* const to = wave.v(op->operands[access.result].number);
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) to[i] = old;
  return op + 1;
}
template <bool Load>
const Op* access_own_word(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  uint32_t* const words = wave.v(op->operands[Load ? access.result : access.data].number);
  for (unsigned i = 0; i < wave.lanes; ++i) {
    if (!(wave.exec() >> i & 1)) continue;
    uint8_t* const at = local_at(wave, (wave.scalars[kM0] & 0xffff) + access.offsets[0] + 4 * i, 4);
    std::memcpy(Load ? static_cast<void*>(&words[i]) : at, Load ? at : static_cast<void*>(&words[i]), 4);
  }
  return op + 1;
}

// From global to local memory: each lane's words, one lane after the other, from m0 on.
const Op* load_to_local(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  const size_t bytes = 4 * access.words;
  const size_t start = (wave.scalars[kM0] & 0xffff) + (access.space == Space::kBuffer ? 0 : size_t(access.offset));
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    static constexpr uint8_t nothing[16] = {};
    const uint8_t* from = address_of(wave, op, access, lane);
    if (from == nullptr && access.space == Space::kBuffer) from = nothing;
    uint8_t* const to = local_at(wave, start + lane * bytes, bytes);
    const uint32_t part = access.part == Part::kWhole ? 0 : loaded_part(from, access.part);
    std::memcpy(to, access.part == Part::kWhole ? from : reinterpret_cast<const uint8_t*>(&part), bytes);
  }
  return op + 1;
}

// Exchanges between lanes that go through the hardware of local memory: to a lane, or from one, which gives 0 if it is not
// active, or from one in any case.
enum class Exchange { kSend, kFetchActive, kFetch };
template <Exchange kKind>
const Op* permute(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  const uint32_t* const addresses = wave.v(op->operands[access.address].number);
  const uint32_t* const from = wave.v(op->operands[access.data].number);
  uint32_t found[kMaxLanes] = {};
  for (unsigned i = 0; i < wave.lanes; ++i) {
    if (!(wave.exec() >> i & 1)) continue;
    const unsigned other = (addresses[i] + access.offsets[0]) / 4 % wave.lanes;
    if (kKind == Exchange::kSend)
      found[other] = from[i];
    else
      found[i] = kKind == Exchange::kFetch || wave.exec() >> other & 1 ? from[other] : 0;
  }
  uint32_t* const to = wave.v(op->operands[access.result].number);
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) to[i] = found[i];
  return op + 1;
}

// The lane of 32 that ds_swizzle reads for a lane.
unsigned swizzled(unsigned lane, unsigned pattern) {
  const unsigned mask = pattern & 31;
  if (pattern >= 0xe000) {  // the order of a fast Fourier transform
    unsigned reversed = 0;
    for (unsigned bit = 0; bit < 5; ++bit) reversed |= (lane >> bit & 1) << (4 - bit);
    return reversed >> std::popcount(mask) | (lane & mask);
  }
  if (pattern >= 0xc000) {  // rotation
    const unsigned distance = pattern >> 5 & 31, moved = pattern >> 10 & 1 ? lane - distance : lane + distance;
    return (lane & mask) | (moved & 31 & ~mask);
  }
  if (pattern >> 15) return (lane & ~3u) | (pattern >> (2 * (lane & 3)) & 3);
  return ((lane & mask) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
}

const Op* swizzle(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  const uint32_t* const from = wave.v(op->operands[access.address].number);
  uint32_t found[kMaxLanes];
  for (unsigned i = 0; i < wave.lanes; ++i) {
    const unsigned other = (i & 32) | swizzled(i & 31, access.offsets[0]);
    found[i] = wave.exec() >> other & 1 ? from[other] : 0;
  }
  uint32_t* const to = wave.v(op->operands[access.result].number);
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) to[i] = found[i];
  return op + 1;
}

// Scalar loads.
const Op* load_scalars(Wave& wave, const Op* op) {
  const unsigned base = op->operands[1].number, count = op->operands[0].count, to = op->operands[0].number;
  uint64_t address = wave.pair(base) & ~uint64_t(3);
  address += uint64_t(op->immediate);
  if (op->extra != nullptr) address += wave.scalars[reinterpret_cast<uintptr_t>(op->extra) - 1];
  uint32_t words[16];
  std::memcpy(words, reinterpret_cast<const void*>(address), count * 4);
  std::copy(words, words + count, wave.scalars + to);
  if (to <= kExec + 1 && to + count > kExec) wave.exec_changed();
  return op + 1;
}

// Where a scalar load from a buffer reads, or null behind its end.
const uint8_t* scalar_address(Wave& wave, const Op* op, bool is_buffer, unsigned bytes) {
  const unsigned base = op->operands[1].number;
  uint64_t offset = uint64_t(op->immediate);
  if (op->extra != nullptr) offset += wave.scalars[reinterpret_cast<uintptr_t>(op->extra) - 1];
  if (is_buffer && offset + bytes > wave.scalars[base + 2]) return nullptr;
  return reinterpret_cast<const uint8_t*>((is_buffer ? wave.pair(base) & 0xffffffffffffull : wave.pair(base)) + offset);
}
const Op* load_scalars_from_buffer(Wave& wave, const Op* op) {
  const unsigned count = op->operands[0].count, to = op->operands[0].number;
  for (unsigned i = 0; i < count; ++i) {
    const uint8_t* const from = scalar_address(wave, op, true, 4 * i + 4);
    wave.scalars[to + i] = 0;
    if (from != nullptr) std::memcpy(&wave.scalars[to + i], from + 4 * i, 4);
  }
  if (to <= kExec + 1 && to + count > kExec) wave.exec_changed();
  return op + 1;
}
template <Part P, bool Buffer>
const Op* load_scalar_part(Wave& wave, const Op* op) {
  const uint8_t* const from = scalar_address(wave, op, Buffer, bytes_of(P, 1));
  const unsigned to = op->operands[0].number;
  wave.scalars[to] = from == nullptr ? 0 : loaded_part(from, P);
  if (to == kExec || to == kExec + 1) wave.exec_changed();
  return op + 1;
}
Run scalar_load(std::string_view name, bool is_buffer) {
  if (name == "u8")
    return is_buffer ? &load_scalar_part<Part::kUnsigned8, true> : &load_scalar_part<Part::kUnsigned8, false>;
  if (name == "i8")
    return is_buffer ? &load_scalar_part<Part::kSigned8, true> : &load_scalar_part<Part::kSigned8, false>;
  if (name == "u16")
    return is_buffer ? &load_scalar_part<Part::kUnsigned16, true> : &load_scalar_part<Part::kUnsigned16, false>;
  if (name == "i16")
    return is_buffer ? &load_scalar_part<Part::kSigned16, true> : &load_scalar_part<Part::kSigned16, false>;
  return is_buffer ? &load_scalars_from_buffer : &load_scalars;
}

int64_t signed_field(uint64_t value, unsigned width) { return int64_t(value << (64 - width)) >> (64 - width); }

}  // namespace

void bind_places(const Processor& processor, const Decoded& decoded, Access& access) {
  for (size_t i = 0; i < decoded.row->slots.size(); ++i) {
    const std::string_view field = decoded.row->slots[i].field;
    if (field == "vdst") access.result = int(i);
    if (field == "addr") access.address = int(i);
    if (field == "vaddr" && (decoded.get("offen") || decoded.get("idxen"))) access.address = int(i);
    if (field == "data" || field == "data0") access.data = int(i);
    if (field == "vdata") access.data = access.result = int(i);
    if (field == "data1") access.data2 = int(i);
    if (field == "srsrc") access.resource = int(i);
    if (field == "soffset") access.scalar_offset = int(i);
  }
  access.by_index = decoded.get("idxen");
  access.by_offset = decoded.get("offen");
  if (decoded.has("offset") && access.space != Space::kLocal) {
    const unsigned width = decoded.format->fields.at("offset").width;
    // Offsets of flat instructions are unsigned before gfx12, and those of buffers are always.
    const bool is_signed =
        access.space != Space::kBuffer && (access.space != Space::kFlat || processor.generation >= 12);
    access.offset = is_signed ? signed_field(decoded.get("offset"), width) : int64_t(decoded.get("offset"));
  }
}

namespace {

bool bind_access(const Processor& processor, const Decoded& decoded, Op& op) {
  const std::string_view format = decoded.format->name;
  if (format == "SMEM") {
    std::string_view name = decoded.name;
    const bool is_buffer = name.starts_with("s_buffer_load_");
    if (!is_buffer && !name.starts_with("s_load_")) return false;
    name.remove_prefix(std::string_view(is_buffer ? "s_buffer_load_" : "s_load_").size());
    op.run = scalar_load(name, is_buffer);
    if (op.run == &load_scalars) {
      op.access = AccessKind::kScalar;
      op.fusing = Fusing::kCall;
    }
    const unsigned width = decoded.format->fields.at("offset").width;
    op.immediate = signed_field(decoded.get("offset"), width);
    unsigned offset_register = 0;
    if (processor.generation == 9) {
      const bool has_register = decoded.get("soffset_en"), has_constant = decoded.get("imm");
      const unsigned number = unsigned(has_register ? decoded.get("soffset") : decoded.get("offset") & 127);
      if (has_register || !has_constant) offset_register = (number == 124 ? unsigned(kM0) : number) + 1;
      if (!has_constant) op.immediate = 0;
    } else {
      const unsigned null = processor.generation >= 11 ? 124 : 125;
      const unsigned number = unsigned(decoded.get("soffset"));
      if (number != null)
        offset_register = (number == (processor.generation >= 11 ? 125u : 124u) ? unsigned(kM0) : number) + 1;
    }
    op.extra = reinterpret_cast<const void*>(uintptr_t(offset_register));
    return true;
  }
  std::optional<Access> found;
  if (decoded.name == "ds_bpermute_b32" || decoded.name == "ds_bpermute_fi_b32" || decoded.name == "ds_permute_b32" ||
      decoded.name == "ds_swizzle_b32")
    found = Access{Space::kLocal, Action::kLoad};
  else if (decoded.name == "ds_append" || decoded.name == "ds_consume" ||
           (decoded.name.starts_with("ds_") && decoded.name.find("_addtid_b32") != decoded.name.npos))
    found = Access{Space::kLocal, Action::kLoad};
  else
    found = described_access(decoded.name, processor.generation);
  if (!found) return false;
  Access* const access = new Access(*found);  // lives as long as the program
  bind_places(processor, decoded, *access);
  op.extra = access;
  if (access->space == Space::kBuffer && processor.generation <= 10 && decoded.get("lds")) access->to_local = true;
  op.run = access->to_local ? &load_to_local : access->block ? &move_block : &run_access;
  if (access->transposed != 0) op.run = &load_transposed_global;
  if (access->space == Space::kLocal) {
    const unsigned first = unsigned(decoded.get("offset0")), second = unsigned(decoded.get("offset1"));
    if (access->count == 2) {
      access->offsets[0] = first * access->stride;
      access->offsets[1] = second * access->stride;
    } else {
      access->offsets[0] = first | second << 8;
    }
    op.run = decoded.name == "ds_bpermute_b32"      ? &permute<Exchange::kFetchActive>
             : decoded.name == "ds_bpermute_fi_b32" ? &permute<Exchange::kFetch>
             : decoded.name == "ds_permute_b32"     ? &permute<Exchange::kSend>
             : decoded.name == "ds_swizzle_b32"     ? &swizzle
             : decoded.name == "ds_append"          ? &count_lanes<true>
             : decoded.name == "ds_consume"         ? &count_lanes<false>
             : decoded.name.find("addtid") != decoded.name.npos
                 ? (decoded.row->slots[0].field == "vdst" ? &access_own_word<true> : &access_own_word<false>)
             : access->transposed != 0 ? &load_transposed_local
                                       : &run_local;
    const bool swapped = decoded.name.find("cmpst_") != decoded.name.npos;  // ds_cmpst has the comparand first
    if (swapped) std::swap(access->data, access->data2);
    return true;
  }
  const unsigned null = processor.generation == 9 ? 127 : processor.generation == 10 ? 125 : 124;
  if (decoded.has("saddr")) {
    const unsigned base = unsigned(decoded.get("saddr"));
    const bool has_base = base != null && base != 127 && access->space != Space::kFlat;
    if (has_base) {
      op.operands[op.operand_count] = {Bank::kScalar, 2, uint16_t(base), 0};
      access->scalar_base = op.operand_count++;
    }
    if (access->space == Space::kScratch) {
      // A bit of gfx942, gfx950 and gfx11 on says that there is a vector register; before, it is there without a base.
      const bool late_gfx9 = processor.name == "gfx942" || processor.name == "gfx950";
      const bool is_marked = late_gfx9 ? decoded.get("lds") : decoded.get("sve");
      access->address = -1;
      if (decoded.has("sve") || late_gfx9 ? is_marked : !has_base) {
        op.operands[op.operand_count] = {Bank::kVector, 1, uint16_t(decoded.get("addr")), 0};
        access->address = op.operand_count++;
      }
    }
  }
  if (access->action == Action::kAtomic) {
    access->returns = processor.generation >= 12 ? decoded.get("th") & 1 : decoded.get("glc");
    if (access->returns && access->result < 0) {
      op.operands[op.operand_count] = {Bank::kVector, 1, uint16_t(decoded.get("vdst")), 0};
      access->result = op.operand_count++;
    }
  }
  return true;
}

}  // namespace

bool bind_memory(const Processor& processor, const Decoded& decoded, unsigned lanes, Op& op) {
  if (!bind_access(processor, decoded, op)) return false;
  // What they do in wavefronts of 64 lanes is not documented.
  if (op.run == &load_transposed_global) return op.access = AccessKind::kVector, lanes == 32;
  if (op.run == &load_transposed_local) op.access = AccessKind::kLocal;
  if (op.run == &run_access || op.run == &run_local) {
    op.access = op.run == &run_local ? AccessKind::kLocal : AccessKind::kVector;
    const Access& access = *static_cast<const Access*>(op.extra);
    if (const Run fast = access.by_lane ? nullptr : fast_access(access, lanes)) {
      op.run = fast;
      if (access.space != Space::kFlat) op.fusing = Fusing::kCall;
    }
  }
  return true;
}

}  // namespace hipport::emulate
