// SPDX-License-Identifier: MIT
#include "matrix.h"

#include "lanes.h"
#include "small_floats.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

namespace hipport::emulate {
namespace {

enum class Element : uint8_t { kF16, kBf16, kF32, kXf32, kF64, kFp8, kBf8, kI8, kI4, kF8f6f4 };

unsigned bits_of(Element element) {
  switch (element) {
    case Element::kF16:
    case Element::kBf16: return 16;
    case Element::kF32:
    case Element::kXf32: return 32;
    case Element::kF64: return 64;
    case Element::kI4: return 4;
    default: return 8;
  }
}

// Where the elements of the matrices are. An input has `groups` parts along K; lane `row + rows * (block + blocks *
// group)` holds `in_lane` consecutive elements of a row (of A) or of a column (of B). Sparse inputs (A) hold half of
// them.
struct Shape {
  unsigned rows = 16, columns = 16, depth = 16, blocks = 1, groups = 1;
  Element a = Element::kF16, b = Element::kF16, result = Element::kF32;
  bool sparse = false;
  unsigned most_in_lane = 64;  // of B; what is more is 32 lanes further
  unsigned in_lane() const { return depth / groups; }
};

// The register and lane of an element of the result. `half` is 1 for the upper half of the register.
struct Place {
  uint8_t lane, word, half;
};

struct Matrix {
  Shape shape;
  std::vector<Place> results;  // by block, row and column
  bool is_mfma, is_gfx11, flushes, old_small_floats;
};

// One instruction: its matrix and its modifiers.
struct Product {
  const Matrix* matrix;
  unsigned broadcast = 0, which_block = 0, pattern = 0;  // cbsz, abid, blgp
  unsigned index_shift = 0;
  bool clamp = false;
  uint64_t addend = 0;  // if it is a constant
};

// Results of MFMA: four rows (one of 64 bits) by all columns, then the next blocks, then the next rows.
Place mfma_result(const Shape& shape, unsigned block, unsigned row, unsigned column) {
  const unsigned height = shape.result == Element::kF64 ? 1 : 4, words = shape.result == Element::kF64 ? 2 : 1;
  const unsigned area = shape.rows * shape.columns;
  const unsigned strips = 64 / shape.columns, beside = std::max(1u, 64 / (area / height));
  const unsigned word = block * (area / 64) + row / (height * strips) * height + row % height;
  const unsigned lane = block % beside * shape.columns + row / height % strips * beside * shape.columns + column;
  return {uint8_t(lane), uint8_t(word * words), 0};
}

// Results of WMMA. Those of 16 bits are in one half of each register on gfx11 (`high`), in both on gfx12.
Place wmma_result(const Shape& shape, unsigned lanes, bool gfx11, bool high, unsigned row, unsigned column) {
  const bool narrow = bits_of(shape.result) == 16;
  if (gfx11) {
    const unsigned rows = lanes / 16;
    return {uint8_t(16 * (row % rows) + column), uint8_t(row / rows), uint8_t(narrow && high)};
  }
  const unsigned in_lane = lanes == 32 ? row % 8 : row % 4;
  const unsigned lane = (lanes == 32 ? 16 * (row / 8) : 32 * (row / 4 % 2) + 16 * (row / 8)) + column;
  return narrow ? Place{uint8_t(lane), uint8_t(in_lane / 2), uint8_t(in_lane % 2)}
                : Place{uint8_t(lane), uint8_t(in_lane), 0};
}

constexpr unsigned kMostElements = 32 * 64 * 2;

// The inputs as numbers to compute with: A by block, row and depth, B by block, depth and column.
template <typename T>
struct alignas(64) Numbers {
  T a[kMostElements], b[kMostElements], c[32 * 32 * 2];
};

uint64_t bits_at(Wave& wave, const Operand& operand, unsigned lane, unsigned position, unsigned width) {
  const uint32_t* const word = wave.v(operand.number + position / 32) + lane;
  if (width == 64) return *word | uint64_t(word[wave.lanes]) << 32;
  return width == 32 ? *word : *word >> (position % 32) & ((1u << width) - 1);
}

struct SmallTables {
  float values[4][256];
};
// The values of fp8, bf8 (OCP), and of both as gfx942 has them.
const SmallTables& small_tables() {
  static const SmallTables all = [] {
    SmallTables tables;
    const SmallFloat formats[] = {kFp8, kBf8, kFp8Fnuz, kBf8Fnuz};
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned code = 0; code < 256; ++code) tables.values[i][code] = to_float(formats[i], code);
    return tables;
  }();
  return all;
}

// Rounds to 10 bits of mantissa.
float as_xf32(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7f800000) == 0x7f800000) return value;
  bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
  return std::bit_cast<float>(bits);
}
float flushed(float value, float smallest) { return std::fabs(value) < smallest ? std::copysign(0.0f, value) : value; }

