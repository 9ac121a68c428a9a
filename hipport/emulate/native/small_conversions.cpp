// SPDX-License-Identifier: MIT
// Conversions with numbers of 8 bits, and other instructions whose modifiers choose parts of registers.
#include "program.h"
#include "scalar.h"
#include "small_floats.h"

#include <algorithm>

namespace hipport::emulate {
namespace {

// Whether the numbers of 8 bits are those of gfx942.
bool is_old(const Wave& wave) { return wave.program->processor().name == "gfx942"; }
SmallFloat fp8(const Wave& wave) { return is_old(wave) ? kFp8Fnuz : kFp8; }
SmallFloat bf8(const Wave& wave) { return is_old(wave) ? kBf8Fnuz : kBf8; }
bool saturates(const Wave& wave) { return wave.mode >> 23 & 1; }  // fp16_ovfl

float float_of(Wave& wave, const Op* op, unsigned index, unsigned lane) {
  float value = std::bit_cast<float>(word_of(wave, op, index, lane, 0));
  if (op->modifiers.absolute >> (index - 1) & 1) value = std::fabs(value);
  return op->modifiers.negate >> (index - 1) & 1 ? -value : value;
}

// The byte that is converted: chosen by sdwa on gfx942, by two bits in reverse order on later processors.
unsigned chosen_byte(const Op* op) {
  if (op->modifiers.sdwa.present) return op->modifiers.sdwa.source[0] & 3;
  return (op->modifiers.select & 1) << 1 | (op->modifiers.select >> 1 & 1);
}
unsigned chosen_word(const Op* op) {
  if (op->modifiers.sdwa.present) return op->modifiers.sdwa.source[0] == 5;
  return op->modifiers.select & 1;
}

template <bool Bf8>
const Op* float_from_8(Wave& wave, const Op* op) {
  const SmallFloat format = Bf8 ? bf8(wave) : fp8(wave);
  const unsigned shift = 8 * chosen_byte(op);
  set_words(wave, op->operands[0].number, [&](unsigned lane) {
    return std::bit_cast<uint32_t>(to_float(format, word_of(wave, op, 1, lane, 0) >> shift & 0xff));
  });
  return op + 1;
}
template <bool Bf8>
const Op* floats_from_8(Wave& wave, const Op* op) {
  const SmallFloat format = Bf8 ? bf8(wave) : fp8(wave);
  const unsigned shift = 16 * chosen_word(op), to = op->operands[0].number;
  uint32_t sources[kMaxLanes];
  for (unsigned i = 0; i < wave.lanes; ++i) sources[i] = word_of(wave, op, 1, i, 0) >> shift;
  for (unsigned half = 0; half < 2; ++half)
    set_words(wave, to + half, [&](unsigned lane) {
      return std::bit_cast<uint32_t>(to_float(format, sources[lane] >> (8 * half) & 0xff));
    });
  return op + 1;
}
template <bool Bf8>
const Op* two_to_8(Wave& wave, const Op* op) {
  const SmallFloat format = Bf8 ? bf8(wave) : fp8(wave);
  const bool high = op->modifiers.select >> 3 & 1;
  const uint32_t* const old = wave.v(op->operands[0].number);
  set_words(wave, op->operands[0].number, [&](unsigned lane) {
    const uint32_t both = to_small(format, float_of(wave, op, 1, lane), saturates(wave)) |
                          to_small(format, float_of(wave, op, 2, lane), saturates(wave)) << 8;
    return high ? (old[lane] & 0xffff) | both << 16 : (old[lane] & 0xffff0000u) | both;
  });
  return op + 1;
}
// Rounds by adding random bits, which the second source has.
template <bool Bf8>
const Op* stochastic_to_8(Wave& wave, const Op* op) {
  const SmallFloat format = Bf8 ? bf8(wave) : fp8(wave);
  const unsigned shift = 8 * (op->modifiers.select >> 2 & 3);
  const uint32_t* const old = wave.v(op->operands[0].number);
  set_words(wave, op->operands[0].number, [&](unsigned lane) {
    const uint32_t noise = word_of(wave, op, 2, lane, 0);
    const uint32_t code = to_small(format, float_of(wave, op, 1, lane), saturates(wave), true, noise);
    return (old[lane] & ~(0xffu << shift)) | code << shift;
  });
  return op + 1;
}

// Products of integers whose signs the modifiers say.
template <unsigned Width>
const Op* dot_mixed_signs(Wave& wave, const Op* op) {
  const auto part = [](uint32_t bits, unsigned at, bool is_signed) {
    const uint32_t value = bits << (32 - Width - at);
    return is_signed ? int64_t(int32_t(value) >> (32 - Width)) : int64_t(value >> (32 - Width));
  };
  const bool first = op->modifiers.negate & 1, second = op->modifiers.negate & 2;
  set_words(wave, op->operands[0].number, [&](unsigned lane) {
    const uint32_t a = word_of(wave, op, 1, lane, 0), b = word_of(wave, op, 2, lane, 0);
    int64_t sum = int32_t(word_of(wave, op, 3, lane, 0));
    for (unsigned at = 0; at < 32; at += Width) sum += part(a, at, first) * part(b, at, second);
    if (op->modifiers.clamp) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
    return uint32_t(sum);
  });
  return op + 1;
}

template <bool FirstBf8, bool SecondBf8>
const Op* dot_of_8(Wave& wave, const Op* op) {
  set_words(wave, op->operands[0].number, [&](unsigned lane) {
    const uint32_t a = word_of(wave, op, 1, lane, 0), b = word_of(wave, op, 2, lane, 0);
    float sum = std::bit_cast<float>(word_of(wave, op, 3, lane, 0));
    if (op->modifiers.negate_high & 4) sum = std::fabs(sum);
    if (op->modifiers.negate & 4) sum = -sum;
    for (unsigned at = 0; at < 32; at += 8)
      sum += to_float(FirstBf8 ? kBf8 : kFp8, a >> at & 0xff) * to_float(SecondBf8 ? kBf8 : kFp8, b >> at & 0xff);
    return std::bit_cast<uint32_t>(sum);
  });
  return op + 1;
}

// Each lane names the lane of its row of 16, or of the other row of two, that it reads.
template <bool Other>
const Op* permute_by_lane(Wave& wave, const Op* op) {
  const uint32_t* const from = wave.v(op->operands[1].number);
  const uint32_t* const which = wave.v(op->operands[2].number);
  const uint32_t* const old = wave.v(op->operands[0].number);
  const bool fetch_inactive = op->modifiers.select & 1, bound_control = op->modifiers.select >> 1 & 1;
  set_words(wave, op->operands[0].number, [&](unsigned i) {
    const unsigned lane = ((i & ~15u) ^ (Other ? 16u : 0u)) | (which[i] & 15);
    return fetch_inactive || wave.active_lanes[lane] ? from[lane] : bound_control ? 0 : old[i];
  });
  return op + 1;
}

// Four masked sums of differences of bytes, of a window that moves by one byte.
const Op* masked_differences(Wave& wave, const Op* op) {
  uint32_t found[4][kMaxLanes];
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    const uint64_t a = word_of(wave, op, 1, lane, 0) | uint64_t(word_of(wave, op, 1, lane, 1)) << 32;
    const uint32_t b = word_of(wave, op, 2, lane, 0);
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t sum = word_of(wave, op, 3, lane, i);
      for (unsigned at = 0; at < 32; at += 8) {
        const int x = int(a >> (8 * i + at) & 0xff), y = int(b >> at & 0xff);
        if (y != 0) sum += uint32_t(std::abs(x - y));
      }
      found[i][lane] = sum;
    }
  }
  for (unsigned i = 0; i < 4; ++i) write_some(wave, op->operands[0].number + i, found[i], wave.exec());
  return op + 1;
}

