// SPDX-License-Identifier: MIT
// Loads, stores and atomic operations on global, local and private memory.
#include "bind.h"
#include "lanes.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

namespace hipport::emulate {
namespace {

// How an instruction computes its addresses.
enum class Space : uint8_t { kGlobal, kFlat, kScratch, kBuffer, kLocal };

// The kinds of access, to `words` registers or to a part of one.
enum class Action : uint8_t { kLoad, kStore, kAtomic };
enum class Part : uint8_t { kWhole, kUnsigned8, kSigned8, kUnsigned16, kSigned16 };
enum class Keep : uint8_t { kNothing, kHigh, kLow };  // d16: which half of the register stays as it is

// One read-modify-write of the memory at `p`; returns the old value.
using Modify = uint64_t (*)(void* p, uint64_t data, uint64_t compare);

// An access, found in op->extra.
struct Access {
  Space space;
  Action action;
  Part part = Part::kWhole;
  Keep keep = Keep::kNothing;
  bool high = false;                          // store the upper half
  unsigned words = 1, count = 1, stride = 0;  // of ds_read2 and its like: two accesses, `stride` bytes apart
  unsigned offsets[2] = {};
  int64_t offset = 0;
  Modify modify = nullptr;
  bool returns = false, compares = false;
  // Indexes into op->operands, or -1.
  int address = -1, data = -1, data2 = -1, result = -1, scalar_base = -1, scalar_offset = -1, resource = -1;
};

template <typename T, auto F>
uint64_t modify(void* p, uint64_t data, uint64_t) {
  T* const to = static_cast<T*>(p);
  const T operand = value_of<T>(uint32_t(data), uint32_t(data >> 32));
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  Bits* const bits = reinterpret_cast<Bits*>(to);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    const Bits next = std::bit_cast<Bits>(F(std::bit_cast<T>(old), operand));
    if (__atomic_compare_exchange_n(bits, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) return old;
  }
}
template <typename T>
uint64_t compare_and_swap(void* p, uint64_t data, uint64_t compare) {
  T expected = T(compare);
  __atomic_compare_exchange_n(static_cast<T*>(p), &expected, T(data), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

HalfPair add_halves(HalfPair a, HalfPair b) {
  const auto sum = [](uint32_t x, uint32_t y) {
    return uint32_t(std::bit_cast<uint16_t>(Half(std::bit_cast<Half>(uint16_t(x)) + std::bit_cast<Half>(uint16_t(y)))));
  };
  return {sum(a.bits, b.bits) | sum(a.bits >> 16, b.bits >> 16) << 16};
}

template <typename U, typename S>
void add_integer_atomics(std::map<std::string, Modify>& table, const std::string& unsigned_type,
                         const std::string& signed_type, const std::string& bits) {
  table["add_" + unsigned_type] = &modify<U, ([](U a, U b) { return U(a + b); })>;
  table["sub_" + unsigned_type] = &modify<U, ([](U a, U b) { return U(a - b); })>;
  table["rsub_" + unsigned_type] = &modify<U, ([](U a, U b) { return U(b - a); })>;
  table["min_" + unsigned_type] = &modify<U, ([](U a, U b) { return std::min(a, b); })>;
  table["max_" + unsigned_type] = &modify<U, ([](U a, U b) { return std::max(a, b); })>;
  table["min_" + signed_type] = &modify<S, ([](S a, S b) { return std::min(a, b); })>;
  table["max_" + signed_type] = &modify<S, ([](S a, S b) { return std::max(a, b); })>;
  table["inc_" + unsigned_type] = &modify<U, ([](U a, U b) { return a >= b ? U(0) : U(a + 1); })>;
  table["dec_" + unsigned_type] = &modify<U, ([](U a, U b) { return a == 0 || a > b ? b : U(a - 1); })>;
  table["and_" + bits] = &modify<U, ([](U a, U b) { return U(a & b); })>;
  table["or_" + bits] = &modify<U, ([](U a, U b) { return U(a | b); })>;
  table["xor_" + bits] = &modify<U, ([](U a, U b) { return U(a ^ b); })>;
  table["swap_" + bits] = &modify<U, ([](U, U b) { return b; })>;
  table["cmpswap_" + bits] = &compare_and_swap<U>;
}

const std::map<std::string, Modify>& modifications() {
  static const std::map<std::string, Modify> all = [] {
    std::map<std::string, Modify> table;
    add_integer_atomics<uint32_t, int32_t>(table, "u32", "i32", "b32");
    add_integer_atomics<uint64_t, int64_t>(table, "u64", "i64", "b64");
    table["add_f32"] = &modify<float, ([](float a, float b) { return a + b; })>;
    table["add_f64"] = &modify<double, ([](double a, double b) { return a + b; })>;
    for (const char* name : {"min_f32", "min_num_f32"})
      table[name] = &modify<float, ([](float a, float b) { return a < b || b != b ? a : b; })>;
    for (const char* name : {"max_f32", "max_num_f32"})
      table[name] = &modify<float, ([](float a, float b) { return a > b || b != b ? a : b; })>;
    table["min_f64"] = &modify<double, ([](double a, double b) { return a < b || b != b ? a : b; })>;
    table["max_f64"] = &modify<double, ([](double a, double b) { return a > b || b != b ? a : b; })>;
    table["pk_add_f16"] = &modify<HalfPair, ([](HalfPair a, HalfPair b) { return add_halves(a, b); })>;
    return table;
  }();
  return all;
}

// The address for one lane. `local` is set for local memory.
uint8_t* address_of(Wave& wave, const Op* op, const Access& access, unsigned lane) {
  const auto vector = [&](int operand, unsigned word) { return wave.v(op->operands[operand].number + word)[lane]; };
  const auto scalar = [&](int operand) -> uint64_t {
    const Operand& from = op->operands[operand];
    return from.bank == Bank::kConstant ? op->values[operand] : from.number == kNull ? 0 : wave.scalars[from.number];
  };
  const auto private_at = [&](uint64_t offset) -> uint8_t* {
    if (offset >= wave.private_bytes)
      throw Fault("private memory is accessed at byte " + std::to_string(int64_t(offset)) + " of " +
                  std::to_string(wave.private_bytes));
    return wave.private_memory + size_t(lane) * wave.private_bytes + offset;
  };
  switch (access.space) {
    case Space::kScratch: {
      uint32_t offset = uint32_t(access.offset);
      if (access.address >= 0) offset += vector(access.address, 0);
      if (access.scalar_base >= 0) offset += uint32_t(scalar(access.scalar_base));
      return private_at(offset);
    }
    case Space::kBuffer: {
      const unsigned resource = op->operands[access.resource].number;
      uint64_t offset = uint64_t(access.offset);
      if (access.address >= 0) offset += vector(access.address, 0);
      const uint64_t moved = scalar(access.scalar_offset);
      if (wave.scalars[resource + 1] >> 0 != kPrivateResource)
        return reinterpret_cast<uint8_t*>((wave.pair(resource) & 0xffffffffffffull) + offset + moved);
      // Offsets in scalar registers count bytes of all lanes.
      return private_at(offset + moved / wave.lanes + uint64_t(wave.scalars[resource]) / wave.lanes);
    }
    default: break;
  }
  uint64_t address = uint64_t(access.offset);
  if (access.scalar_base >= 0) {
    address += wave.pair(op->operands[access.scalar_base].number);
    if (access.address >= 0) address += vector(access.address, 0);
  } else {
    address += vector(access.address, 0) | uint64_t(vector(access.address, 1)) << 32;
  }
  if (access.space == Space::kFlat) {
    const uint32_t upper = uint32_t(address >> 32);
    if (upper == kLocalAperture) {
      const uint32_t at = uint32_t(address);
      if (at >= wave.group->local.size()) throw Fault("shared memory is accessed at byte " + std::to_string(at));
      return wave.group->local.data() + at;
    }
    if (upper == kPrivateAperture) return private_at(uint32_t(address));
  }
  return reinterpret_cast<uint8_t*>(address);
}

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
    std::memcpy(to, &value, access.part == Part::kUnsigned8 || access.part == Part::kSigned8 ? 1 : 2);
    return;
  }
  for (unsigned word = 0; word < access.words; ++word) std::memcpy(to + 4 * word, &wave.v(from + word)[lane], 4);
}

void change(Wave& wave, const Op* op, const Access& access, uint8_t* at, unsigned lane) {
  const auto value = [&](unsigned number) -> uint64_t {
    return wave.v(number)[lane] | (access.words == 2 ? uint64_t(wave.v(number + 1)[lane]) << 32 : 0);
  };
  const unsigned data = op->operands[access.data].number;
  uint64_t first = value(data), second = 0;
  if (access.compares)
    second = access.data2 >= 0 ? value(op->operands[access.data2].number) : value(data + access.words);
  const uint64_t old = access.modify(at, first, second);
  if (!access.returns) return;
  const unsigned to = op->operands[access.result].number;
  wave.v(to)[lane] = uint32_t(old);
  if (access.words == 2) wave.v(to + 1)[lane] = uint32_t(old >> 32);
}

const Op* run_access(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    uint8_t* const at = address_of(wave, op, access, lane);
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
  const unsigned bytes = access.part == Part::kWhole ? 4 * access.words : 2;
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
        if (access.action == Action::kLoad)
          for (unsigned word = 0; word < access.words; ++word)
            wave.v(op->operands[access.result].number + i * access.words + word)[lane] = 0;
        continue;
      }
      uint8_t* const at = local.data() + offset;
      switch (access.action) {
        case Action::kLoad: load(wave, op, access, at, lane, i); break;
        case Action::kStore: store(wave, op, access, at, lane, i); break;
        case Action::kAtomic: change(wave, op, access, at, lane); break;
      }
    }
  }
  return op + 1;
}