template <typename T>
T number(const Matrix& matrix, Element element, uint64_t bits, bool is_signed) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(bits);
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    if (!is_signed) return uint32_t(bits);
    return element == Element::kI4 ? uint32_t(int32_t(uint32_t(bits) << 28) >> 28) : uint32_t(int32_t(int8_t(bits)));
  } else {
    switch (element) {
      case Element::kF16: {
        const float value = float(std::bit_cast<Half>(uint16_t(bits)));
        return matrix.flushes ? flushed(value, 0x1p-14f) : value;
      }
      case Element::kBf16: {
        const float value = from_bfloat16(uint32_t(bits));
        return matrix.flushes ? flushed(value, 0x1p-126f) : value;
      }
      case Element::kXf32: return as_xf32(std::bit_cast<float>(uint32_t(bits)));
      case Element::kFp8: return small_tables().values[matrix.old_small_floats ? 2 : 0][bits];
      case Element::kBf8: return small_tables().values[matrix.old_small_floats ? 3 : 1][bits];
      default: return std::bit_cast<float>(uint32_t(bits));
    }
  }
}

template <typename T>
T with_sign(T value, bool negate) {
  return negate ? T(-value) : value;
}

// The lane whose part of B a lane takes.
unsigned source_lane(unsigned lane, unsigned pattern) {
  switch (pattern) {
    case 1: return lane % 32;
    case 2: return lane % 32 + 32;
    case 3: return (lane + 16) % 64;
    case 0: return lane;
    default: return lane % 16 + 16 * (pattern - 4);
  }
}

// Reads matrix A. Of a sparse one, an index of two bits for each element says which of four it is.
template <typename T>
void read_a(Wave& wave, const Op* op, const Product& product, T* a) {
  const Matrix& matrix = *product.matrix;
  const Shape& shape = matrix.shape;
  const unsigned width = bits_of(shape.a), lanes_used = shape.rows * shape.blocks;
  const Modifiers& all = op->modifiers;
  const bool is_signed = matrix.is_mfma || (all.negate & 1);
  const bool changes = !std::is_same_v<T, uint32_t>, low = changes && all.negate & 1,
             high = changes && all.negate_high & 1;
  const unsigned in_lane = shape.in_lane(), stored = shape.sparse ? in_lane / 2 : in_lane;
  if (shape.sparse) std::fill(a, a + shape.rows * shape.depth, T(0));
  for (unsigned group = 0; group < shape.groups; ++group)
    for (unsigned block = 0; block < shape.blocks; ++block)
      for (unsigned row = 0; row < shape.rows; ++row) {
        const unsigned lane = row + shape.rows * block + lanes_used * group;
        T* const to = a + (block * shape.rows + row) * shape.depth + group * in_lane;
        const uint32_t indexes = shape.sparse ? wave.v(op->operands[3].number)[lane] >> product.index_shift : 0;
        for (unsigned i = 0; i < stored; ++i) {
          const T value =
              with_sign(number<T>(matrix, shape.a, bits_at(wave, op->operands[1], lane, i * width, width), is_signed),
                        i % 2 == 0 ? low : high);
          if (shape.sparse)
            to[i / 2 * 4 + (indexes >> (2 * i) & 3)] += value;
          else
            to[i] = value;
        }
      }
}

