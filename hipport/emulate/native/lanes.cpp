// SPDX-License-Identifier: MIT
#include "lanes.h"

#include "modes.h"
#include "program.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

namespace hipport::emulate {

const uint32_t kLaneNumbers[kMaxLanes] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                          16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                          32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                          48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

uint64_t constant(const Operand& operand, Kind kind) {
  const unsigned code = operand.number;
  if (code == 255) {
    if (kind == Kind::kDouble) return uint64_t(operand.literal) << 32;
    return kind == Kind::kLong ? uint64_t(int64_t(int32_t(operand.literal))) : operand.literal;
  }
  if (code >= 128 && code <= 192) return code - 128;
  if (code >= 193 && code <= 208) return uint64_t(int64_t(192) - int64_t(code));
  static constexpr double numbers[] = {0.5, -0.5, 1, -1, 2, -2, 4, -4, 0.15915494309189535};
  if (code < 240 || code > 248) throw Fault("operand " + std::to_string(code) + " is not known");
  const double number = numbers[code - 240];
  switch (kind) {
    case Kind::kDouble: return std::bit_cast<uint64_t>(number);
    case Kind::kHalf:
    case Kind::kShort:
    case Kind::kHalfPair:
    case Kind::kShortPair: return code == 248 ? 0x3118 : std::bit_cast<uint16_t>(Half(number));
    case Kind::kLong: return std::bit_cast<uint64_t>(number);
    default: return std::bit_cast<uint32_t>(float(number));
  }
}

const uint32_t* repeated(uint64_t value) {
  struct alignas(64) Words {
    uint32_t words[2 * kMaxLanes];
  };
  static std::mutex mutex;
  static std::map<uint64_t, std::unique_ptr<Words>> known;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Words>& found = known[value];
  if (found == nullptr) {
    found = std::make_unique<Words>();
    for (unsigned i = 0; i < kMaxLanes; ++i) {
      found->words[i] = static_cast<uint32_t>(value);
      found->words[kMaxLanes + i] = static_cast<uint32_t>(value >> 32);
    }
  }
  return found->words;
}

namespace {

// The lane that `lane` reads with dpp, or -1 if there is none.
int dpp_lane(const Dpp& dpp, int lane, int lanes) {
  if (dpp.eight) return (lane & ~7) | int(dpp.selectors >> (3 * (lane & 7)) & 7);
  const int control = dpp.control, row = lane & ~15, in_row = lane & 15, number = control & 15;
  if (control < 0x100) return (lane & ~3) | (control >> (2 * (lane & 3)) & 3);
  switch (control >> 4) {
    case 0x10: return in_row + number < 16 ? lane + number : -1;  // row_shl
    case 0x11: return in_row >= number ? lane - number : -1;      // row_shr
    case 0x12: return row | ((in_row - number) & 15);             // row_ror
    case 0x15: return row | number;                               // row_share, row_newbcast
    case 0x16: return row | (in_row ^ number);                    // row_xmask
    default: break;
  }
  switch (control) {
    case 0x130: return lane + 1 < lanes ? lane + 1 : -1;  // wave_shl:1
    case 0x134: return (lane + 1) % lanes;
    case 0x138: return lane - 1;
    case 0x13c: return (lane + lanes - 1) % lanes;
    case 0x140: return row | (15 - in_row);
    case 0x141: return (lane & ~7) | (7 - (lane & 7));
    case 0x142: return row >= 16 ? row - 1 : -1;            // row_bcast:15
    case 0x143: return lane >= 32 ? (lane & ~31) - 1 : -1;  // row_bcast:31
    default: throw Fault("dpp control " + std::to_string(control) + " is not known");
  }
}

void apply_dpp(const Wave& wave, const Dpp& dpp, const uint32_t* from, uint32_t* to, uint64_t& writable) {
  const int lanes = int(wave.lanes);
  for (int i = 0; i < lanes; ++i) {
    const int other = dpp_lane(dpp, i, lanes);
    const bool enabled = (dpp.row_mask >> (i / 16 & 3) & 1) && (dpp.bank_mask >> (i / 4 & 3) & 1);
    const bool valid = other >= 0 && (dpp.fetch_inactive || (wave.exec() >> other & 1));
    to[i] = valid ? from[other] : 0;
    if (!enabled || (!valid && !dpp.bound_control)) writable &= ~(uint64_t(1) << i);
  }
}

uint32_t selected(uint32_t value, unsigned select, bool sign) {
  switch (select) {
    case 0:
    case 1:
    case 2:
    case 3: {
      const uint8_t part = uint8_t(value >> (8 * select));
      return sign ? uint32_t(int32_t(int8_t(part))) : part;
    }
    case 4:
    case 5: {
      const uint16_t part = uint16_t(value >> (16 * (select - 4)));
      return sign ? uint32_t(int32_t(int16_t(part))) : part;
    }
    default: return value;
  }
}

uint32_t chosen_halves(uint32_t value, bool low_from_high, bool high_from_high) {
  const uint32_t low = low_from_high ? value >> 16 : value & 0xffff;
  const uint32_t high = high_from_high ? value >> 16 : value & 0xffff;
  return low | high << 16;
}

uint32_t sign_changed(uint32_t value, uint32_t sign, bool absolute, bool negate) {
  if (absolute) value &= ~sign;
  return negate ? value ^ sign : value;
}

// Return whether modifiers leave a pair as it is: the low number is taken from the low half, the high one from the high.
bool is_usual_pair(const Modifiers& all, unsigned argument) {
  return !((all.select | all.negate | all.negate_high) >> argument & 1) && (all.select_high >> argument & 1);
}

// For each result, the low or the high number of a pair.
Source chosen_floats(const Wave& wave, const Op* op, unsigned argument, Source from, Scratch& scratch) {
  const Modifiers& all = op->modifiers;
  if (is_usual_pair(all, argument)) return from;
  alignas(64) uint32_t chosen[2][kMaxLanes];
  const uint32_t* const low = all.select >> argument & 1 ? from.high : from.low;
  const uint32_t* const high = all.select_high >> argument & 1 ? from.high : from.low;
  const uint32_t low_sign = uint32_t(all.negate >> argument & 1) << 31;
  const uint32_t high_sign = uint32_t(all.negate_high >> argument & 1) << 31;
  for (unsigned i = 0; i < wave.lanes; ++i) chosen[0][i] = low[i] ^ low_sign;
  for (unsigned i = 0; i < wave.lanes; ++i) chosen[1][i] = high[i] ^ high_sign;
  uint32_t (&to)[2][kMaxLanes] = scratch.sources[argument];
  std::memcpy(to, chosen, sizeof to);
  return {to[0], to[1]};
}

// Change the signs of numbers of 32 or 64 bits; `words` are those with the signs.
void change_signs(const uint32_t* words, uint32_t* to, unsigned lanes, bool absolute, bool negate) {
  const uint32_t kept = absolute ? 0x7fffffffu : ~0u, flipped = negate ? 0x80000000u : 0;
  for (unsigned i = 0; i < lanes; ++i) to[i] = (words[i] & kept) ^ flipped;
}

}  // namespace

uint64_t lanes_that_read(const Wave& wave, const Dpp& dpp, uint64_t from, uint64_t& writable) {
  uint32_t flags[kMaxLanes], moved[kMaxLanes];
  spread(from, flags, wave.lanes);
  apply_dpp(wave, dpp, flags, moved, writable);
  uint64_t mask = 0;
  for (unsigned i = 0; i < wave.lanes; ++i) mask |= uint64_t(moved[i]) << i;
  return mask;
}

namespace {

Source changed(Wave& wave, const Op* op, unsigned argument, Kind kind, Source from, Scratch& scratch,
               uint64_t& writable) {
  const Modifiers& all = op->modifiers;
  const bool negate = all.negate >> argument & 1, absolute = all.absolute >> argument & 1;
  const bool select = all.select >> argument & 1;
  const bool pair = kind == Kind::kHalfPair || kind == Kind::kShortPair;
  const bool dpp = all.dpp.present && argument == 0, sdwa = all.sdwa.present && argument < 2;
  if (kind == Kind::kFloatPair) return chosen_floats(wave, op, argument, from, scratch);
  if (kind == Kind::kBit || (!negate && !absolute && !select && !dpp && !sdwa && !pair)) return from;
  if (pair && is_usual_pair(all, argument) && !dpp && !sdwa) return from;
  uint32_t (&to)[2][kMaxLanes] = scratch.sources[argument];
  if (!dpp && !sdwa && (kind == Kind::kFloat || kind == Kind::kInteger)) {
    change_signs(from.low, to[0], wave.lanes, absolute, negate);
    return {to[0], to[1]};
  }
  if (!dpp && !sdwa && kind == Kind::kDouble) {
    change_signs(from.high, to[1], wave.lanes, absolute, negate);
    return {from.low, to[1]};
  }
  for (unsigned word = 0; word < (is_wide(kind) ? 2u : 1u); ++word) {
    const uint32_t* const values = word == 0 ? from.low : from.high;
    if (dpp) {
      uint32_t moved[kMaxLanes];
      apply_dpp(wave, all.dpp, values, moved, writable);
      std::memcpy(to[word], moved, wave.lanes * 4);
    } else if (to[word] != values) {
      std::memcpy(to[word], values, wave.lanes * 4);
    }
  }
  for (unsigned i = 0; i < wave.lanes; ++i) {
    uint32_t& low = to[0][i];
    if (sdwa) low = selected(low, all.sdwa.source[argument], all.sdwa.sign[argument]);
    if (pair) {
      low = chosen_halves(low, select, all.select_high >> argument & 1);
      if (kind == Kind::kHalfPair)
        low =
            sign_changed(sign_changed(low, 0x8000, false, negate), 0x80000000u, false, all.negate_high >> argument & 1);
    } else if (is_16_bit(kind)) {
      if (select) low >>= 16;
      low = sign_changed(low & 0xffff, 0x8000, absolute, negate);
    } else if (kind == Kind::kDouble) {
      to[1][i] = sign_changed(to[1][i], 0x80000000u, absolute, negate);
    } else if (kind == Kind::kFloat || kind == Kind::kInteger) {
      low = sign_changed(low, 0x80000000u, absolute, negate);
    }
  }
  return {to[0], to[1]};
}

// What changes results, in the order in which it does.
struct Output {
  unsigned scale;
  bool clamp, keeps_nan;
};

template <typename T>
T scaled(T value, const Output& output) {
  if (output.scale == 1) value = T(value * T(2));
  if (output.scale == 2) value = T(value * T(4));
  if (output.scale == 3) value = T(value / T(2));
  if (output.scale != 0 && value == T(0)) value = T(0);  // without its sign
  if (output.clamp && !(output.keeps_nan && value != value))
    value = value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
  return value;
}

constexpr unsigned kClampsNan = 8, kIeee = 9;  // bits of the mode

// Results are scaled only where denormal ones count as 0 and the mode is not that of IEEE 754.
Output output_of(const Wave& wave, const Op* op, Kind kind) {
  const bool others = kind != Kind::kFloat && kind != Kind::kFloatPair;
  const bool scales = !(wave.mode >> (others ? 7 : 5) & 1) && !(wave.mode >> kIeee & 1);
  const bool always_clamps = wave.program == nullptr || wave.program->processor().generation >= 12;
  return {scales ? op->modifiers.output : 0u, op->modifiers.clamp, !always_clamps && !(wave.mode >> kClampsNan & 1)};
}

// Make denormal numbers 0.
void flush(Kind kind, uint32_t* low, uint32_t* high, unsigned lanes) {
  for (unsigned i = 0; i < lanes; ++i) {
    if (kind == Kind::kHalfPair)
      low[i] = without_denormal_half(low[i] & 0xffff) | without_denormal_half(low[i] >> 16) << 16;
    else if (kind == Kind::kHalf)
      low[i] = without_denormal_half(low[i]);
    else if (kind != Kind::kDouble)
      low[i] = without_denormal(low[i]);
    if (kind == Kind::kFloatPair) high[i] = without_denormal(high[i]);
    if (kind == Kind::kDouble && (high[i] & 0x7ff00000u) == 0) low[i] = 0, high[i] &= 0x80000000u;
  }
}

// Return whether the mode makes denormal sources (0) or results (1) zero.
bool flushes(const Modifiers& all, Kind kind, unsigned results) {
  const bool single = kind == Kind::kFloat || kind == Kind::kFloatPair;
  if (!single && !is_float(kind) && kind != Kind::kHalfPair) return false;
  return all.flush >> ((single ? 0 : 2) + results) & 1;
}

}  // namespace

Source modified(Wave& wave, const Op* op, unsigned argument, Kind kind, Source from, Scratch& scratch,
                uint64_t& writable) {
  const Source found = changed(wave, op, argument, kind, from, scratch, writable);
  if (!flushes(op->modifiers, kind, 0)) return found;
  uint32_t (&to)[2][kMaxLanes] = scratch.sources[argument];
  std::memmove(to[0], found.low, wave.lanes * 4);
  if (is_wide(kind)) std::memmove(to[1], found.high, wave.lanes * 4);
  flush(kind, to[0], to[1], wave.lanes);
  return {to[0], to[1]};
}

void modify_results(const Wave& wave, const Op* op, Kind kind, Scratch& scratch) {
  if (!is_float(kind) && kind != Kind::kHalfPair && kind != Kind::kFloatPair) return;
  if (flushes(op->modifiers, kind, 1)) flush(kind, scratch.result[0], scratch.result[1], wave.lanes);
  const Output output = output_of(wave, op, kind);
  if ((output.scale == 0 && !output.clamp) || kind == Kind::kFloatPair) return;
  for (unsigned i = 0; i < wave.lanes; ++i) {
    uint32_t& low = scratch.result[0][i];
    if (kind == Kind::kFloat) {
      low = std::bit_cast<uint32_t>(scaled(std::bit_cast<float>(low), output));
    } else if (kind == Kind::kHalf) {
      low = std::bit_cast<uint16_t>(scaled(std::bit_cast<Half>(uint16_t(low)), output));
    } else if (kind == Kind::kHalfPair) {
      const auto part = [&](uint32_t bits) {
        return uint32_t(std::bit_cast<uint16_t>(scaled(std::bit_cast<Half>(uint16_t(bits)), output)));
      };
      low = part(low) | part(low >> 16) << 16;
    } else {
      const double value = scaled(value_of<double>(low, scratch.result[1][i]), output);
      const auto bits = std::bit_cast<uint64_t>(value);
      low = static_cast<uint32_t>(bits);
      scratch.result[1][i] = static_cast<uint32_t>(bits >> 32);
    }
  }
}

void write_part(Wave& wave, const Op* op, const uint32_t* results, uint64_t writable) {
  uint32_t* const to = wave.v(op->operands[0].number);
  const Sdwa& sdwa = op->modifiers.sdwa;
  const bool high = op->modifiers.select >> 3 & 1;
  for (unsigned i = 0; i < wave.lanes; ++i) {
    if (!(writable >> i & 1)) continue;
    if (sdwa.present && sdwa.destination != 6) {
      const bool byte = sdwa.destination < 4;
      const unsigned shift = byte ? 8u * sdwa.destination : 16u * (sdwa.destination - 4u);
      const uint32_t field = (byte ? 0xffu : 0xffffu) << shift, value = results[i] << shift & field;
      uint32_t rest = sdwa.unused == 2 ? to[i] & ~field : 0;
      if (sdwa.unused == 1 && (value >> (shift + (byte ? 7 : 15)) & 1)) rest = ~field & ~((uint64_t(1) << shift) - 1);
      to[i] = value | rest;
    } else if (sdwa.present) {
      to[i] = results[i];
    } else if (high) {
      to[i] = (to[i] & 0xffff) | results[i] << 16;
    } else {
      to[i] = op->keeps_high ? (to[i] & 0xffff0000u) | (results[i] & 0xffff) : results[i] & 0xffff;
    }
  }
}

Source read_scalar(Wave& wave, const Operand& operand, Kind kind, uint32_t (&to)[2][kMaxLanes]) {
  if (kind == Kind::kBit) {
    spread(wave.mask(operand.number), to[0], wave.lanes);
    return {to[0], to[1]};
  }
  const bool special = operand.bank == Bank::kSpecial, wide = is_wide(kind);
  uint32_t low, high = 0;
  if (special) {
    // The apertures of local and private memory are the upper half of an address.
    high = special_value(wave, operand.number);
    low = wide ? 0 : high;
  } else {
    low = wave.scalars[operand.number];
    if (wide) high = wave.scalars[operand.number + 1];
  }
  std::fill_n(to[0], wave.lanes, low);
  if (wide || special) std::fill_n(to[1], wave.lanes, high);
  return {to[0], to[1]};
}

}  // namespace hipport::emulate
