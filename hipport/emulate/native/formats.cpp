// SPDX-License-Identifier: MIT
#include "formats.h"

#include "element_formats.h"
#include "memory_kinds.h"

#include <bit>
#include <cstring>
#include <string>

namespace hipport::emulate {

// An access to elements. Components are in a register each, or two to a register.
struct FormattedAccess {
  Access access;
  unsigned components = 1, generation = 9;
  bool half = false, high = false;
  bool typed = false;                   // the instruction has the format
  std::optional<ElementFormat> format;  // that one; the codes of some are none
};

namespace {

constexpr unsigned kMostBytes = 16;
// How a descriptor selects components: 0, 1, or one of the element.
enum : unsigned { kSelectZero = 0, kSelectOne = 1, kSelectFirst = 4 };

struct Selected {
  ElementFormat format;
  unsigned components[4] = {kSelectFirst, kSelectFirst + 1, kSelectFirst + 2, kSelectFirst + 3};
};

constexpr Selected kNothing{{{32}, Number::kUint}, {}};  // behind the end of a buffer

// Return the format of an access: that of the instruction, or what the descriptor's last word has.
Selected selected(const Wave& wave, const Op* op, const FormattedAccess& access) {
  if (access.typed) {
    if (!access.format) throw Fault("a buffer is accessed with a format that there is not");
    return {*access.format};
  }
  const uint32_t last = wave.scalars[op->operands[access.access.resource].number + 3];
  const auto format = access.generation == 9
                          ? element_format(last >> 15 & 15, last >> 12 & 7)
                          : unified_format(access.generation, last >> 12 & (access.generation == 10 ? 127 : 63));
  if (!format) throw Fault("a buffer's descriptor has no valid format");
  Selected found{*format};
  for (unsigned i = 0; i < 4; ++i) found.components[i] = last >> (3 * i) & 7;
  return found;
}

// Return the access with the size that bounds are checked for.
Access sized(Access access, unsigned bytes) {
  access.part = bytes == 1 ? Part::kUnsigned8 : bytes == 2 ? Part::kUnsigned16 : Part::kWhole;
  access.words = bytes / 4;
  return access;
}

// The bits of an element in memory.
struct Element {
  uint64_t words[kMostBytes / 8 + 1] = {};  // one more, so that a component may be read with the next word