template <typename T>
void read_b(Wave& wave, const Op* op, const Product& product, T* b) {
  const Matrix& matrix = *product.matrix;
  const Shape& shape = matrix.shape;
  const unsigned width = bits_of(shape.b), lanes_used = shape.columns * shape.blocks;
  const Modifiers& all = op->modifiers;
  const bool is_signed = matrix.is_mfma || (all.negate & 2);
  const bool changes = !std::is_same_v<T, uint32_t>, low = changes && all.negate & 2,
             high = changes && all.negate_high & 2;
  const unsigned in_lane = shape.in_lane();
  for (unsigned group = 0; group < shape.groups; ++group)
    for (unsigned block = 0; block < shape.blocks; ++block)
      for (unsigned column = 0; column < shape.columns; ++column) {
        unsigned lane = column + shape.columns * block + lanes_used * group;
        if (matrix.is_mfma) lane = source_lane(lane, product.pattern);
        for (unsigned i = 0; i < in_lane; ++i) {
          const unsigned from = lane + 32 * (i / shape.most_in_lane), at = i % shape.most_in_lane * width;
          b[(block * shape.depth + group * in_lane + i) * shape.columns + column] =
              with_sign(number<T>(matrix, shape.b, bits_at(wave, op->operands[2], from, at, width), is_signed),
                        i % 2 == 0 ? low : high);
        }
      }
}

template <typename T>
T addend_number(const Matrix& matrix, uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) {
    if (matrix.shape.result == Element::kF16) return float(std::bit_cast<Half>(uint16_t(bits)));
    if (matrix.shape.result == Element::kBf16) return from_bfloat16(uint32_t(bits & 0xffff));
    return std::bit_cast<float>(uint32_t(bits));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(bits);
  } else {
    return uint32_t(bits);
  }
}

// Reads what the product is added to: the third source, or the destination of sparse products.
template <typename T>
void read_c(Wave& wave, const Op* op, const Product& product, T* c) {
  const Matrix& matrix = *product.matrix;
  const Operand& from = op->operands[matrix.shape.sparse ? 0 : 3];
  const bool changes = !matrix.shape.sparse && !std::is_same_v<T, uint32_t>;
  const bool negate = changes && op->modifiers.negate & 4, absolute = changes && op->modifiers.negate_high & 4;
  for (size_t i = 0; i < matrix.results.size(); ++i) {
    const Place place = matrix.results[i];
    uint64_t bits = product.addend;
    if (from.bank == Bank::kVector) {
      const uint32_t* const word = wave.v(from.number + place.word) + place.lane;
      bits = sizeof(T) == 8 ? *word | uint64_t(word[wave.lanes]) << 32 : *word >> (16 * place.half);
    }
    c[i] = addend_number<T>(matrix, bits);
    if constexpr (!std::is_same_v<T, uint32_t>)
      if (absolute) c[i] = std::fabs(c[i]);
    c[i] = with_sign(c[i], negate);
  }
}

template <typename T>
void write_d(Wave& wave, const Op* op, const Product& product, const T* d) {
  const Matrix& matrix = *product.matrix;
  const unsigned to = op->operands[0].number;
  for (size_t i = 0; i < matrix.results.size(); ++i) {
    const Place place = matrix.results[i];
    uint32_t* const word = wave.v(to + place.word) + place.lane;
    if constexpr (std::is_same_v<T, double>) {
      const uint64_t bits = std::bit_cast<uint64_t>(d[i]);
      *word = uint32_t(bits);
      word[wave.lanes] = uint32_t(bits >> 32);
    } else if (bits_of(matrix.shape.result) == 16) {
      uint32_t bits = 0;
      if constexpr (std::is_same_v<T, float>)
        bits = matrix.shape.result == Element::kF16 ? std::bit_cast<uint16_t>(Half(d[i])) : to_bfloat16(d[i]);
      *word = place.half ? (*word & 0xffff) | bits << 16 : (*word & 0xffff0000u) | bits;
    } else {
      *word = std::bit_cast<uint32_t>(d[i]);
    }
  }
}

float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
uint32_t fused(uint32_t a, uint32_t b, uint32_t c) { return a * b + c; }

// c += a * b, in the order of the depth.
template <typename T, unsigned Columns>
void multiply(const T* a, const T* b, T* c, unsigned rows, unsigned depth) {
  for (unsigned row = 0; row < rows; ++row) {
    T sums[Columns];
    for (unsigned i = 0; i < Columns; ++i) sums[i] = c[row * Columns + i];
    for (unsigned k = 0; k < depth; ++k) {
      const T factor = a[row * depth + k];
      for (unsigned i = 0; i < Columns; ++i) sums[i] = fused(factor, b[k * Columns + i], sums[i]);
    }
    for (unsigned i = 0; i < Columns; ++i) c[row * Columns + i] = sums[i];
  }
}