// Exchanges between lanes that go through the hardware of local memory.
template <bool Backward>
const Op* permute(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  const uint32_t* const addresses = wave.v(op->operands[access.address].number);
  const uint32_t* const from = wave.v(op->operands[access.data].number);
  uint32_t found[kMaxLanes] = {};
  for (unsigned i = 0; i < wave.lanes; ++i) {
    if (!(wave.exec() >> i & 1)) continue;
    const unsigned other = (addresses[i] + access.offsets[0]) / 4 % wave.lanes;
    if (!Backward)
      found[other] = from[i];
    else
      found[i] = wave.exec() >> other & 1 ? from[other] : 0;
  }
  uint32_t* const to = wave.v(op->operands[access.result].number);
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (wave.exec() >> i & 1) to[i] = found[i];
  return op + 1;
}

const Op* swizzle(Wave& wave, const Op* op) {
  const Access& access = *static_cast<const Access*>(op->extra);
  const unsigned pattern = access.offsets[0];
  const uint32_t* const from = wave.v(op->operands[access.address].number);
  uint32_t found[kMaxLanes];
  for (unsigned i = 0; i < wave.lanes; ++i) {
    unsigned other;
    if (pattern >> 15)
      other = (i & ~3u) | (pattern >> (2 * (i & 3)) & 3);
    else
      other = (i & 32) | ((((i & 31) & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31));
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

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// Take `start` off the text.
bool taken(std::string_view& text, std::string_view start) {
  if (!starts_with(text, start)) return false;
  text.remove_prefix(start.size());
  return true;
}

struct Shape {
  Part part;
  unsigned words;
  Keep keep = Keep::kNothing;
  bool high = false;
};

// The names of gfx9 and gfx10, and those of gfx11 and later.
const std::map<std::string_view, Shape>& shapes() {
  static const std::map<std::string_view, Shape> all = {{"dword", {Part::kWhole, 1}},
                                                        {"dwordx2", {Part::kWhole, 2}},
                                                        {"dwordx3", {Part::kWhole, 3}},
                                                        {"dwordx4", {Part::kWhole, 4}},
                                                        {"b32", {Part::kWhole, 1}},
                                                        {"b64", {Part::kWhole, 2}},
                                                        {"b96", {Part::kWhole, 3}},
                                                        {"b128", {Part::kWhole, 4}},
                                                        {"ubyte", {Part::kUnsigned8, 1}},
                                                        {"sbyte", {Part::kSigned8, 1}},
                                                        {"ushort", {Part::kUnsigned16, 1}},
                                                        {"sshort", {Part::kSigned16, 1}},
                                                        {"byte", {Part::kUnsigned8, 1}},
                                                        {"short", {Part::kUnsigned16, 1}},
                                                        {"b8", {Part::kUnsigned8, 1}},
                                                        {"b16", {Part::kUnsigned16, 1}},
                                                        {"u8", {Part::kUnsigned8, 1}},
                                                        {"i8", {Part::kSigned8, 1}},
                                                        {"u16", {Part::kUnsigned16, 1}},
                                                        {"i16", {Part::kSigned16, 1}},
                                                        {"ubyte_d16", {Part::kUnsigned8, 1, Keep::kHigh}},
                                                        {"ubyte_d16_hi", {Part::kUnsigned8, 1, Keep::kLow}},
                                                        {"sbyte_d16", {Part::kSigned8, 1, Keep::kHigh}},
                                                        {"sbyte_d16_hi", {Part::kSigned8, 1, Keep::kLow}},
                                                        {"short_d16", {Part::kUnsigned16, 1, Keep::kHigh}},
                                                        {"short_d16_hi", {Part::kUnsigned16, 1, Keep::kLow, true}},
                                                        {"byte_d16_hi", {Part::kUnsigned8, 1, Keep::kNothing, true}},
                                                        {"d16_u8", {Part::kUnsigned8, 1, Keep::kHigh}},
                                                        {"d16_i8", {Part::kSigned8, 1, Keep::kHigh}},
                                                        {"d16_b16", {Part::kUnsigned16, 1, Keep::kHigh}},
                                                        {"d16_hi_u8", {Part::kUnsigned8, 1, Keep::kLow}},
                                                        {"d16_hi_i8", {Part::kSigned8, 1, Keep::kLow}},
                                                        {"d16_hi_b16", {Part::kUnsigned16, 1, Keep::kLow, true}},
                                                        {"d16_hi_b8", {Part::kUnsigned8, 1, Keep::kNothing, true}},
                                                        {"u8_d16", {Part::kUnsigned8, 1, Keep::kHigh}},
                                                        {"u8_d16_hi", {Part::kUnsigned8, 1, Keep::kLow}},
                                                        {"i8_d16", {Part::kSigned8, 1, Keep::kHigh}},
                                                        {"i8_d16_hi", {Part::kSigned8, 1, Keep::kLow}},
                                                        {"u16_d16", {Part::kUnsigned16, 1, Keep::kHigh}},
                                                        {"u16_d16_hi", {Part::kUnsigned16, 1, Keep::kLow}},
                                                        {"b8_d16_hi", {Part::kUnsigned8, 1, Keep::kNothing, true}},
                                                        {"b16_d16_hi", {Part::kUnsigned16, 1, Keep::kNothing, true}}};
  return all;
}

// `global_atomic_add_x2` of gfx9 is `global_atomic_add_u64` of gfx11; return its name in modifications().
std::string atomic_name(std::string_view name) {
  static const std::map<std::string_view, std::string_view> simple = {
      {"add", "add_u"},  {"sub", "sub_u"},   {"smin", "min_i"},       {"umin", "min_u"}, {"smax", "max_i"},
      {"umax", "max_u"}, {"and", "and_b"},   {"or", "or_b"},          {"xor", "xor_b"},  {"inc", "inc_u"},
      {"dec", "dec_u"},  {"swap", "swap_b"}, {"cmpswap", "cmpswap_b"}};
  const bool wide = name.size() > 3 && name.substr(name.size() - 3) == "_x2";
  const auto found = simple.find(wide ? name.substr(0, name.size() - 3) : name);
  if (found != simple.end()) return std::string(found->second) + (wide ? "64" : "32");
  if (name == "fmin") return "min_f32";
  if (name == "fmax") return "max_f32";
  return std::string(name);
}

std::string local_atomic_name(std::string_view name) {
  std::string all(name);
  for (const auto& [from, to] : {std::pair<const char*, const char*>{"cmpstore_", "cmpswap_"},
                                 {"cmpst_", "cmpswap_"},
                                 {"wrxchg_", "swap_"},
                                 {"storexchg_", "swap_"}})
    if (all.rfind(from, 0) == 0) return to + all.substr(std::strlen(from));
  return all;
}

// Describes an access by its name; nothing if it is none.
std::optional<Access> described(std::string_view name, unsigned generation) {
  Access access{};
  const bool local = starts_with(name, "ds_");
  if (taken(name, "global_"))
    access.space = Space::kGlobal;
  else if (taken(name, "flat_"))
    access.space = Space::kFlat;
  else if (taken(name, "scratch_"))
    access.space = Space::kScratch;
  else if (taken(name, "buffer_"))
    access.space = Space::kBuffer;
  else if (taken(name, "ds_"))
    access.space = Space::kLocal;
  else
    return {};
  const bool load = taken(name, "load_") || taken(name, "read_"),
             store = !load && (taken(name, "store_") || taken(name, "write_"));
  if (load || store) {
    access.action = load ? Action::kLoad : Action::kStore;
    const auto found = shapes().find(name);
    if (found != shapes().end()) {
      access.part = found->second.part;
      access.words = found->second.words;
      if (load)
        access.keep = found->second.keep;
      else
        access.high = found->second.high;
      return access;
    }
  }
  if (!local) {
    if (!taken(name, "atomic_")) return {};
  } else {
    for (const char* start : {"read2", "load_2addr_", "write2", "store_2addr_", "2addr_"}) {
      // ds_read2_b32, ds_read2st64_b64, ds_load_2addr_stride64_b32
      std::string_view rest = name;
      if (!taken(rest, start)) continue;
      const bool far = taken(rest, "st64") || taken(rest, "stride64_");
      taken(rest, "_");
      access.action = load || start[0] == 'r' ? Action::kLoad : Action::kStore;
      access.count = 2;
      access.words = rest == "b64" ? 2 : 1;
      access.stride = 4 * access.words * (far ? 64 : 1);
      return access;
    }
    if (const size_t at = name.find("_rtn"); at != name.npos) {
      static std::vector<std::unique_ptr<std::string>> names;
      names.push_back(
          std::make_unique<std::string>(std::string(name.substr(0, at)) + std::string(name.substr(at + 4))));
      name = *names.back();
      access.returns = true;
    }
  }
  const std::string known = local ? local_atomic_name(name) : atomic_name(name);
  const auto found = modifications().find(known);
  if (found == modifications().end()) return {};
  access.action = Action::kAtomic;
  access.modify = found->second;
  access.words = known.size() > 2 && known.substr(known.size() - 2) == "64" ? 2 : 1;
  access.compares = starts_with(known, "cmpswap");
  (void)generation;
  return access;
}

int64_t signed_field(uint64_t value, unsigned width) { return int64_t(value << (64 - width)) >> (64 - width); }

void bind_places(const Processor& processor, const Decoded& decoded, Access& access) {
  for (size_t i = 0; i < decoded.row->slots.size(); ++i) {
    const std::string_view field = decoded.row->slots[i].field;
    if (field == "vdst") access.result = int(i);
    if (field == "addr") access.address = int(i);
    if (field == "vaddr" && decoded.get("offen")) access.address = int(i);
    if (field == "data" || field == "data0") access.data = int(i);
    if (field == "vdata") access.data = access.result = int(i);
    if (field == "data1") access.data2 = int(i);
    if (field == "srsrc") access.resource = int(i);
    if (field == "soffset") access.scalar_offset = int(i);
  }
  if (decoded.has("offset") && access.space != Space::kLocal) {
    const unsigned width = decoded.format->fields.at("offset").width;
    // Offsets of flat instructions are unsigned before gfx12, and those of buffers are always.
    const bool is_signed =
        access.space != Space::kBuffer && (access.space != Space::kFlat || processor.generation >= 12);
    access.offset = is_signed ? signed_field(decoded.get("offset"), width) : int64_t(decoded.get("offset"));
  }
}

}  // namespace

bool bind_memory(const Processor& processor, const Decoded& decoded, Op& op) {
  const std::string_view format = decoded.format->name;
  if (format == "SMEM") {
    std::string_view name = decoded.name;
    if (!taken(name, "s_load_")) return false;
    op.run = &load_scalars;
    const unsigned width = decoded.format->fields.at("offset").width;
    op.immediate = signed_field(decoded.get("offset"), width);
    unsigned offset_register = 0;
    if (processor.generation == 9) {
      if (!decoded.get("imm")) {
        offset_register = unsigned(decoded.get("offset") & 127) + 1;
        op.immediate = 0;
      } else if (decoded.get("soffset_en")) {
        offset_register = unsigned(decoded.get("soffset")) + 1;
      }
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
  if (decoded.name == "ds_bpermute_b32" || decoded.name == "ds_permute_b32" || decoded.name == "ds_swizzle_b32")
    found = Access{Space::kLocal, Action::kLoad};
  else
    found = described(decoded.name, processor.generation);
  if (!found) return false;
  Access* const access = new Access(*found);  // lives as long as the program
  bind_places(processor, decoded, *access);
  op.extra = access;
  op.run = &run_access;
  if (access->space == Space::kLocal) {
    const unsigned first = unsigned(decoded.get("offset0")), second = unsigned(decoded.get("offset1"));
    if (access->count == 2) {
      access->offsets[0] = first * access->stride;
      access->offsets[1] = second * access->stride;
    } else {
      access->offsets[0] = first | second << 8;
    }
    op.run = decoded.name == "ds_bpermute_b32"  ? &permute<true>
             : decoded.name == "ds_permute_b32" ? &permute<false>
             : decoded.name == "ds_swizzle_b32" ? &swizzle
                                                : &run_local;
    if (access->compares && processor.generation < 11) std::swap(access->data, access->data2);
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
      const bool is_marked = processor.name == "gfx942" ? decoded.get("lds") : decoded.get("sve");
      const bool by_vector = decoded.has("sve") || processor.name == "gfx942" ? is_marked : !has_base;
      if (!by_vector) access->address = -1;
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

}  // namespace hipport::emulate
