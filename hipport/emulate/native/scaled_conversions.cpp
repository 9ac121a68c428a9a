// SPDX-License-Identifier: MIT
// Conversions with a scale between numbers of 32 or 16 bits and those of 8, 6 and 4 bits (gfx950). Their names say all:
// v_cvt_scalef32_[sr_][pk[32]_|2xpk16_]TO_FROM.
#include "matrix.h"
#include "program.h"
#include "scalar.h"
#include "small_floats.h"

#include <array>
#include <limits>
#include <optional>

namespace hipport::emulate {
namespace {

constexpr unsigned kMostNumbers = 32, kMostWords = 32;
constexpr SmallFloat kFloat{8, 23, 127, SmallFloat::Top::kIeee}, kHalf{5, 10, 15, SmallFloat::Top::kIeee},
    kBfloat{8, 7, 127, SmallFloat::Top::kIeee};
constexpr std::pair<std::string_view, SmallFloat> kFormats[] = {{"f32", kFloat}, {"f16", kHalf}, {"bf16", kBfloat},
                                                                {"fp8", kFp8},   {"bf8", kBf8},  {"fp6", kFp6},
                                                                {"bf6", kBf6},   {"fp4", kFp4}};

struct Conversion {
  SmallFloat to, from;
  unsigned count;             // numbers
  bool stochastic;            // rounds by adding random bits, which the second source has
  bool alternates;            // the sources have the numbers in turn
  unsigned scale;             // the operand
  unsigned from_bit, to_bit;  // where the first number is in its register
};

bool take(std::string_view& text, std::string_view start) {
  if (text.substr(0, start.size()) != start) return false;
  text.remove_prefix(start.size());
  return true;
}

std::optional<SmallFloat> format_of(std::string_view name) {
  for (const auto& [known, format] : kFormats)
    if (known == name) return format;
  return std::nullopt;
}

// A part of a register: bits 0 to 2 of op_sel choose it in the source, bits 2 and 3 in the destination.
unsigned chosen_source_bit(unsigned bits, unsigned select) {
  return bits == 8 ? 8 * (select & 3) : bits == 16 ? 16 * (select & 1) : 0;
}
unsigned chosen_result_bit(unsigned bits, unsigned select) {
  return bits == 8 ? 8 * (select >> 2 & 3) : bits == 16 ? 16 * (select >> 3 & 1) : 0;
}

// The next number of the generator that v_prng_b32 is a step of.
uint32_t next_random(uint32_t value) { return value << 1 ^ (value >> 31 ? 197u : 0u); }
const Op* step_random(Wave& wave, const Op* op) {
  set_words(wave, op->operands[0].number, [&](unsigned lane) { return next_random(word_of(wave, op, 1, lane, 0)); });
  return op + 1;
}

uint32_t code_at(Wave& wave, const Op* op, unsigned index, unsigned lane, unsigned bit, unsigned width) {
  uint64_t both = word_of(wave, op, index, lane, bit / 32);
  if (bit % 32 + width > 32) both |= uint64_t(word_of(wave, op, index, lane, bit / 32 + 1)) << 32;
  return uint32_t(both >> (bit % 32) & ((uint64_t(1) << width) - 1));
}

double source(Wave& wave, const Op* op, const Conversion& all, unsigned lane, unsigned number) {
  const unsigned index = all.alternates ? 1 + number % 2 : 1, width = all.from.bits();
  const unsigned bit = all.from_bit + (all.alternates ? number / 2 : number) * width;
  double value = to_float(all.from, code_at(wave, op, index, lane, bit, width));
  if (op->modifiers.absolute >> (index - 1) & 1) value = std::fabs(value);
  return op->modifiers.negate >> (index - 1) & 1 ? -value : value;
}

// Only the exponent of the scale counts. One with all bits set is NaN, as in the formats of OCP.
double scaled(double value, uint32_t scale, bool enlarges) {
  const int exponent = int(scale >> 23 & 255);
  if (exponent == 255) return std::numeric_limits<double>::quiet_NaN();
  return std::ldexp(value, enlarges ? exponent - 127 : 127 - exponent);
}

uint32_t encoded(const Conversion& all, double value, bool saturate, uint32_t noise) {
  const uint32_t code = to_small(all.to, value, saturate, all.stochastic, noise);
  const bool is_large = all.to.mantissa_bits >= kBfloat.mantissa_bits;
  if (!is_large || value == value) return code;
  const unsigned quiet = all.to.mantissa_bits - 1;
  return code >> quiet << quiet;  // the usual NaN
}

const Op* convert(Wave& wave, const Op* op) {
  const Conversion& all = *static_cast<const Conversion*>(op->extra);
  const unsigned width = all.to.bits(), words = (all.count * width + 31) / 32, to = op->operands[0].number;
  const bool saturate = wave.mode >> 23 & 1, enlarges = all.to.bits() > all.from.bits();
  thread_local std::array<std::array<uint32_t, kMaxLanes>, kMostWords> results;
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    const uint32_t scale = word_of(wave, op, all.scale, lane, 0);
    uint32_t noise = all.stochastic ? word_of(wave, op, 2, lane, 0) : 0;
    for (unsigned word = 0; word < words; ++word) results[word][lane] = 0;
    if (words == 1 && all.count * width < 32)
      results[0][lane] = wave.v(to)[lane] & ~(((1u << all.count * width) - 1) << all.to_bit);
    for (unsigned number = 0; number < all.count; ++number) {
      const double value = scaled(source(wave, op, all, lane, number), scale, enlarges);
      const uint32_t code = encoded(all, value, saturate, noise);
      const unsigned bit = all.to_bit + number * width;
      results[bit / 32][lane] |= code << bit % 32;
      if (bit % 32 + width > 32) results[bit / 32 + 1][lane] |= code >> (32 - bit % 32);
      noise = next_random(noise);
    }
  }
  for (unsigned word = 0; word < words; ++word) write_some(wave, to + word, results[word].data(), wave.exec());
  return op + 1;
}

std::optional<Conversion> conversion_of(std::string_view name, unsigned select) {
  if (!take(name, "v_cvt_scalef32_")) return std::nullopt;
  const bool stochastic = take(name, "sr_"), alternates_many = take(name, "2xpk16_");
  const unsigned count = alternates_many || take(name, "pk32_") ? 32 : take(name, "pk_") ? 2 : 1;
  const size_t end = name.find('_');
  const auto to = format_of(name.substr(0, end)), from = format_of(end == name.npos ? "" : name.substr(end + 1));
  if (!to || !from) return std::nullopt;
  // Two numbers of 32 bits are one pair of registers if there is a random number, too.
  const bool alternates = alternates_many || (count == 2 && from->bits() == 32 && !stochastic);
  const unsigned scale = stochastic || alternates ? 3 : 2;
  const unsigned from_bit = from->bits() <= 8 ? chosen_source_bit(count * from->bits(), select) : 0;
  return Conversion{*to,        *from, count,    stochastic,
                    alternates, scale, from_bit, chosen_result_bit(count * to->bits(), select)};
}

}  // namespace

bool bind_scaled_conversion(const Decoded& decoded, Op& op) {
  if (decoded.name == "v_prng_b32") {
    op.run = &step_random;
    return true;
  }
  const std::optional<Conversion> found = conversion_of(decoded.name, decoded.modifiers.select);
  if (!found) return false;
  op.extra = new Conversion(*found);  // lives as long as the program
  op.run = &convert;
  return true;
}

}  // namespace hipport::emulate