// With the clamp bit sums of integers saturate.
void multiply_saturated(const Shape& shape, const uint32_t* a, const uint32_t* b, uint32_t* c) {
  for (unsigned row = 0; row < shape.rows; ++row)
    for (unsigned column = 0; column < shape.columns; ++column) {
      uint32_t& to = c[row * shape.columns + column];
      int64_t sum = int32_t(to);
      for (unsigned k = 0; k < shape.depth; ++k)
        sum += int64_t(int32_t(a[row * shape.depth + k])) * int32_t(b[k * shape.columns + column]);
      to = uint32_t(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
    }
}

template <typename T>
const Op* run_matrix(Wave& wave, const Op* op) {
  const Product& product = *static_cast<const Product*>(op->extra);
  const Shape& shape = product.matrix->shape;
  thread_local Numbers<T> numbers;
  read_a(wave, op, product, numbers.a);
  read_b(wave, op, product, numbers.b);
  read_c(wave, op, product, numbers.c);
  for (unsigned block = 0; block < shape.blocks; ++block) {
    const unsigned of_a =
        shape.sparse ? block : (block >> product.broadcast << product.broadcast) + product.which_block;
    const T* const a = numbers.a + of_a % shape.blocks * shape.rows * shape.depth;
    const T* const b = numbers.b + block * shape.depth * shape.columns;
    T* const c = numbers.c + block * shape.rows * shape.columns;
    if constexpr (std::is_same_v<T, uint32_t>)
      if (product.clamp) {
        multiply_saturated(shape, a, b, c);
        continue;
      }
    if (shape.columns == 4)
      multiply<T, 4>(a, b, c, shape.rows, shape.depth);
    else if (shape.columns == 16)
      multiply<T, 16>(a, b, c, shape.rows, shape.depth);
    else
      multiply<T, 32>(a, b, c, shape.rows, shape.depth);
  }
  if constexpr (std::is_same_v<T, float>)
    if (product.matrix->flushes)
      for (size_t i = 0; i < product.matrix->results.size(); ++i) numbers.c[i] = flushed(numbers.c[i], 0x1p-126f);
  write_d(wave, op, product, numbers.c);
  return op + 1;
}

bool taken(std::string_view& text, std::string_view start) {
  if (text.substr(0, start.size()) != start) return false;
  text.remove_prefix(start.size());
  return true;
}
unsigned taken_number(std::string_view& text) {
  unsigned found = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1))
    found = found * 10 + unsigned(text[0] - '0');
  return found;
}
std::optional<Element> taken_element(std::string_view& text) {
  static constexpr std::pair<std::string_view, Element> all[] = {
      {"xf32", Element::kXf32}, {"bf16", Element::kBf16}, {"f16", Element::kF16}, {"f32", Element::kF32},
      {"f64", Element::kF64},   {"fp8", Element::kFp8},   {"bf8", Element::kBf8}, {"i8", Element::kI8},
      {"iu8", Element::kI8},    {"iu4", Element::kI4},    {"i32", Element::kF32}};
  for (const auto& [name, element] : all)
    if (taken(text, name)) return element;
  return {};
}

// Describes a product by its name, such as v_mfma_f32_32x32x1_2b_f32 and v_swmmac_f32_16x16x32_fp8_bf8.
std::optional<Shape> shape_of(std::string_view name, const Decoded& decoded, unsigned generation, unsigned lanes) {
  Shape shape;
  const bool mfma = taken(name, "v_mfma_"), smfmac = !mfma && taken(name, "v_smfmac_");
  const bool wmma = !mfma && !smfmac && taken(name, "v_wmma_"),
             swmmac = !mfma && !smfmac && !wmma && taken(name, "v_swmmac_");
  if (!mfma && !smfmac && !wmma && !swmmac) return {};
  shape.sparse = smfmac || swmmac;
  const std::optional<Element> result = taken_element(name);
  if (!result || !taken(name, "_")) return {};
  shape.result = *result;
  shape.rows = taken_number(name);
  taken(name, "x");
  shape.columns = taken_number(name);
  taken(name, "x");
  shape.depth = taken_number(name);
  taken(name, "_");
  if (taken_number(name) != 0) taken(name, "b_");  // blocks follow from the number of registers
  const std::optional<Element> a = taken_element(name);
  if (!a) return {};
  shape.a = shape.b = *a;
  if (taken(name, "_") && !name.empty() && name[0] != '1') {
    const std::optional<Element> b = taken_element(name);
    if (!b) return {};
    shape.b = *b;
  }
  if (mfma || smfmac) {
    const unsigned words = decoded.row->slots[0].count / (shape.result == Element::kF64 ? 2 : 1);
    shape.blocks = words * 64 / (shape.rows * shape.columns);
    shape.groups = 64 / (shape.rows * shape.blocks);
  } else if (generation == 11) {
    shape.groups = 1;
  } else {
    const unsigned least = shape.a != Element::kI4 ? 1 : shape.sparse ? 16 : 8;
    shape.groups = shape.depth / std::max(shape.depth * 16 / lanes, least);
    // With 64 lanes, a lane of sparse A of 4-bit elements may hold what two lanes of B do.
    if (shape.sparse) shape.most_in_lane = shape.depth * 16 / lanes;
  }
  return shape;
}