// The halves (or quarters) of two registers change places between lanes (gfx950).
template <unsigned Row>
const Op* swap_rows(Wave& wave, const Op* op) {
  uint32_t *const a = wave.v(op->operands[0].number), *const b = wave.v(op->operands[1].number);
  for (unsigned i = 0; i < wave.lanes; ++i)
    if (i / Row % 2 == 1) std::swap(a[i], b[i - Row]);
  return op + 1;
}

// Any function of three bits. Its table of eight results is where other instructions have their modifiers.
template <bool Half>
const Op* any_bits(Wave& wave, const Op* op) {
  const Modifiers& all = op->modifiers;
  const unsigned results = (all.output & 3u) << 6 | (all.absolute & 7u) << 3 | (all.negate & 7u);
  const uint32_t* const old = wave.v(op->operands[0].number);
  set_words(wave, op->operands[0].number, [&](unsigned lane) {
    uint32_t source[3], found = 0;
    for (unsigned i = 0; i < 3; ++i) {
      source[i] = word_of(wave, op, i + 1, lane, 0);
      if (Half && (all.select >> i & 1)) source[i] >>= 16;
    }
    for (unsigned i = 0; i < 8; ++i)
      if (results >> i & 1)
        found |= (i & 4 ? source[0] : ~source[0]) & (i & 2 ? source[1] : ~source[1]) & (i & 1 ? source[2] : ~source[2]);
    if (!Half) return found;
    return all.select >> 3 & 1 ? (old[lane] & 0xffff) | found << 16 : found & 0xffff;
  });
  return op + 1;
}