  uint32_t component(unsigned at, unsigned bits) const {
    const uint64_t found =
        at % 64 == 0 ? words[at / 64] : words[at / 64] >> at % 64 | words[at / 64 + 1] << (64 - at % 64);
    return bits == 32 ? uint32_t(found) : uint32_t(found) & ((1u << bits) - 1);
  }
  void set_component(unsigned at, unsigned bits, uint32_t code) {  // none crosses 64 bits
    const uint64_t mask = (uint64_t(1) << bits) - 1;
    words[at / 64] = (words[at / 64] & ~(mask << at % 64)) | (code & mask) << at % 64;
  }
};

uint32_t half_of(uint32_t word, bool is_integer) {
  return is_integer ? word & 0xffff : std::bit_cast<uint16_t>(_Float16(std::bit_cast<float>(word)));
}
uint32_t from_half(uint32_t half, Number number) {
  if (number == Number::kUint) return half & 0xffff;
  if (number == Number::kSint) return uint32_t(int32_t(int16_t(half)));
  return std::bit_cast<uint32_t>(float(std::bit_cast<_Float16>(uint16_t(half))));
}

// Return component `number` of an element as it is selected.
uint32_t loaded(const Selected& how, const Element& element, unsigned number) {
  const unsigned choice = how.components[number];
  const uint32_t one = how.format.is_integer() ? 1 : std::bit_cast<uint32_t>(1.0f);
  if (choice < kSelectFirst) return choice == kSelectOne ? one : 0;
  const unsigned component = choice - kSelectFirst;
  unsigned at = 0;
  for (unsigned i = 0; i < component; ++i) at += how.format.bits[i];
  const unsigned bits = how.format.bits[component];
  if (bits == 0) return component == 3 ? one : 0;
  return from_format(element.component(at, bits), bits, how.format.number);
}

void load(Wave& wave, const FormattedAccess& access, const Selected& how, const Element& element, unsigned to,
          unsigned lane) {
  for (unsigned i = 0; i < access.components; ++i) {
    const uint32_t word = loaded(how, element, i);
    if (!access.half) {
      wave.v(to + i)[lane] = word;
      continue;
    }
    uint32_t& both = wave.v(to + i / 2)[lane];
    const uint32_t half = half_of(word, how.format.is_integer());
    both = i % 2 != 0 || access.high ? (both & 0xffff) | half << 16 : (both & 0xffff0000) | half;
  }
}

void store(Wave& wave, const FormattedAccess& access, const Selected& how, Element& element, unsigned from,
           unsigned lane) {
  unsigned at = 0;
  for (unsigned component = 0; component < 4; at += how.format.bits[component++]) {
    const unsigned bits = how.format.bits[component];
    for (unsigned i = 0; i < access.components && bits != 0; ++i) {
      if (how.components[i] != kSelectFirst + component) continue;
      uint32_t word = wave.v(from + (access.half ? i / 2 : i))[lane];
      if (access.half) word = from_half(word >> (i % 2 != 0 || access.high ? 16 : 0), how.format.number);
      element.set_component(at, bits, to_format(word, bits, how.format.number));
      break;
    }
  }
}

const Op* run(Wave& wave, const Op* op) {
  return run_formatted(wave, op, *static_cast<const FormattedAccess*>(op->extra));
}

bool taken(std::string_view& name, std::string_view start) {
  const bool found = name.substr(0, start.size()) == start;
  if (found) name.remove_prefix(start.size());
  return found;
}

// Describe an instruction by its name, such as buffer_load_format_d16_xy or tbuffer_store_d16_format_x.
bool describe(std::string_view name, FormattedAccess& access) {
  access.typed = taken(name, "t");
  if (!taken(name, "buffer_")) return false;
  const bool loads = taken(name, "load_");
  if (!loads && !taken(name, "store_")) return false;
  access.access.action = loads ? Action::kLoad : Action::kStore;
  const auto halves = [&] {
    if (!taken(name, "d16_")) return;
    access.half = true;
    access.high = taken(name, "hi_");
  };
  halves();  // since gfx11
  if (!taken(name, "format_")) return false;
  halves();
  access.components = unsigned(name.size());
  return name == std::string_view("xyzw").substr(0, name.size());
}

}  // namespace

const FormattedAccess* formatted_access(const Processor& processor, const Decoded& decoded) {
  FormattedAccess found{{Space::kBuffer, Action::kLoad}};
  if (!describe(decoded.name, found) || decoded.get("lds") || decoded.get("tfe")) return nullptr;
  found.generation = processor.generation;
  if (found.typed)
    found.format = processor.generation == 9
                       ? element_format(unsigned(decoded.get("dfmt")), unsigned(decoded.get("nfmt")))
                       : unified_format(processor.generation, unsigned(decoded.get("format")));
  bind_places(processor, decoded, found.access);
  return new FormattedAccess(found);
}

const Op* run_formatted(Wave& wave, const Op* op, const FormattedAccess& access) {
  const Selected how = selected(wave, op, access);
  const unsigned bytes = how.format.bytes(), registers = op->operands[access.access.result].number;
  const Access sized_access = sized(access.access, bytes);
  if (access.half && how.format.is_integer() && how.format.bits[0] == 32)
    throw Fault("integers of 32 bits are accessed as halves, which is not defined");
  uint8_t* places[kMaxLanes];
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {  // a load may overwrite its own addresses
    const unsigned lane = unsigned(std::countr_zero(left));
    places[lane] = address_of(wave, op, sized_access, lane);
  }
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    Element element;
    if (places[lane] != nullptr) std::memcpy(element.words, places[lane], bytes);
    if (access.access.action == Action::kLoad) {
      load(wave, access, places[lane] != nullptr ? how : kNothing, element, registers, lane);
    } else if (places[lane] != nullptr) {
      store(wave, access, how, element, registers, lane);
      std::memcpy(places[lane], element.words, bytes);
    }
  }
  return op + 1;
}

bool bind_formatted(const Processor& processor, const Decoded& decoded, Op& op) {
  const FormattedAccess* const access = formatted_access(processor, decoded);
  if (access == nullptr) return false;
  op.extra = access;
  op.run = &run;
  return true;
}

}  // namespace hipport::emulate