const Matrix* known_matrix(const Processor& processor, const Decoded& decoded, unsigned lanes) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<Matrix>> known;
  const bool high = processor.generation == 11 && decoded.modifiers.select & 4;
  const std::string key = std::string(processor.name) + " " + std::string(decoded.name) +
                          (lanes == 32 ? " 32" : " 64") + (high ? " high" : "");
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(key); found != known.end()) return found->second.get();
  const std::optional<Shape> shape = shape_of(decoded.name, decoded, processor.generation, lanes);
  if (!shape) return nullptr;
  auto matrix = std::make_unique<Matrix>();
  matrix->shape = *shape;
  matrix->is_mfma = processor.generation == 9;
  matrix->is_gfx11 = processor.generation == 11;
  matrix->old_small_floats = processor.name == "gfx942";
  // The matrix units of gfx90a have no denormal numbers of 16-bit types.
  matrix->flushes = processor.name == "gfx90a" && bits_of(shape->a) == 16;
  for (unsigned block = 0; block < shape->blocks; ++block)
    for (unsigned row = 0; row < shape->rows; ++row)
      for (unsigned column = 0; column < shape->columns; ++column)
        matrix->results.push_back(matrix->is_mfma ? mfma_result(*shape, block, row, column)
                                                  : wmma_result(*shape, lanes, matrix->is_gfx11, high, row, column));
  return (known[key] = std::move(matrix)).get();
}

}  // namespace

bool bind_matrix(const Processor& processor, const Decoded& decoded, unsigned lanes, Op& op) {
  const Matrix* const matrix = known_matrix(processor, decoded, lanes);
  if (matrix == nullptr) return false;
  const Shape& shape = matrix->shape;
  auto* const product = new Product{matrix};  // lives as long as the program
  const unsigned stored = shape.in_lane() / 2;
  if (matrix->is_mfma) {
    const unsigned which = unsigned(decoded.get("abid"));
    product->broadcast = unsigned(decoded.get("cbsz"));
    product->which_block = which;
    if (shape.sparse) product->index_shift = product->broadcast == 0 ? which * 2 * stored % 32 : 0;
    // The bits that choose lanes of B negate the sources of products of 64 bits.
    if (shape.result == Element::kF64)
      op.modifiers.negate = uint8_t(decoded.get("neg"));
    else
      product->pattern = unsigned(decoded.get("neg"));
  } else {
    product->clamp = decoded.modifiers.clamp && (shape.a == Element::kI8 || shape.a == Element::kI4);
    if (shape.sparse) product->index_shift = (decoded.modifiers.select & 3) * 2 * stored % 32;
  }
  if (!shape.sparse && op.operands[3].bank == Bank::kConstant)
    product->addend = constant(op.operands[3], shape.result == Element::kF64   ? Kind::kDouble
                                               : shape.result == Element::kF16 ? Kind::kHalf
                                                                               : Kind::kInteger);
  op.extra = product;
  if (shape.result == Element::kF64)
    op.run = &run_matrix<double>;
  else if (shape.a == Element::kI8 || shape.a == Element::kI4)
    op.run = &run_matrix<uint32_t>;
  else
    op.run = &run_matrix<float>;
  return true;
}

}  // namespace hipport::emulate
