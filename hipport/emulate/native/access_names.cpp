// SPDX-License-Identifier: MIT
// The names of loads, stores and atomic operations, and what they say of an access.
#include "memory_kinds.h"

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace hipport::emulate {
namespace {

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
  uint8_t transposed = 0;
  bool by_lane = false, block = false;
};

// The names of gfx9 and gfx10, and those of gfx11 and later.
const std::map<std::string_view, Shape>& shapes() {
  static const std::map<std::string_view, Shape> all = {
      {"dword", {Part::kWhole, 1}},
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
      {"b16_d16_hi", {Part::kUnsigned16, 1, Keep::kNothing, true}},
      {"b64_tr_b16", {.part = Part::kWhole, .words = 2, .transposed = 16}},
      {"b64_tr_b8", {.part = Part::kWhole, .words = 2, .transposed = 8}},
      {"b64_tr_b4", {.part = Part::kWhole, .words = 2, .transposed = 4}},
      {"b96_tr_b6", {.part = Part::kWhole, .words = 3, .transposed = 6}},
      {"tr_b128", {.part = Part::kWhole, .words = 4, .transposed = 16}},
      {"tr_b64", {.part = Part::kWhole, .words = 2, .transposed = 8}},
      {"dword_addtid", {.part = Part::kWhole, .words = 1, .by_lane = true}},
      {"addtid_b32", {.part = Part::kWhole, .words = 1, .by_lane = true}},
      {"block", {.part = Part::kWhole, .words = 32, .block = true}}};
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
  for (const auto& [start, known] :
       {std::pair<std::string_view, const char*>{"fmin", "min_f"}, {"fmax", "max_f"}, {"fcmpswap", "cmpswap_f"}})
    if (name.substr(0, start.size()) == start && (name.size() == start.size() || wide))
      return known + std::string(wide ? "64" : "32");
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

}  // namespace

std::optional<Access> described_access(std::string_view name, unsigned generation) {
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
  access.to_local = load && taken(name, "lds_");
  if (load || store) {
    access.action = load ? Action::kLoad : Action::kStore;
    const auto found = shapes().find(name);
    if (found != shapes().end()) {
      access.part = found->second.part;
      access.words = found->second.words;
      access.transposed = found->second.transposed;
      access.by_lane = found->second.by_lane;
      access.block = found->second.block;
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
    for (const char* start :
         {"read2", "load_2addr_", "write2", "store_2addr_", "2addr_", "wrxchg2", "storexchg_2addr_"}) {
      // ds_read2_b32, ds_read2st64_b64, ds_load_2addr_stride64_b32
      std::string_view rest = name;
      if (!taken(rest, start)) continue;
      const bool far = taken(rest, "st64") || taken(rest, "stride64_");
      taken(rest, "_");
      taken(rest, "rtn_");
      access.action = load || start[0] == 'r' ? Action::kLoad : Action::kStore;
      access.count = 2;
      access.words = rest == "b64" ? 2 : 1;
      access.stride = 4 * access.words * (far ? 64 : 1);
      if (start == std::string_view("wrxchg2") || start == std::string_view("storexchg_2addr_")) {
        access.action = Action::kAtomic;
        access.modify = modifications().at(access.words == 2 ? "swap_b64" : "swap_b32");
        access.returns = true;
      }
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
  access.compares = starts_with(known, "cmpswap") || starts_with(known, "mskor") || starts_with(known, "wrap");
  (void)generation;
  return access;
}

}  // namespace hipport::emulate