// Rounds to 16 bits by adding random bits.
template <bool Bfloat>
const Op* stochastic_to_16(Wave& wave, const Op* op) {
  constexpr SmallFloat format =
      Bfloat ? SmallFloat{8, 7, 127, SmallFloat::Top::kIeee} : SmallFloat{5, 10, 15, SmallFloat::Top::kIeee};
  const bool high = op->modifiers.select >> 3 & 1;
  const uint32_t* const old = wave.v(op->operands[0].number);
  set_words(wave, op->operands[0].number, [&](unsigned lane) {
    const uint32_t code = to_small(format, float_of(wave, op, 1, lane), false, true, word_of(wave, op, 2, lane, 0));
    return high ? (old[lane] & 0xffff) | code << 16 : (old[lane] & 0xffff0000u) | code;
  });
  return op + 1;
}

}  // namespace

void add_small_conversions(ScalarTable& table) {
  table["v_cvt_f32_fp8"] = &float_from_8<false>;
  table["v_cvt_f32_bf8"] = &float_from_8<true>;
  table["v_cvt_pk_f32_fp8"] = &floats_from_8<false>;
  table["v_cvt_pk_f32_bf8"] = &floats_from_8<true>;
  table["v_cvt_pk_fp8_f32"] = &two_to_8<false>;
  table["v_cvt_pk_bf8_f32"] = &two_to_8<true>;
  table["v_cvt_sr_fp8_f32"] = &stochastic_to_8<false>;
  table["v_cvt_sr_bf8_f32"] = &stochastic_to_8<true>;
  table["v_dot4_i32_iu8"] = &dot_mixed_signs<8>;
  table["v_dot8_i32_iu4"] = &dot_mixed_signs<4>;
  table["v_dot4_f32_fp8_fp8"] = &dot_of_8<false, false>;
  table["v_dot4_f32_fp8_bf8"] = &dot_of_8<false, true>;
  table["v_dot4_f32_bf8_fp8"] = &dot_of_8<true, false>;
  table["v_dot4_f32_bf8_bf8"] = &dot_of_8<true, true>;
  table["v_permlane16_var_b32"] = &permute_by_lane<false>;
  table["v_permlanex16_var_b32"] = &permute_by_lane<true>;
  table["v_mqsad_u32_u8"] = &masked_differences;
  table["v_bitop3_b32"] = &any_bits<false>;
  table["v_bitop3_b16"] = &any_bits<true>;
  table["v_cvt_sr_bf16_f32"] = &stochastic_to_16<true>;
  table["v_cvt_sr_f16_f32"] = &stochastic_to_16<false>;
  table["v_permlane16_swap_b32"] = &swap_rows<16>;
  table["v_permlane32_swap_b32"] = &swap_rows<32>;
}

}  // namespace hipport::emulate
