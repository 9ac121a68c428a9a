// SPDX-License-Identifier: MIT
// Products of matrices of 8, 6 and 4-bit numbers with a scale for each 32 of them (gfx950).
//
// A row of A and a column of B belong to lanes as in other products. 8-bit numbers are in a lane's registers 16 by 16,
// those of the other lanes between; smaller ones 32 by 32. The scale of 32 numbers along the depth is in the lane with
// the number of their row (or column) plus that of the block times the rows.
#include "lanes.h"
#include "matrix.h"
#include "small_floats.h"

#include <algorithm>
#include <array>
#include <limits>

namespace hipport::emulate {
namespace {

constexpr unsigned kBlock = 32;
constexpr unsigned kFormats = 5;  // fp8, bf8, fp6, bf6, fp4
constexpr unsigned kBits[kFormats] = {8, 8, 6, 6, 4};

struct Product {
  unsigned rows, depth;  // as many columns as rows
  unsigned format[2];    // of A and B
  uint64_t addend = 0;   // of a constant C
};
// Which byte of the scale registers holds the scales of A and B.
struct Scales {
  unsigned byte[2];
};

using Values = std::array<std::array<float, 256>, kFormats>;
const Values& values() {
  static const Values all = [] {
    Values found{};
    constexpr SmallFloat formats[kFormats] = {kFp8, kBf8, kFp6, kBf6, kFp4};
    for (unsigned format = 0; format < kFormats; ++format)
      for (unsigned code = 0; code < 1u << kBits[format]; ++code) found[format][code] = to_float(formats[format], code);
    return found;
  }();
  return all;
}

uint32_t bits_at(Wave& wave, unsigned number, unsigned lane, unsigned position, unsigned width) {
  const uint32_t* const word = wave.v(number + position / 32) + lane;
  uint64_t both = *word;
  if (position % 32 + width > 32) both |= uint64_t(word[wave.lanes]) << 32;
  return uint32_t(both >> (position % 32)) & ((1u << width) - 1);
}

// Read A (source 0) or B (source 1): `depth` numbers for each row or column.
void read_numbers(Wave& wave, const Op* op, const Product& product, unsigned source, float* to) {
  const unsigned format = product.format[source], width = kBits[format], from = op->operands[1 + source].number;
  const unsigned groups = product.depth / kBlock, run = width == 8 ? 16 : 32;
  for (unsigned group = 0; group < groups; ++group)
    for (unsigned row = 0; row < product.rows; ++row)
      for (unsigned i = 0; i < kBlock; ++i) {
        const unsigned k = i / run * run * groups + group * run + i % run;
        const uint32_t code = bits_at(wave, from, row + product.rows * group, i * width, width);
        to[row * product.depth + k] = values()[format][code];
      }
}

float power_of_two(uint32_t code) {  // e8m0
  return code == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0f, int(code) - 127);
}

// Read the scale of each block of each row or column.
void read_scales(Wave& wave, const Op* op, const Product& product, unsigned source, float* to) {
  const Op* const before = op - 1;  // v_mfma_ld_scale_b32 is a part of the same instruction
  const unsigned byte = static_cast<const Scales*>(before->extra)->byte[source];
  const Operand& from = before->operands[source];
  const unsigned groups = product.depth / kBlock;
  for (unsigned row = 0; row < product.rows; ++row)
    for (unsigned group = 0; group < groups; ++group) {
      const uint32_t word = from.bank == Bank::kVector     ? wave.v(from.number)[row + product.rows * group]
                            : from.bank == Bank::kConstant ? uint32_t(before->values[source])
                                                           : wave.scalars[from.number];
      to[row * groups + group] = power_of_two(word >> (8 * byte) & 255);
    }
}

const Op* load_scales(Wave&, const Op* op) { return op + 1; }
bool is_scaled(const Op* op) { return op->offset != 0 && op[-1].run == &load_scales; }

// Where an element of C and D is: four rows in a lane's registers, then those of other lanes.
uint32_t* element(Wave& wave, const Product& product, unsigned first, unsigned row, unsigned column) {
  const unsigned groups = 64 / product.rows;
  return wave.v(first + row / (4 * groups) * 4 + row % 4) + row / 4 % groups * product.rows + column;
}

const Op* run_scaled(Wave& wave, const Op* op) {
  const Product& product = *static_cast<const Product*>(op->extra);
  thread_local float a[32 * 64], b[32 * 64], scale_a[64], scale_b[64], results[32 * 32];
  const unsigned size = product.rows, depth = product.depth, groups = depth / kBlock;
  read_numbers(wave, op, product, 0, a);
  read_numbers(wave, op, product, 1, b);
  std::fill(scale_a, scale_a + 64, 1.0f);
  std::fill(scale_b, scale_b + 64, 1.0f);
  if (is_scaled(op)) {
    read_scales(wave, op, product, 0, scale_a);
    read_scales(wave, op, product, 1, scale_b);
  }
  const Operand& c = op->operands[3];
  for (unsigned row = 0; row < size; ++row)
    for (unsigned column = 0; column < size; ++column) {
      float sum = std::bit_cast<float>(c.bank == Bank::kVector ? *element(wave, product, c.number, row, column)
                                                               : uint32_t(product.addend));
      for (unsigned group = 0; group < groups; ++group) {
        float dot = 0;
        for (unsigned k = group * kBlock; k < (group + 1) * kBlock; ++k)
          dot = __builtin_fmaf(a[row * depth + k], b[column * depth + k], dot);
        sum = __builtin_fmaf(dot * scale_a[row * groups + group], scale_b[column * groups + group], sum);
      }
      results[row * size + column] = sum;
    }
  for (unsigned row = 0; row < size; ++row)
    for (unsigned column = 0; column < size; ++column)
      *element(wave, product, op->operands[0].number, row, column) =
          std::bit_cast<uint32_t>(results[row * size + column]);
  return op + 1;
}

}  // namespace

bool bind_scaled_matrix(const Decoded& decoded, Op& op) {
  if (decoded.name == "v_mfma_ld_scale_b32") {
    op.extra = new Scales{{unsigned(decoded.get("op_sel") & 3), unsigned(decoded.get("op_sel_hi") & 3)}};
    op.run = &load_scales;
    return true;
  }
  const bool small = decoded.name == "v_mfma_f32_16x16x128_f8f6f4";
  if (!small && decoded.name != "v_mfma_f32_32x32x64_f8f6f4") return false;
  auto* const product = new Product{small ? 16u : 32u, small ? 128u : 64u, {}};  // lives as long as the program
  product->format[0] = unsigned(decoded.get("cbsz"));
  product->format[1] = unsigned(decoded.get("neg"));  // blgp
  if (product->format[0] >= kFormats || product->format[1] >= kFormats) return false;
  if (op.operands[3].bank == Bank::kConstant) product->addend = constant(op.operands[3], Kind::kInteger);
  op.extra = product;
  op.run = &run_scaled;
  return true;
}

}  // namespace hipport::emulate
